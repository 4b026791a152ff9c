/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a client, asking it, and closing it, while memory fails. */
#include "trial.h"

#define DATA "default data"
#define NAME_SPACE "memory/space"

static void on_state(curator_framework *client, curator_connection_state state, void *context)
{
    (void)client;
    struct setup *setup = context;
    if (state == CURATOR_CONNECTED) {
        atomic_fetch_add(&setup->told, 1);
    }
}

static void discard_line(curator_log_level level, const char *line, void *context)
{
    (void)level;
    (void)line;
    (void)context;
}

static curator_status open_with_all_options(struct setup *setup)
{
    curator_framework_options options = trial_options(setup);
    options.name_space = NAME_SPACE;
    options.auth_scheme = "digest";
    options.auth_credentials = "user:password";
    options.acl = &ZOO_OPEN_ACL_UNSAFE;
    options.default_data = DATA;
    options.default_data_size = strlen(DATA);
    options.logger = (curator_logger){.log = discard_line};
    options.connection_listener = on_state;
    options.connection_listener_context = setup;
    return curator_framework_open(&setup->own_client, &options);
}

static void make_own_client(struct setup *setup)
{
    curator_framework_options options = trial_options(setup);
    assert_ok(curator_framework_open(&setup->own_client, &options));
    assert_ok(curator_framework_await_connected(setup->own_client, bound_ms(LONG_MS)));
}

static void close_own_client(struct setup *setup)
{
    if (setup->own_client != NULL) {
        assert_ok(curator_framework_close(setup->own_client));
        setup->own_client = NULL;
    }
}

/* A client that was opened is a whole one, however little memory there was. */
static void verify_all_options(struct setup *setup, curator_status status)
{
    assert_that((setup->own_client != NULL) == (status == CURATOR_OK));
    if (status != CURATOR_OK) {
        return;
    }
    assert_ok(curator_framework_await_connected(setup->own_client, bound_ms(LONG_MS)));
    await_that(atomic_load(&setup->told) == 1);
    curator_mutex *mutex = NULL;
    char *node = NULL;
    char full[512], data[64] = "";
    int size = sizeof data;
    assert_ok(curator_mutex_create(&mutex, setup->own_client, setup->path));
    assert_ok(curator_mutex_acquire_for(mutex, bound_ms(LONG_MS)));
    assert_ok(curator_mutex_lock_path(mutex, &node));
    snprintf(full, sizeof full, "/" NAME_SPACE "%s", node);
    assert_that(zoo_get(setup->admin, full, 0, data, &size, NULL) == ZOK);
    assert_that(size == (int)strlen(DATA) && memcmp(data, DATA, strlen(DATA)) == 0);
    free(node);
    assert_ok(curator_mutex_release(mutex));
    assert_ok(curator_mutex_destroy(mutex));
}

static curator_status open_and_connect_to(struct setup *setup, const char *servers)
{
    curator_framework_options options = trial_options(setup);
    options.connect_string = servers;
    curator_status status = curator_framework_open(&setup->own_client, &options);
    if (status == CURATOR_OK) {
        status = await_connected(setup, setup->own_client);
    }
    return status;
}

static curator_status open_and_connect(struct setup *setup)
{
    return open_and_connect_to(setup, setup->connect_string);
}

/* Nothing listens on the first one: a list that has lost its second server never connects. */
static curator_status open_and_connect_to_the_second(struct setup *setup)
{
    char servers[128];
    snprintf(servers, sizeof servers, "127.0.0.1:1,%s", setup->connect_string);
    return open_and_connect_to(setup, servers);
}

/* This host's own address is the default data; a Java peer sees the same data whether memory was short or not. */
static void verify_connected(struct setup *setup, curator_status status)
{
    (void)status;
    if (setup->own_client == NULL) {
        return;
    }
    assert_ok(curator_framework_await_connected(setup->own_client, bound_ms(LONG_MS)));
    curator_mutex *mutex = NULL;
    char *node = NULL;
    struct Stat stat = {0};
    assert_ok(curator_mutex_create(&mutex, setup->own_client, setup->path));
    assert_ok(curator_mutex_acquire_for(mutex, bound_ms(LONG_MS)));
    assert_ok(curator_mutex_lock_path(mutex, &node));
    assert_that(zoo_exists(setup->admin, node, 0, &stat) == ZOK);
    assert_that(stat.dataLength > 0);
    free(node);
    assert_ok(curator_mutex_release(mutex));
    assert_ok(curator_mutex_destroy(mutex));
}

static void prepare_close(struct setup *setup)
{
    make_own_client(setup);
    assert_ok(curator_mutex_create(&setup->mutex, setup->own_client, setup->path));
    assert_ok(curator_mutex_acquire_for(setup->mutex, bound_ms(LONG_MS)));
    assert_that(children_of(setup, setup->path) == 1);
}

static curator_status close_client(struct setup *setup)
{
    return curator_framework_close(setup->own_client);
}

/* Closing works without memory: in time, and the session is gone on the server. */
static void verify_closed(struct setup *setup, curator_status status)
{
    assert_status(CURATOR_OK, status);
    assert_that(children_of(setup, setup->path) == 0);
    destroy_mutex(setup);
    setup->own_client = NULL;
}

static curator_status lend(struct setup *setup)
{
    zhandle_t *handle = curator_framework_borrow_handle(setup->client);
    assert_that(handle != NULL);
    return curator_framework_return_handle(setup->client, handle);
}

static curator_status ask(struct setup *setup)
{
    curator_connection_state state;
    int64_t timeout_ms;
    assert_ok(curator_framework_state(setup->client, &state));
    assert_ok(curator_framework_session_timeout(setup->client, &timeout_ms));
    return curator_framework_await_connected(setup->client, 0);
}

static curator_status add_listener(struct setup *setup)
{
    return curator_framework_add_connection_listener(setup->client, on_state, setup);
}

static void verify_listener(struct setup *setup, curator_status status)
{
    assert_status(status == CURATOR_OK ? CURATOR_OK : CURATOR_INVALID_ARGUMENT,
                  curator_framework_remove_connection_listener(setup->client, on_state, setup));
    assert_ok(add_listener(setup));
    assert_ok(curator_framework_remove_connection_listener(setup->client, on_state, setup));
}

const struct trial framework_trials[] = {
    {.name = "open",
     .at_least = 15,
     .call = open_with_all_options,
     .verify = verify_all_options,
     .finish = close_own_client},
    {.name = "open_and_connect",
     .at_least = 15,
     .call = open_and_connect,
     .verify = verify_connected,
     .finish = close_own_client,
     .also = CURATOR_TIMED_OUT},
    {.name = "open_and_connect_to_the_second",
     .at_least = 15,
     .call = open_and_connect_to_the_second,
     .verify = verify_connected,
     .finish = close_own_client,
     .also = CURATOR_TIMED_OUT},
    {.name = "close", .at_least = 1, .prepare = prepare_close, .call = close_client, .verify = verify_closed},
    {.name = "borrow_and_return", .call = lend},
    {.name = "state", .call = ask},
    {.name = "add_connection_listener", .at_least = 1, .call = add_listener, .verify = verify_listener},
    {0},
};
