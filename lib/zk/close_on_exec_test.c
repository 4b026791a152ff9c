/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of how the ZooKeeper client's descriptors are found. */
#include "zk/close_on_exec.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define LONG_MS 10000

/* As the ZooKeeper client's I/O thread does it. */
struct poller {
    pthread_t thread, other; /* the second one of the same name */
    struct pollfd polled[2];
    nfds_t count;
};

static bool marked(int fd)
{
    return (fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0;
}

static void *sleep_in_poll(void *context)
{
    struct poller *poller = context;
    poll(poller->polled, poller->count, -1);
    return NULL;
}

static void *sleep_in_read(void *context)
{
    char byte;
    return read(*(int *)context, &byte, 1) == 1 ? NULL : context;
}

static void make_socket(struct poller *poller)
{
    poller->polled[1] = (struct pollfd){.fd = socket(AF_INET, SOCK_DGRAM, 0), .events = POLLIN};
    poller->count = 2;
}

/* The name is inherited by a poller and by a thread that does something else, as the completion thread does. */
static void open_handle(struct handle_descriptors *descriptors, struct poller *poller, int *other)
{
    struct naming naming = close_on_exec_name(descriptors);
    cr_assert_eq(pthread_create(&poller->other, NULL, sleep_in_read, other), 0);
    cr_assert_eq(pthread_create(&poller->thread, NULL, sleep_in_poll, poller), 0);
    close_on_exec_unname(&naming);
    close_on_exec_find_threads(descriptors, &naming);
}

static void end_poller(const struct poller *poller, int writing_end)
{
    cr_assert_eq(write(writing_end, "", 1), 1);
    pthread_join(poller->thread, NULL);
}

static void close_handle(const struct poller *poller, int wake_up, int other)
{
    end_poller(poller, wake_up);
    cr_assert_eq(write(other, "", 1), 1);
    pthread_join(poller->other, NULL);
}

Test(close_on_exec, marks_the_pipe_and_the_socket_that_the_named_thread_polls_and_nothing_that_is_like_them)
{
    int wake_up[2], alike[2], other[2];
    struct poller poller = {.count = 0}, foreign = {.count = 0};
    struct handle_descriptors descriptors;
    cr_assert_eq(pipe2(alike, O_NONBLOCK), 0);
    cr_assert_eq(pipe2(wake_up, O_NONBLOCK), 0);
    cr_assert_eq(pipe(other), 0);
    make_socket(&foreign);
    foreign.polled[0] = (struct pollfd){.fd = alike[0], .events = POLLIN};
    cr_assert_eq(pthread_create(&foreign.thread, NULL, sleep_in_poll, &foreign), 0);
    make_socket(&poller);
    poller.polled[0] = (struct pollfd){.fd = wake_up[0], .events = POLLIN};
    open_handle(&descriptors, &poller, &other[0]);
    cr_assert_eq(close_on_exec_watch(&descriptors, LONG_MS), MARKED);
    cr_assert(marked(wake_up[0]) && marked(wake_up[1]) && marked(poller.polled[1].fd));
    cr_assert_not(marked(alike[0]) || marked(alike[1]) || marked(foreign.polled[1].fd));
    cr_assert_not(marked(other[0]) || marked(other[1]));
    close_handle(&poller, wake_up[1], other[1]);
    end_poller(&foreign, alike[1]);
}

Test(close_on_exec, finds_the_writing_end_wherever_it_is)
{
    for (int below = 0; below < 2; below++) {
        int wake_up[2], other[2];
        struct poller poller = {.count = 1};
        struct handle_descriptors descriptors;
        cr_assert_eq(pipe2(wake_up, O_NONBLOCK), 0);
        cr_assert_eq(pipe(other), 0);
        int *end = below ? &wake_up[0] : &wake_up[1];
        int moved = fcntl(*end, F_DUPFD, 200);
        close(*end);
        *end = moved;
        poller.polled[0] = (struct pollfd){.fd = wake_up[0], .events = POLLIN};
        open_handle(&descriptors, &poller, &other[0]);
        cr_assert_eq(close_on_exec_watch(&descriptors, LONG_MS), MARKED);
        cr_assert(marked(wake_up[0]) && marked(wake_up[1]));
        close_handle(&poller, wake_up[1], other[1]);
    }
}

Test(close_on_exec, finds_the_threads_among_all_when_their_numbers_are_not_known)
{
    int wake_up[2], other[2];
    struct poller poller = {.count = 1};
    struct handle_descriptors descriptors;
    cr_assert_eq(pipe2(wake_up, O_NONBLOCK), 0);
    cr_assert_eq(pipe(other), 0);
    poller.polled[0] = (struct pollfd){.fd = wake_up[0], .events = POLLIN};
    open_handle(&descriptors, &poller, &other[0]);
    cr_assert(descriptors.threads_known);
    descriptors.threads_known = false;
    cr_assert_eq(close_on_exec_watch(&descriptors, LONG_MS), MARKED);
    cr_assert(marked(wake_up[0]) && marked(wake_up[1]));
    close_handle(&poller, wake_up[1], other[1]);
}

Test(close_on_exec, a_thread_that_polls_something_else_is_none_of_the_clients)
{
    int blocking[2], other[2];
    struct poller poller = {.count = 1};
    struct handle_descriptors descriptors;
    cr_assert_eq(pipe(blocking), 0);
    cr_assert_eq(pipe(other), 0);
    poller.polled[0] = (struct pollfd){.fd = blocking[0], .events = POLLIN};
    open_handle(&descriptors, &poller, &other[0]);
    cr_assert_eq(close_on_exec_watch(&descriptors, 50), MARK_LATER);
    cr_assert_not(marked(blocking[0]) || marked(blocking[1]));
    close_handle(&poller, blocking[1], other[1]);
}

Test(close_on_exec, the_opening_thread_keeps_its_own_name)
{
    char before[THREAD_NAME_SIZE], after[THREAD_NAME_SIZE];
    struct handle_descriptors one, other;
    prctl(PR_GET_NAME, before);
    struct naming naming = close_on_exec_name(&one);
    close_on_exec_unname(&naming);
    prctl(PR_GET_NAME, after);
    cr_assert_str_eq(before, after);
    naming = close_on_exec_name(&other);
    close_on_exec_unname(&naming);
    cr_assert_str_neq(one.thread_name, other.thread_name);
}
