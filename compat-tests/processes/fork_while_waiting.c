/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process forks while one of its threads holds a lock, others wait, and more come and go. The children end in every
 * way; neither holder nor waiters notice, and what the child inherited is answered at once.
 */
#include "scenario.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define EXIT_CHILD(status) _exit(status) /* what only the parent's threads point at would be taken for leaks */
#else
#define EXIT_CHILD(status) exit(status) /* with all exit handlers */
#endif

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif
/* ThreadSanitizer can start no threads in a child, and AddressSanitizer's allocator may be locked in it for ever. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
static const bool child_can_work = false;
#else
static const bool child_can_work = true;
#endif

struct setup {
    const char *connect_string;
    const char *path;
    curator_framework *client;
    curator_mutex *held;
    curator_mutex *busy;
    atomic_bool ending;
    atomic_int got;
};

static void *wait_for_it(void *context)
{
    struct setup *setup = context;
    assert_ok(curator_mutex_acquire(setup->held));
    atomic_fetch_add(&setup->got, 1);
    assert_ok(curator_mutex_release(setup->held));
    return NULL;
}

/* So that a fork meets the library's mutex and its connection in use. */
static void *come_and_go(void *context)
{
    struct setup *setup = context;
    while (!atomic_load(&setup->ending)) {
        assert_ok(curator_mutex_acquire(setup->busy));
        assert_ok(curator_mutex_release(setup->busy));
    }
    return NULL;
}

/* It finds the lock held and the waiters before it. */
static void use_an_own_client(struct setup *setup)
{
    curator_framework *own = connected_client(setup->connect_string);
    curator_mutex *mutex = NULL;
    assert_ok(curator_mutex_create(&mutex, own, setup->path));
    assert_status(CURATOR_TIMED_OUT, curator_mutex_acquire_for(mutex, 20));
    assert_ok(curator_mutex_destroy(mutex));
    assert_ok(curator_framework_close(own));
}

static void child(struct setup *setup, int way)
{
    alarm((unsigned)(bound_ms(10000) / 1000)); /* a call that hangs ends the child with a signal */
    assert_status(CURATOR_FORKED, curator_mutex_acquire(setup->held));
    assert_status(CURATOR_FORKED, curator_mutex_acquire_for(setup->busy, 10));
    assert_status(CURATOR_FORKED, curator_mutex_release(setup->held));
    assert_status(CURATOR_FORKED, curator_mutex_interrupt(setup->held));
    assert_that(!curator_mutex_is_acquired_in_this_process(setup->held));
    assert_status(CURATOR_FORKED, curator_mutex_destroy(setup->busy));
    assert_status(CURATOR_FORKED, curator_framework_close(setup->client));
    if (way % 4 == 3 && child_can_work) {
        use_an_own_client(setup);
    }
    if (way % 3 == 0) {
        EXIT_CHILD(0);
    } else if (way % 3 == 1) {
        _exit(0);
    }
    execl("/bin/true", "true", (char *)NULL);
    _exit(127);
}

static size_t contenders(curator_mutex *mutex)
{
    curator_participants *participants = NULL;
    assert_ok(curator_mutex_participants(mutex, &participants));
    size_t count = participants->count;
    curator_participants_free(participants);
    return count;
}

int main(int argc, char **argv)
{
    enum { WAITERS = 3, BUSY = 2, FORKS = 30 };
    struct setup setup = {.connect_string = scenario_argument(argc, argv, 1), .path = scenario_argument(argc, argv, 2)};
    char busy[1024];
    setup.client = connected_client(setup.connect_string);
    pthread_t threads[WAITERS + BUSY];
    snprintf(busy, sizeof busy, "%s-busy", setup.path);
    assert_ok(curator_mutex_create(&setup.held, setup.client, setup.path));
    assert_ok(curator_mutex_create(&setup.busy, setup.client, busy));
    assert_ok(curator_mutex_acquire(setup.held));
    for (int i = 0; i < WAITERS + BUSY; i++) {
        assert_that(pthread_create(&threads[i], NULL, i < WAITERS ? wait_for_it : come_and_go, &setup) == 0);
    }
    int64_t deadline = now_ms() + bound_ms(10000);
    while (contenders(setup.held) < WAITERS + 1) {
        assert_that(now_ms() < deadline);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    for (int i = 0; i < FORKS; i++) {
        int status = -1;
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0) {
            child(&setup, i);
        }
        assert_that(waitpid(pid, &status, 0) == pid);
        assert_that(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        assert_that(curator_mutex_is_owned_by_current_thread(setup.held));
        assert_that(atomic_load(&setup.got) == 0);
    }
    assert_that(contenders(setup.held) == WAITERS + 1);
    atomic_store(&setup.ending, true);
    assert_ok(curator_mutex_release(setup.held));
    for (int i = 0; i < WAITERS + BUSY; i++) {
        assert_that(pthread_join(threads[i], NULL) == 0);
    }
    assert_that(atomic_load(&setup.got) == WAITERS);
    assert_that(contenders(setup.held) == 0 && contenders(setup.busy) == 0);
    assert_ok(curator_mutex_destroy(setup.held));
    assert_ok(curator_mutex_destroy(setup.busy));
    assert_ok(curator_framework_close(setup.client));
    return 0;
}
