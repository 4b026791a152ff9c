/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls from callbacks: on the ZooKeeper client's thread every blocking call fails at once with CURATOR_WOULD_DEADLOCK;
 * on the framework's own callback thread all calls work except closing the framework.
 */
#include "scenario.h"
#include <semaphore.h>
#include <zookeeper/zookeeper.h>

struct stage {
    curator_framework *client;
    curator_mutex *held;
    curator_mutex *other;
    const char *path;
    sem_t done;
};

static void assert_blocking_calls_refuse(struct stage *stage)
{
    curator_participants *participants = NULL;
    int64_t began = now_ms();
    assert_status(CURATOR_WOULD_DEADLOCK, curator_mutex_acquire(stage->held));
    assert_error_mentions("callback");
    assert_status(CURATOR_WOULD_DEADLOCK, curator_mutex_acquire_for(stage->other, 0));
    assert_status(CURATOR_WOULD_DEADLOCK, curator_mutex_release(stage->held));
    assert_status(CURATOR_WOULD_DEADLOCK, curator_mutex_participants(stage->held, &participants));
    assert_status(CURATOR_WOULD_DEADLOCK, curator_mutex_destroy(stage->held));
    assert_status(CURATOR_WOULD_DEADLOCK, curator_framework_await_connected(stage->client, 1000));
    assert_status(CURATOR_WOULD_DEADLOCK, curator_framework_close(stage->client));
    assert_that(now_ms() - began < bound_ms(200));

    /* what does not block is answered */
    curator_connection_state state;
    assert_ok(curator_framework_state(stage->client, &state));
    assert_that(state == CURATOR_CONNECTED);
    assert_that(curator_mutex_is_acquired_in_this_process(stage->held));
    assert_that(!curator_mutex_is_owned_by_current_thread(stage->held));
    assert_ok(curator_mutex_interrupt(stage->held));
}

static void on_watch(zhandle_t *handle, int type, int state, const char *path, void *context)
{
    (void)handle;
    (void)path;
    struct stage *stage = context;
    if (type == ZOO_CHANGED_EVENT && state == ZOO_CONNECTED_STATE) {
        assert_blocking_calls_refuse(stage);
        sem_post(&stage->done);
    }
}

static void on_completion(int rc, const struct Stat *stat, const void *context)
{
    (void)rc;
    (void)stat;
    struct stage *stage = (struct stage *)(uintptr_t)context;
    assert_blocking_calls_refuse(stage);
    sem_post(&stage->done);
}

static void zookeeper_callbacks(struct stage *stage)
{
    zhandle_t *handle = curator_framework_borrow_handle(stage->client);
    assert_that(handle != NULL);
    assert_that(zoo_aexists(handle, stage->path, 0, on_completion, stage) == ZOK);
    sem_wait(&stage->done);
    assert_that(zoo_wexists(handle, stage->path, on_watch, stage, NULL) == ZOK);
    assert_that(zoo_set(handle, stage->path, "x", 1, -1) == ZOK);
    sem_wait(&stage->done);
    assert_ok(curator_framework_return_handle(stage->client, handle));
    assert_that(curator_mutex_is_owned_by_current_thread(stage->held));
}

static void on_lost(curator_mutex *mutex, void *context)
{
    struct stage *stage = context;
    assert_that(!curator_mutex_is_acquired_in_this_process(mutex));
    assert_status(CURATOR_WOULD_DEADLOCK, curator_framework_close(stage->client));
    assert_ok(curator_mutex_acquire_for(stage->other, bound_ms(5000)));
    assert_ok(curator_mutex_release(stage->other));
    assert_ok(curator_mutex_destroy(mutex));
    sem_post(&stage->done);
}

/* The node is deleted: the loss callback may lock another mutex, and destroy the one that it is called for. */
static void library_callback(struct stage *stage)
{
    char *node = NULL;
    zhandle_t *handle = curator_framework_borrow_handle(stage->client);
    assert_ok(curator_mutex_on_lost(stage->held, on_lost, stage));
    assert_ok(curator_mutex_lock_path(stage->held, &node));
    assert_that(zoo_delete(handle, node, -1) == ZOK);
    free(node);
    sem_wait(&stage->done);
    assert_ok(curator_framework_return_handle(stage->client, handle));
}

static void on_state(curator_framework *framework, curator_connection_state state, void *context)
{
    if (state == CURATOR_CONNECTED) {
        curator_mutex *mutex = NULL;
        assert_status(CURATOR_WOULD_DEADLOCK, curator_framework_close(framework));
        assert_ok(curator_framework_await_connected(framework, 0));
        assert_ok(curator_mutex_create(&mutex, framework, ((struct stage *)context)->path));
        assert_ok(curator_mutex_acquire_for(mutex, bound_ms(5000)));
        assert_ok(curator_mutex_release(mutex));
        assert_ok(curator_mutex_destroy(mutex));
        assert_ok(curator_framework_remove_connection_listener(framework, on_state, context));
        sem_post(&((struct stage *)context)->done);
    }
}

int main(int argc, char **argv)
{
    const char *path = scenario_argument(argc, argv, 2);
    char other[1024];
    struct stage stage = {.path = path};
    curator_framework_options options = {
        .connect_string = scenario_argument(argc, argv, 1),
        .connection_listener = on_state,
        .connection_listener_context = &stage,
    };
    sem_init(&stage.done, 0, 0);
    assert_ok(curator_framework_open(&stage.client, &options));
    sem_wait(&stage.done);
    snprintf(other, sizeof(other), "%s-other", path);
    assert_ok(curator_mutex_create(&stage.held, stage.client, path));
    assert_ok(curator_mutex_create(&stage.other, stage.client, other));
    assert_ok(curator_mutex_acquire(stage.held));
    zookeeper_callbacks(&stage);
    library_callback(&stage);
    assert_ok(curator_mutex_destroy(stage.other));
    assert_ok(curator_framework_close(stage.client));
    sem_destroy(&stage.done);
    return 0;
}
