/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pthread_cancel() takes effect when a call of the library has returned, never inside: the framework works on for
 * everybody else, and the cancelled thread's own clean-up handlers know what it holds.
 */
#include "scenario.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

/* AddressSanitizer's own clean-up of a cancelled thread trips over what it knows of that thread's stack. */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "use_sigaltstack=0";
}

struct setup {
    curator_framework *client;
    const char *connect_string;
    const char *path;
    curator_mutex *mutex; /* shared */
    atomic_int returned;  /* what the cancelled thread's acquire answered; -1 before */
};

static void *join(pthread_t thread)
{
    struct timespec until;
    void *result = NULL;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += (time_t)(bound_ms(20000) / 1000);
    assert_that(pthread_timedjoin_np(thread, &result, &until) == 0);
    return result;
}

static void release(void *mutex)
{
    assert_ok(curator_mutex_release(mutex));
}

static void *acquire_and_end(void *context)
{
    struct setup *setup = context;
    curator_status status = curator_mutex_acquire(setup->mutex);
    atomic_store(&setup->returned, (int)status);
    if (status == CURATOR_OK) {
        pthread_cleanup_push(release, setup->mutex);
        pthread_testcancel();
        pthread_cleanup_pop(0);
    }
    pthread_testcancel();
    return NULL;
}

static void await_contenders(struct setup *setup, size_t wanted)
{
    int64_t deadline = now_ms() + bound_ms(10000);
    for (;;) {
        curator_participants *participants = NULL;
        assert_ok(curator_mutex_participants(setup->mutex, &participants));
        size_t count = participants->count;
        curator_participants_free(participants);
        if (count == wanted) {
            return;
        }
        assert_that(now_ms() < deadline);
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
}

/* A waiter is cancelled; it waits on, until it is interrupted or gets the lock, and ends then with nothing held. */
static void cancel_a_waiter(struct setup *setup, bool interrupts)
{
    pthread_t waiter;
    atomic_store(&setup->returned, -1);
    assert_ok(curator_mutex_acquire(setup->mutex));
    assert_that(pthread_create(&waiter, NULL, acquire_and_end, setup) == 0);
    await_contenders(setup, 2);
    assert_that(pthread_cancel(waiter) == 0);
    for (int i = 0; i < 20; i++) { /* the framework's mutex is free, and the waiter keeps its place */
        await_contenders(setup, 2);
        assert_that(curator_mutex_is_owned_by_current_thread(setup->mutex));
        assert_that(atomic_load(&setup->returned) == -1);
    }
    if (interrupts) {
        assert_ok(curator_mutex_interrupt(setup->mutex));
    } else {
        assert_ok(curator_mutex_release(setup->mutex));
    }
    assert_that(join(waiter) == PTHREAD_CANCELED);
    assert_that(atomic_load(&setup->returned) == (int)(interrupts ? CURATOR_INTERRUPTED : CURATOR_OK));
    if (interrupts) {
        assert_ok(curator_mutex_release(setup->mutex));
    }
    await_contenders(setup, 0);
}

/* Does what a program's logger does: a cancellation point. */
static void log_slowly(curator_log_level level, const char *message, void *context)
{
    (void)level;
    (void)message;
    (void)context;
    nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL);
}

/* Every call of a framework's life, with the cancellation pending all the time. */
static void *live_cancelled(void *context)
{
    struct setup *setup = context;
    curator_framework *client = NULL;
    curator_mutex *mutex = NULL;
    curator_read_write_lock *lock = NULL;
    curator_participants *participants = NULL;
    char *node = NULL;
    int64_t token = 0;
    pthread_cancel(pthread_self());
    assert_ok(curator_framework_open(
        &client, &(curator_framework_options){.connect_string = setup->connect_string,
                                              .logger = {.log = log_slowly, .level = CURATOR_LOG_DEBUG}}));
    assert_ok(curator_framework_await_connected(client, bound_ms(10000)));
    assert_ok(curator_mutex_create(&mutex, client, setup->path));
    assert_ok(curator_mutex_acquire(mutex));
    assert_ok(curator_mutex_acquire_for(mutex, 0));
    assert_that(curator_mutex_is_acquired_in_this_process(mutex));
    assert_that(curator_mutex_is_owned_by_current_thread(mutex));
    assert_ok(curator_mutex_lock_path(mutex, &node));
    assert_ok(curator_mutex_fencing_token(mutex, &token));
    assert_ok(curator_mutex_participants(mutex, &participants));
    curator_participants_free(participants);
    assert_ok(curator_revoke(client, node));
    free(node);
    assert_ok(curator_mutex_release(mutex));
    assert_ok(curator_mutex_release(mutex));
    assert_ok(curator_mutex_destroy(mutex));
    assert_ok(curator_read_write_lock_create(&lock, client, setup->path));
    assert_ok(curator_mutex_acquire_for(curator_read_write_lock_write_side(lock), bound_ms(10000)));
    assert_ok(curator_mutex_acquire(curator_read_write_lock_read_side(lock)));
    assert_ok(curator_read_write_lock_destroy(lock));
    assert_ok(curator_framework_close(client));
    atomic_store(&setup->returned, (int)CURATOR_OK);
    pthread_testcancel();
    return NULL;
}

static void live_with_a_pending_cancellation(struct setup *setup)
{
    pthread_t thread;
    atomic_store(&setup->returned, -1);
    assert_that(pthread_create(&thread, NULL, live_cancelled, setup) == 0);
    assert_that(join(thread) == PTHREAD_CANCELED);
    assert_that(atomic_load(&setup->returned) == (int)CURATOR_OK);
    await_contenders(setup, 0);
}

/* Threads are cancelled at any moment of their lives; whatever they were doing, nothing stays behind. */
static void *take_turns(void *context)
{
    struct setup *setup = context;
    for (;;) {
        curator_status status = curator_mutex_acquire_for(setup->mutex, bound_ms(5000));
        assert_that(status == CURATOR_OK);
        pthread_cleanup_push(release, setup->mutex);
        pthread_testcancel();
        pthread_cleanup_pop(1);
        pthread_testcancel();
    }
    return NULL;
}

static void cancel_at_any_moment(struct setup *setup)
{
    enum { THREADS = 4, ROUNDS = 40 };
    pthread_t threads[THREADS];
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < THREADS; i++) {
            assert_that(pthread_create(&threads[i], NULL, take_turns, setup) == 0);
        }
        nanosleep(&(struct timespec){.tv_nsec = round * 500000L}, NULL);
        for (int i = 0; i < THREADS; i++) {
            assert_that(pthread_cancel(threads[i]) == 0);
        }
        for (int i = 0; i < THREADS; i++) {
            assert_that(join(threads[i]) == PTHREAD_CANCELED);
        }
    }
    await_contenders(setup, 0);
    assert_ok(curator_mutex_acquire_for(setup->mutex, bound_ms(5000)));
    assert_ok(curator_mutex_release(setup->mutex));
}

int main(int argc, char **argv)
{
    struct setup setup = {.connect_string = scenario_argument(argc, argv, 1), .path = scenario_argument(argc, argv, 2)};
    setup.client = connected_client(setup.connect_string);
    assert_ok(curator_mutex_create(&setup.mutex, setup.client, setup.path));
    cancel_a_waiter(&setup, true);
    cancel_a_waiter(&setup, false);
    live_with_a_pending_cancellation(&setup);
    cancel_at_any_moment(&setup);
    assert_ok(curator_mutex_destroy(setup.mutex));
    assert_ok(curator_framework_close(setup.client));
    return 0;
}
