/* SPDX-License-Identifier: Apache-2.0 */
/* Every call refuses every NULL it cannot use, in a sentence, and hands out nothing. Nothing listens on the server. */
#include "scenario.h"
#include <zookeeper/zookeeper.h>

#define assert_refuses_null(call)                                                                                      \
    do {                                                                                                               \
        assert_status(CURATOR_INVALID_ARGUMENT, call);                                                                 \
        assert_error_mentions("NULL");                                                                                 \
    } while (0)

static void ignore_state(curator_framework *framework, curator_connection_state state, void *context)
{
    (void)framework;
    (void)state;
    (void)context;
}

static void framework_calls(const char *connect_string)
{
    curator_framework *client = (curator_framework *)(uintptr_t)1;
    curator_framework_options options = {.connect_string = connect_string};
    assert_refuses_null(curator_framework_open(NULL, &options));
    assert_refuses_null(curator_framework_open(&client, NULL));
    assert_that(client == NULL);
    client = (curator_framework *)(uintptr_t)1;
    assert_refuses_null(curator_framework_open(&client, &(curator_framework_options){0}));
    assert_error_mentions("connect");
    assert_that(client == NULL);
    options.auth_scheme = "digest";
    assert_status(CURATOR_INVALID_ARGUMENT, curator_framework_open(&client, &options));
    assert_error_mentions("auth_credentials");
    options = (curator_framework_options){.connect_string = connect_string, .auth_credentials = "user:password"};
    assert_status(CURATOR_INVALID_ARGUMENT, curator_framework_open(&client, &options));
    assert_error_mentions("auth_scheme");

    curator_connection_state state;
    int64_t timeout_ms;
    assert_refuses_null(curator_framework_close(NULL));
    assert_refuses_null(curator_framework_await_connected(NULL, 0));
    assert_refuses_null(curator_framework_state(NULL, &state));
    assert_refuses_null(curator_framework_session_timeout(NULL, &timeout_ms));
    assert_refuses_null(curator_framework_set_servers(NULL, connect_string));
    assert_refuses_null(curator_framework_add_connection_listener(NULL, ignore_state, NULL));
    assert_refuses_null(curator_framework_remove_connection_listener(NULL, ignore_state, NULL));
    assert_refuses_null(curator_framework_return_handle(NULL, NULL));
    assert_that(curator_framework_borrow_handle(NULL) == NULL);
    assert_error_mentions("NULL");

    assert_ok(curator_framework_open(&client, &(curator_framework_options){.connect_string = connect_string}));
    assert_refuses_null(curator_framework_state(client, NULL));
    assert_refuses_null(curator_framework_session_timeout(client, NULL));
    assert_refuses_null(curator_framework_set_servers(client, NULL));
    assert_refuses_null(curator_framework_add_connection_listener(client, NULL, NULL));
    assert_refuses_null(curator_framework_remove_connection_listener(client, NULL, NULL));
    assert_status(CURATOR_INVALID_ARGUMENT, curator_framework_return_handle(client, NULL));
    assert_ok(curator_framework_add_connection_listener(client, ignore_state, NULL));
    assert_status(CURATOR_INVALID_ARGUMENT, curator_framework_add_connection_listener(client, ignore_state, NULL));
    assert_ok(curator_framework_remove_connection_listener(client, ignore_state, NULL));
    assert_status(CURATOR_INVALID_ARGUMENT, curator_framework_remove_connection_listener(client, ignore_state, NULL));
    assert_that(curator_framework_borrow_handle(client) == NULL);
    assert_that(curator_last_error()[0] != '\0');
    assert_ok(curator_framework_close(client));
}

static void mutex_calls(const char *connect_string)
{
    curator_framework *client = NULL;
    curator_mutex *mutex = (curator_mutex *)(uintptr_t)1;
    curator_participants *participants = NULL;
    char *path = NULL;
    int64_t token;
    zoo_op_t op;
    assert_ok(curator_framework_open(&client, &(curator_framework_options){.connect_string = connect_string}));
    assert_refuses_null(curator_mutex_create(NULL, client, "/a"));
    assert_refuses_null(curator_mutex_create(&mutex, NULL, "/a"));
    assert_that(mutex == NULL);
    assert_refuses_null(curator_mutex_create(&mutex, client, NULL));
    assert_refuses_null(curator_mutex_create_with_data(NULL, client, "/a", "x", 1));
    assert_refuses_null(curator_mutex_create_with_data(&mutex, NULL, "/a", "x", 1));
    assert_refuses_null(curator_mutex_create_with_data(&mutex, client, NULL, "x", 1));
    assert_refuses_null(curator_mutex_create_with_data(&mutex, client, "/a", NULL, 1));
    assert_that(mutex == NULL);
    assert_refuses_null(curator_mutex_destroy(NULL));
    assert_refuses_null(curator_mutex_acquire(NULL));
    assert_refuses_null(curator_mutex_acquire_for(NULL, 10));
    assert_refuses_null(curator_mutex_release(NULL));
    assert_refuses_null(curator_mutex_release_for(NULL, 10));
    assert_refuses_null(curator_mutex_interrupt(NULL));
    assert_that(!curator_mutex_is_acquired_in_this_process(NULL));
    assert_that(!curator_mutex_is_owned_by_current_thread(NULL));
    assert_refuses_null(curator_mutex_participants(NULL, &participants));
    assert_refuses_null(curator_mutex_lock_path(NULL, &path));
    assert_refuses_null(curator_mutex_fencing_token(NULL, &token));
    assert_refuses_null(curator_mutex_guard(NULL, &op));
    assert_refuses_null(curator_mutex_on_lost(NULL, NULL, NULL));
    curator_participants_free(NULL);

    assert_ok(curator_mutex_create_with_data(&mutex, client, "/a", NULL, 0));
    assert_refuses_null(curator_mutex_participants(mutex, NULL));
    assert_refuses_null(curator_mutex_lock_path(mutex, NULL));
    assert_refuses_null(curator_mutex_fencing_token(mutex, NULL));
    assert_refuses_null(curator_mutex_guard(mutex, NULL));
    assert_ok(curator_mutex_on_lost(mutex, NULL, NULL));
    path = (char *)(uintptr_t)1;
    assert_status(CURATOR_NOT_OWNER, curator_mutex_lock_path(mutex, &path));
    assert_that(path == NULL);
    assert_status(CURATOR_NOT_OWNER, curator_mutex_fencing_token(mutex, &token));
    assert_status(CURATOR_NOT_OWNER, curator_mutex_guard(mutex, &op));
    assert_ok(curator_mutex_destroy(mutex));
    assert_ok(curator_framework_close(client));
}

static void endangered(curator_mutex *mutex, void *context)
{
    (void)mutex;
    (void)context;
}

static void supervisor_calls(const char *connect_string)
{
    curator_framework *client = NULL;
    curator_mutex *mutex = NULL;
    curator_contenders *contenders = NULL;
    int64_t remaining_ms;
    assert_refuses_null(curator_process_identity(NULL));
    assert_refuses_null(curator_mutex_contenders(NULL, &contenders));
    assert_refuses_null(curator_mutex_lease_remaining(NULL, &remaining_ms));
    assert_refuses_null(curator_mutex_on_endangered(NULL, 1000, endangered, NULL));
    curator_contenders_free(NULL);
    assert_ok(curator_framework_open(
        &client, &(curator_framework_options){.connect_string = connect_string, .session_timeout_ms = 4000}));
    assert_ok(curator_mutex_create(&mutex, client, "/a"));
    assert_refuses_null(curator_mutex_contenders(mutex, NULL));
    assert_refuses_null(curator_mutex_lease_remaining(mutex, NULL));
    assert_status(CURATOR_NOT_OWNER, curator_mutex_lease_remaining(mutex, &remaining_ms));
    assert_status(CURATOR_INVALID_ARGUMENT, curator_mutex_on_endangered(mutex, 0, endangered, NULL));
    assert_status(CURATOR_INVALID_ARGUMENT, curator_mutex_on_endangered(mutex, -1, endangered, NULL));
    assert_status(CURATOR_INVALID_ARGUMENT, curator_mutex_on_endangered(mutex, 1001, endangered, NULL));
    assert_error_mentions("1 to 1000");
    assert_status(CURATOR_INVALID_ARGUMENT, curator_mutex_on_endangered(mutex, INT64_MAX, endangered, NULL));
    assert_ok(curator_mutex_on_endangered(mutex, 1000, endangered, NULL));
    assert_ok(curator_mutex_on_endangered(mutex, -1, NULL, NULL));
    assert_ok(curator_mutex_destroy(mutex));
    assert_ok(curator_framework_close(client));
}

int main(int argc, char **argv)
{
    const char *connect_string = scenario_argument(argc, argv, 1);
    assert_that(curator_last_error()[0] == '\0');
    assert_that(strcmp(curator_status_string(CURATOR_TIMED_OUT), "CURATOR_TIMED_OUT") == 0);
    assert_that(curator_status_string((curator_status)-1) != NULL);
    assert_that(curator_status_string((curator_status)1000) != NULL);
    framework_calls(connect_string);
    mutex_calls(connect_string);
    supervisor_calls(connect_string);
    return 0;
}
