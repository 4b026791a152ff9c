/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This host's own name takes long to look up. Connecting does not wait for it, an acquire does not wait it out, and a
 * session that has ended meanwhile is replaced.
 */
#include "scenario.h"

#include "own_names.h"
#include <zookeeper/zookeeper.h>

#define LOOK_UP_MS 9000
#define WITHOUT_LOOK_UP_MS 5000 /* an acquire waits 2 s for it, and a busy machine needs some time */
#define SHORT_MS 1500           /* less than an acquire waits for the look-up */

static void assert_data_size(curator_framework *client, curator_mutex *mutex, bool empty)
{
    char *node = NULL;
    struct Stat stat;
    assert_ok(curator_mutex_lock_path(mutex, &node));
    zhandle_t *handle = curator_framework_borrow_handle(client);
    assert_that(zoo_exists(handle, node, 0, &stat) == ZOK);
    assert_that((stat.dataLength == 0) == empty);
    assert_ok(curator_framework_return_handle(client, handle));
    free(node);
}

static curator_framework *opened(const char *connect_string)
{
    curator_framework *client = NULL;
    assert_ok(curator_framework_open(&client, &(curator_framework_options){.connect_string = connect_string}));
    assert_ok(curator_framework_await_connected(client, bound_ms(10000)));
    return client;
}

static void assert_connected_and_acquired(const char *connect_string, const char *path)
{
    curator_mutex *mutex = NULL;
    curator_mutex *with_data = NULL;
    char other[1024];
    snprintf(other, sizeof other, "%s-other", path);
    atomic_store(&look_up_ms, (int)bound_ms(LOOK_UP_MS));
    int64_t began = now_ms();
    curator_framework *client = opened(connect_string);
    assert_that(now_ms() - began < bound_ms(WITHOUT_LOOK_UP_MS));

    /* data of its own: nothing to wait for */
    assert_ok(curator_mutex_create_with_data(&with_data, client, other, "x", 1));
    assert_ok(curator_mutex_acquire(with_data));
    assert_that(now_ms() - began < bound_ms(WITHOUT_LOOK_UP_MS));
    assert_ok(curator_mutex_release(with_data));

    assert_ok(curator_mutex_create(&mutex, client, path));
    int64_t asked = now_ms();
    assert_ok(curator_mutex_acquire(mutex));
    assert_that(now_ms() - asked < bound_ms(WITHOUT_LOOK_UP_MS));
    assert_data_size(client, mutex, true);
    assert_ok(curator_mutex_release(mutex));

    /* from when the name is known, its address is the data */
    while (atomic_load(&look_ups_in_progress) > 0) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    assert_ok(curator_mutex_acquire(mutex));
    assert_data_size(client, mutex, false);
    assert_ok(curator_mutex_release(mutex));
    assert_ok(curator_mutex_destroy(mutex));
    assert_ok(curator_mutex_destroy(with_data));
    assert_ok(curator_framework_close(client));
}

/* The look-up is waited for once, not by every acquire: else short limits were in vain for as long as it takes. */
static void assert_short_limits_are_enough(const char *connect_string, const char *path)
{
    curator_mutex *mutex = NULL;
    atomic_store(&look_up_ms, (int)bound_ms(2 * LOOK_UP_MS));
    int64_t began = now_ms();
    curator_framework *client = opened(connect_string);
    assert_ok(curator_mutex_create(&mutex, client, path));
    curator_status status = CURATOR_TIMED_OUT;
    while (status != CURATOR_OK && now_ms() - began < bound_ms(WITHOUT_LOOK_UP_MS)) {
        status = curator_mutex_acquire_for(mutex, bound_ms(SHORT_MS));
    }
    assert_ok(status);
    assert_ok(curator_mutex_release(mutex));
    for (int i = 0; i < 3; i++) {
        assert_ok(curator_mutex_acquire_for(mutex, bound_ms(SHORT_MS)));
        assert_ok(curator_mutex_release(mutex));
    }
    assert_ok(curator_mutex_destroy(mutex));
    assert_ok(curator_framework_close(client));
}

static void on_state(curator_framework *client, curator_connection_state state, void *lost)
{
    (void)client;
    if (state == CURATOR_LOST) {
        atomic_store((atomic_bool *)lost, true);
    }
}

static void nothing(zhandle_t *handle, int type, int state, const char *path, void *context)
{
    (void)handle;
    (void)type;
    (void)state;
    (void)path;
    (void)context;
}

/* Joins the client's session and closes it; the client takes it back as often as it can, so more than once. */
static void end_session(const char *connect_string, const clientid_t *id)
{
    zhandle_t *other = zookeeper_init(connect_string, nothing, 5000, id, NULL, 0);
    assert_that(other != NULL);
    int64_t deadline = now_ms() + 100;
    while (zoo_state(other) != ZOO_CONNECTED_STATE && now_ms() < deadline) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    zookeeper_close(other);
}

static void assert_an_ended_session_is_replaced(const char *connect_string)
{
    atomic_bool lost = false;
    atomic_store(&look_up_ms, (int)bound_ms(3 * LOOK_UP_MS));
    curator_framework *client = opened(connect_string);
    assert_ok(curator_framework_add_connection_listener(client, on_state, &lost));
    zhandle_t *handle = curator_framework_borrow_handle(client);
    clientid_t id = *zoo_client_id(handle);
    assert_ok(curator_framework_return_handle(client, handle));
    int64_t deadline = now_ms() + bound_ms(10000);
    while (!atomic_load(&lost) && now_ms() < deadline) {
        end_session(connect_string, &id);
    }
    assert_that(atomic_load(&lost));
    assert_ok(curator_framework_await_connected(client, bound_ms(3000)));
    assert_that(atomic_load(&look_ups_in_progress) > 0);
    assert_ok(curator_framework_close(client));
}

int main(int argc, char **argv)
{
    const char *connect_string = scenario_argument(argc, argv, 1);
    const char *path = scenario_argument(argc, argv, 2);
    const char *what = scenario_argument(argc, argv, 3);
    zoo_set_debug_level((ZooLogLevel)0);
    if (strcmp(what, "short-limits") == 0) {
        assert_short_limits_are_enough(connect_string, path);
    } else if (strcmp(what, "ended-session") == 0) {
        assert_an_ended_session_is_replaced(connect_string);
    } else {
        assert_connected_and_acquired(connect_string, path);
    }
    return 0;
}
