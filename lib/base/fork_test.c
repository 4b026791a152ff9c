/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the number that tells a child process from its parent. */
#include "base/fork.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 4

static pid_t raw_clone(void)
{
    return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
}

/* By another program: a leak checker would find what the test framework's threads had, which are not here. */
static void end_child(bool well)
{
    execl(well ? "/bin/true" : "/bin/false", "child", (char *)NULL);
    _exit(127);
}

static bool ends_well(pid_t child)
{
    int status = -1;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void *ask(void *context)
{
    *(unsigned *)context = fork_generation();
    return NULL;
}

/* In a child of a child; nothing here needs memory. */
static void expect_another(pid_t (*make_child)(void), unsigned parents)
{
    unsigned own = fork_generation();
    if (own == parents || own == 0 || own != fork_generation()) {
        end_child(false);
    }
    pid_t child = make_child();
    if (child == 0) {
        unsigned third = fork_generation();
        end_child(third != own && third != parents && third != 0);
    }
    end_child(ends_well(child) && fork_generation() == own);
}

static void tells_child_from_parent(pid_t (*make_child)(void))
{
    unsigned own = fork_generation();
    cr_assert_neq(own, 0);
    for (int i = 0; i < 2; i++) {
        pid_t child = make_child();
        if (child == 0) {
            expect_another(make_child, own);
        }
        cr_assert(ends_well(child));
        cr_assert_eq(fork_generation(), own);
    }
}

Test(fork_guard, another_generation_after_fork)
{
    tells_child_from_parent(fork);
}

Test(fork_guard, another_generation_after_a_fork_that_runs_no_handlers)
{
    tells_child_from_parent(_Fork);
}

Test(fork_guard, another_generation_after_clone)
{
    tells_child_from_parent(raw_clone);
}

/* The child's parent has not asked yet. */
Test(fork_guard, another_generation_than_that_of_a_grandparent)
{
    unsigned own = fork_generation();
    pid_t child = _Fork();
    if (child == 0) {
        pid_t grandchild = _Fork();
        if (grandchild == 0) {
            end_child(fork_generation() != own);
        }
        end_child(ends_well(grandchild));
    }
    cr_assert(ends_well(child));
}

Test(fork_guard, a_program_that_is_spawned_changes_nothing)
{
    unsigned own = fork_generation();
    char *const arguments[] = {"true", NULL};
    pid_t child = -1;
    cr_assert_eq(posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environ), 0);
    cr_assert(ends_well(child));
    cr_assert_eq(fork_generation(), own);
}

Test(fork_guard, threads_that_ask_first_at_once_agree)
{
    pthread_t threads[THREADS];
    unsigned found[THREADS] = {0};
    for (int i = 0; i < THREADS; i++) {
        cr_assert_eq(pthread_create(&threads[i], NULL, ask, &found[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        cr_assert_eq(found[i], found[0]);
    }
    cr_assert_neq(found[0], 0);
}
