/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls from callbacks: on the ZooKeeper client's thread every blocking call fails at once with CURATOR_WOULD_DEADLOCK;
 * on the framework's own callback thread all calls work except closing the framework.
 */
#include "scenario.h"
#include <semaphore.h>
#include <zookeeper/zookeeper.h>

#define AT_ONCE_MS 5000 /* one that waited would take twice as long, or for ever */

struct setup {
    curator_framework *client;
    curator_mutex *held;
    curator_mutex *other;
    const char *path;
    sem_t done;
};

static void assert_blocking_calls_refuse(struct setup *setup)
{
    curator_participants *participants = NULL;
    int64_t began = now_ms();
    assert_status(CURATOR_WOULD_DEADLOCK, curator_mutex_acquire(setup->held));
    assert_error_mentions("callback");
    assert_status(CURATOR_WOULD_DEADLOCK, curator_mutex_acquire_for(setup->other, 0));
    assert_status(CURATOR_WOULD_DEADLOCK, curator_mutex_release(setup->held));
    assert_status(CURATOR_WOULD_DEADLOCK, curator_mutex_release_for(setup->held, 0));
    assert_status(CURATOR_WOULD_DEADLOCK, curator_mutex_participants(setup->held, &participants));
    assert_status(CURATOR_WOULD_DEADLOCK, curator_mutex_destroy(setup->held));
    assert_status(CURATOR_WOULD_DEADLOCK, curator_framework_await_connected(setup->client, bound_ms(2 * AT_ONCE_MS)));
    assert_status(CURATOR_WOULD_DEADLOCK, curator_framework_close(setup->client));
    assert_that(now_ms() - began < bound_ms(AT_ONCE_MS));

    /* what does not block is answered */
    curator_connection_state state;
    assert_ok(curator_framework_state(setup->client, &state));
    assert_that(state == CURATOR_CONNECTED);
    assert_that(curator_mutex_is_acquired_in_this_process(setup->held));
    assert_that(!curator_mutex_is_owned_by_current_thread(setup->held));
    assert_ok(curator_mutex_interrupt(setup->held));
}

static void on_watch(zhandle_t *handle, int type, int state, const char *path, void *context)
{
    (void)handle;
    (void)path;
    struct setup *setup = context;
    if (type == ZOO_CHANGED_EVENT && state == ZOO_CONNECTED_STATE) {
        assert_blocking_calls_refuse(setup);
        sem_post(&setup->done);
    }
}

static void on_completion(int rc, const struct Stat *stat, const void *context)
{
    (void)rc;
    (void)stat;
    struct setup *setup = (struct setup *)(uintptr_t)context;
    assert_blocking_calls_refuse(setup);
    sem_post(&setup->done);
}

static void zookeeper_callbacks(struct setup *setup)
{
    zhandle_t *handle = curator_framework_borrow_handle(setup->client);
    assert_that(handle != NULL);
    assert_that(zoo_aexists(handle, setup->path, 0, on_completion, setup) == ZOK);
    sem_wait(&setup->done);
    assert_that(zoo_wexists(handle, setup->path, on_watch, setup, NULL) == ZOK);
    assert_that(zoo_set(handle, setup->path, "x", 1, -1) == ZOK);
    sem_wait(&setup->done);
    assert_ok(curator_framework_return_handle(setup->client, handle));
    assert_that(curator_mutex_is_owned_by_current_thread(setup->held));
}

static void on_lost(curator_mutex *mutex, void *context)
{
    struct setup *setup = context;
    assert_that(!curator_mutex_is_acquired_in_this_process(mutex));
    assert_status(CURATOR_WOULD_DEADLOCK, curator_framework_close(setup->client));
    assert_ok(curator_mutex_acquire_for(setup->other, bound_ms(5000)));
    assert_ok(curator_mutex_release(setup->other));
    assert_ok(curator_mutex_destroy(mutex));
    sem_post(&setup->done);
}

/* The node is deleted: the loss callback may lock another mutex, and destroy the one that it is called for. */
static void library_callback(struct setup *setup)
{
    char *node = NULL;
    zhandle_t *handle = curator_framework_borrow_handle(setup->client);
    assert_ok(curator_mutex_on_lost(setup->held, on_lost, setup));
    assert_ok(curator_mutex_lock_path(setup->held, &node));
    assert_that(zoo_delete(handle, node, -1) == ZOK);
    free(node);
    sem_wait(&setup->done);
    assert_ok(curator_framework_return_handle(setup->client, handle));
}

static void on_state(curator_framework *framework, curator_connection_state state, void *context)
{
    if (state == CURATOR_CONNECTED) {
        curator_mutex *mutex = NULL;
        assert_status(CURATOR_WOULD_DEADLOCK, curator_framework_close(framework));
        assert_ok(curator_framework_await_connected(framework, 0));
        assert_ok(curator_mutex_create(&mutex, framework, ((struct setup *)context)->path));
        assert_ok(curator_mutex_acquire_for(mutex, bound_ms(5000)));
        assert_ok(curator_mutex_release(mutex));
        assert_ok(curator_mutex_destroy(mutex));
        assert_ok(curator_framework_remove_connection_listener(framework, on_state, context));
        sem_post(&((struct setup *)context)->done);
    }
}

int main(int argc, char **argv)
{
    const char *path = scenario_argument(argc, argv, 2);
    char other[1024];
    struct setup setup = {.path = path};
    curator_framework_options options = {
        .connect_string = scenario_argument(argc, argv, 1),
        .connection_listener = on_state,
        .connection_listener_context = &setup,
    };
    sem_init(&setup.done, 0, 0);
    assert_ok(curator_framework_open(&setup.client, &options));
    sem_wait(&setup.done);
    snprintf(other, sizeof(other), "%s-other", path);
    assert_ok(curator_mutex_create(&setup.held, setup.client, path));
    assert_ok(curator_mutex_create(&setup.other, setup.client, other));
    assert_ok(curator_mutex_acquire(setup.held));
    zookeeper_callbacks(&setup);
    library_callback(&setup);
    assert_ok(curator_mutex_destroy(setup.other));
    assert_ok(curator_framework_close(setup.client));
    sem_destroy(&setup.done);
    return 0;
}
