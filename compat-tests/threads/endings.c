/* SPDX-License-Identifier: Apache-2.0 */
/* Objects are ended by one thread while others use them, by two at once, and in callbacks; each way is defined. */
#include "scenario.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <zookeeper/zookeeper.h>

struct setup {
    const char *connect_string;
    const char *path;
    curator_framework *client;
    curator_mutex *mutex;
    pthread_barrier_t start;
    atomic_int closed_ok, closed_before;
    sem_t told;
    curator_status close_in_callback;
    int late_ms; /* of the second one that closes: whatever it meets, the outcome has to be the same */
};

static void *close_it(void *context)
{
    struct setup *setup = context;
    int place = pthread_barrier_wait(&setup->start);
    if (place == PTHREAD_BARRIER_SERIAL_THREAD) {
        nanosleep(&(struct timespec){.tv_nsec = setup->late_ms * 1000000L}, NULL);
    }
    curator_status status = curator_framework_close(setup->client);
    assert_that(status == CURATOR_OK || status == CURATOR_CLOSED);
    atomic_fetch_add(status == CURATOR_OK ? &setup->closed_ok : &setup->closed_before, 1);
    return NULL;
}

/* ZOOKEEPER-981: two close at once, with a lock held. One of them closes; the other gets CURATOR_CLOSED. */
static void two_close_at_once(struct setup *setup)
{
    pthread_t threads[2];
    setup->client = connected_client(setup->connect_string);
    assert_ok(curator_mutex_create(&setup->mutex, setup->client, setup->path));
    assert_ok(curator_mutex_acquire(setup->mutex));
    atomic_store(&setup->closed_ok, 0);
    atomic_store(&setup->closed_before, 0);
    for (int i = 0; i < 2; i++) {
        assert_that(pthread_create(&threads[i], NULL, close_it, setup) == 0);
    }
    for (int i = 0; i < 2; i++) {
        assert_that(pthread_join(threads[i], NULL) == 0);
    }
    assert_that(atomic_load(&setup->closed_ok) == 1 && atomic_load(&setup->closed_before) == 1);
    assert_status(CURATOR_CLOSED, curator_framework_close(setup->client));
    assert_ok(curator_mutex_destroy(setup->mutex)); /* and with it the last of the framework */
}

static void *use_until_it_ends(void *context)
{
    struct setup *setup = context;
    pthread_barrier_wait(&setup->start);
    for (;;) {
        curator_status status = curator_mutex_acquire_for(setup->mutex, bound_ms(10000));
        if (status == CURATOR_OK) {
            status = curator_mutex_release(setup->mutex);
        }
        if (status == CURATOR_CLOSED || status == CURATOR_RELEASE_PENDING) {
            return NULL;
        }
        assert_ok(status);
    }
}

/* The framework is closed at any moment of other threads' acquires and releases; all moments have to end alike. */
static void close_while_others_use_it(struct setup *setup)
{
    enum { THREADS = 3 };
    pthread_t threads[THREADS];
    for (int round = 0; round < 20; round++) {
        setup->client = connected_client(setup->connect_string);
        assert_ok(curator_mutex_create(&setup->mutex, setup->client, setup->path));
        pthread_barrier_destroy(&setup->start);
        pthread_barrier_init(&setup->start, NULL, THREADS + 1);
        for (int i = 0; i < THREADS; i++) {
            assert_that(pthread_create(&threads[i], NULL, use_until_it_ends, setup) == 0);
        }
        pthread_barrier_wait(&setup->start);
        nanosleep(&(struct timespec){.tv_nsec = round * 300000L}, NULL);
        assert_ok(curator_framework_close(setup->client));
        for (int i = 0; i < THREADS; i++) {
            assert_that(pthread_join(threads[i], NULL) == 0);
        }
        assert_ok(curator_mutex_destroy(setup->mutex));
    }
}

/*
 * Another thread destroys the mutex and closes the framework while a loss callback runs. Closing in the callback is
 * refused, and does not block the other thread.
 */
static void on_lost(curator_mutex *mutex, void *context)
{
    struct setup *setup = context;
    setup->close_in_callback = curator_framework_close(setup->client);
    sem_post(&setup->told);
    int64_t deadline = now_ms() + bound_ms(5000);
    while (curator_mutex_interrupt(mutex) != CURATOR_CLOSED) {
        assert_that(now_ms() < deadline);
    }
}

static void end_while_a_loss_is_told(struct setup *setup, bool destroys_first)
{
    char *node = NULL;
    setup->client = connected_client(setup->connect_string);
    assert_ok(curator_mutex_create(&setup->mutex, setup->client, setup->path));
    assert_ok(curator_mutex_on_lost(setup->mutex, on_lost, setup));
    assert_ok(curator_mutex_acquire(setup->mutex));
    assert_ok(curator_mutex_lock_path(setup->mutex, &node));
    zhandle_t *handle = curator_framework_borrow_handle(setup->client);
    assert_that(zoo_delete(handle, node, -1) == ZOK);
    assert_ok(curator_framework_return_handle(setup->client, handle));
    free(node);
    sem_wait(&setup->told);
    if (destroys_first) {
        assert_ok(curator_mutex_destroy(setup->mutex));
        assert_ok(curator_framework_close(setup->client));
    } else {
        assert_ok(curator_framework_close(setup->client));
        assert_ok(curator_mutex_destroy(setup->mutex));
    }
    assert_that(setup->close_in_callback == CURATOR_WOULD_DEADLOCK);
}

static void *hold_and_end(void *context)
{
    struct setup *setup = context;
    assert_ok(curator_mutex_acquire(setup->mutex));
    assert_ok(curator_mutex_acquire(setup->mutex));
    return NULL;
}

static void *inherit_nothing(void *context)
{
    struct setup *setup = context;
    int64_t token = 0;
    assert_that(!curator_mutex_is_owned_by_current_thread(setup->mutex));
    assert_that(curator_mutex_is_acquired_in_this_process(setup->mutex));
    assert_status(CURATOR_NOT_OWNER, curator_mutex_release(setup->mutex));
    assert_status(CURATOR_NOT_OWNER, curator_mutex_fencing_token(setup->mutex, &token));
    assert_status(CURATOR_TIMED_OUT, curator_mutex_acquire_for(setup->mutex, 0));
    return NULL;
}

/* CURATOR-530: a thread ends while it holds; the next thread with the same system id is not the owner. */
static void a_thread_ends_while_it_holds(struct setup *setup)
{
    pthread_t first;
    bool recycled = false;
    setup->client = connected_client(setup->connect_string);
    assert_ok(curator_mutex_create(&setup->mutex, setup->client, setup->path));
    assert_that(pthread_create(&first, NULL, hold_and_end, setup) == 0);
    assert_that(pthread_join(first, NULL) == 0);
    for (int i = 0; i < 50 && !recycled; i++) {
        pthread_t next;
        assert_that(pthread_create(&next, NULL, inherit_nothing, setup) == 0);
        recycled = pthread_equal(next, first) != 0; /* the C library takes the stack, and with it the id, again */
        assert_that(pthread_join(next, NULL) == 0);
    }
    printf("the thread id was used again: %s\n", recycled ? "yes" : "no");
    assert_ok(curator_mutex_destroy(setup->mutex)); /* frees the lock */
    assert_ok(curator_mutex_create(&setup->mutex, setup->client, setup->path));
    assert_ok(curator_mutex_acquire_for(setup->mutex, bound_ms(5000)));
    assert_ok(curator_mutex_release(setup->mutex));
    assert_ok(curator_mutex_destroy(setup->mutex));
    assert_ok(curator_framework_close(setup->client));
}

int main(int argc, char **argv)
{
    struct setup setup = {.connect_string = scenario_argument(argc, argv, 1), .path = scenario_argument(argc, argv, 2)};
    sem_init(&setup.told, 0, 0);
    pthread_barrier_init(&setup.start, NULL, 2);
    for (int i = 0; i < 10; i++) {
        setup.late_ms = i * i; /* the second one closes while the first does, or after it */
        two_close_at_once(&setup);
    }
    close_while_others_use_it(&setup);
    end_while_a_loss_is_told(&setup, true);
    end_while_a_loss_is_told(&setup, false);
    a_thread_ends_while_it_holds(&setup);
    pthread_barrier_destroy(&setup.start);
    sem_destroy(&setup.told);
    return 0;
}
