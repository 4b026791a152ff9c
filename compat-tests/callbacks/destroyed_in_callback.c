/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread destroys a mutex while its loss callback runs. From then on calls in the callback fail because the mutex
 * is closed; none of them leaves a node behind.
 */
#include "scenario.h"
#include <semaphore.h>
#include <zookeeper/zookeeper.h>

struct setup {
    curator_mutex *held;
    sem_t told;
};

/* The destroying thread waits for the callback that looks out for it. */
static void wait_until_being_destroyed(curator_mutex *mutex)
{
    int64_t deadline = now_ms() + bound_ms(3000);
    while (curator_mutex_interrupt(mutex) != CURATOR_CLOSED && now_ms() < deadline) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

static void on_lost(curator_mutex *mutex, void *context)
{
    struct setup *setup = context;
    curator_participants *participants = NULL;
    char *node = NULL;
    sem_post(&setup->told);
    wait_until_being_destroyed(mutex);
    assert_status(CURATOR_CLOSED, curator_mutex_acquire_for(mutex, 5000));
    assert_error_mentions("destroyed");
    assert_status(CURATOR_CLOSED, curator_mutex_acquire(mutex));
    assert_status(CURATOR_CLOSED, curator_mutex_acquire_for(mutex, 0));
    assert_status(CURATOR_CLOSED, curator_mutex_release(mutex));
    assert_status(CURATOR_CLOSED, curator_mutex_participants(mutex, &participants));
    assert_status(CURATOR_CLOSED, curator_mutex_lock_path(mutex, &node));
    assert_status(CURATOR_CLOSED, curator_mutex_destroy(mutex));
    assert_that(!curator_mutex_is_acquired_in_this_process(mutex));
}

/* Acquires anew until the mutex is taken away under it. */
static void on_lost_acquire(curator_mutex *mutex, void *context)
{
    struct setup *setup = context;
    int64_t deadline = now_ms() + bound_ms(10000);
    curator_status status = CURATOR_OK;
    while (status == CURATOR_OK && now_ms() < deadline) {
        status = curator_mutex_acquire(mutex);
        sem_post(&setup->told);
        if (status == CURATOR_OK) {
            status = curator_mutex_release(mutex);
        }
    }
    assert_that(status == CURATOR_CLOSED || status == CURATOR_RELEASE_PENDING);
}

static void lose_and_destroy(curator_framework *client, const char *path, void (*fn)(curator_mutex *, void *))
{
    struct setup setup = {0};
    char *node = NULL;
    sem_init(&setup.told, 0, 0);
    assert_ok(curator_mutex_create(&setup.held, client, path));
    assert_ok(curator_mutex_on_lost(setup.held, fn, &setup));
    assert_ok(curator_mutex_acquire(setup.held));
    assert_ok(curator_mutex_lock_path(setup.held, &node));
    zhandle_t *handle = curator_framework_borrow_handle(client);
    assert_that(zoo_delete(handle, node, -1) == ZOK);
    free(node);
    while (sem_wait(&setup.told) != 0) {
    }
    assert_ok(curator_mutex_destroy(setup.held));

    curator_mutex *next = NULL;
    assert_ok(curator_mutex_create(&next, client, path));
    assert_ok(curator_mutex_acquire_for(next, bound_ms(3000)));
    assert_ok(curator_mutex_destroy(next));
    assert_ok(curator_framework_return_handle(client, handle));
    sem_destroy(&setup.told);
}

int main(int argc, char **argv)
{
    curator_framework *client = connected_client(scenario_argument(argc, argv, 1));
    const char *path = scenario_argument(argc, argv, 2);
    lose_and_destroy(client, path, on_lost);
    for (int i = 0; i < 20; i++) {
        lose_and_destroy(client, path, on_lost_acquire);
    }
    assert_ok(curator_framework_close(client));
    return 0;
}
