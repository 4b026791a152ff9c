/* SPDX-License-Identifier: Apache-2.0 */
/* What curator_framework_open() refuses and what it takes, without a server. */
#include "scenario.h"

#include <assert.h>
#include <stddef.h>

static void assert_refused(curator_framework_options options, const char *word)
{
    curator_framework *client = (curator_framework *)(uintptr_t)1;
    printf("\"%s\": ", options.connect_string);
    fflush(stdout);
    assert_status(CURATOR_INVALID_ARGUMENT, curator_framework_open(&client, &options));
    printf("%s\n", curator_last_error());
    fflush(stdout);
    assert_that(client == NULL);
    assert_error_mentions(word);
}

static void assert_accepted(curator_framework_options options)
{
    curator_framework *client = NULL;
    printf("\"%s\"\n", options.connect_string);
    fflush(stdout);
    assert_ok(curator_framework_open(&client, &options));
    assert_ok(curator_framework_close(client));
}

static bool never_again(int retry_count, int64_t elapsed_ms, int64_t *sleep_ms, void *context)
{
    (void)retry_count;
    (void)elapsed_ms;
    (void)context;
    *sleep_ms = 0;
    return false;
}

static void connect_strings(void)
{
    static const char *const wrong[] = {
        "",        " , ,",      "/chroot",        ":2181",          "a:1,:2181",          "host:0", "host:65536",
        "host:-1", "host:port", "host:21 81",     "host:2181x",     "ho st:2181",         "[::1",   "[::1]x",
        "[]:2181", "::1:2181",  "127.0.0.1:1//a", "127.0.0.1:1/a/", "127.0.0.1:1/a/../b",
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        assert_refused((curator_framework_options){.connect_string = wrong[i]}, "connect");
    }
    static const char *const right[] = {
        "127.0.0.1",
        "127.0.0.1:",
        "127.0.0.1:1",
        "127.0.0.1:1,127.0.0.1:2",
        " 127.0.0.1:1 ,, 127.0.0.1:2,",
        "127.0.0.1:1,127.0.0.1:2/a/b",
        "127.0.0.1/a",
        "127.0.0.1:1/",
        "[::1]",
        "[::1]:1,127.0.0.1:1/chroot",
        "localhost:1",
        "no-such-host.invalid:2181",
    };
    for (size_t i = 0; i < sizeof(right) / sizeof(*right); i++) {
        assert_accepted((curator_framework_options){.connect_string = right[i]});
    }
}

static void times_and_policies(void)
{
    const char *nowhere = "127.0.0.1:1";
    assert_refused((curator_framework_options){.connect_string = nowhere, .session_timeout_ms = -1},
                   "session_timeout_ms");
    assert_refused((curator_framework_options){.connect_string = nowhere, .connection_timeout_ms = -1},
                   "connection_timeout_ms");
    assert_refused((curator_framework_options){.connect_string = nowhere, .enable_compression = 2},
                   "enable_compression");
    assert_accepted((curator_framework_options){.connect_string = nowhere, .enable_compression = 1});
    curator_retry_policy wrong[] = {
        curator_retry_exponential_backoff(-1, 3),
        curator_retry_exponential_backoff(1000, -3),
        curator_retry_bounded_exponential_backoff(1000, -1, 3),
        curator_retry_n_times(-1, 10),
        curator_retry_n_times(1, -10),
        curator_retry_one_time(-1),
        curator_retry_forever(-1),
        curator_retry_forever(0),
        curator_retry_until_elapsed(-1, 10),
        curator_retry_until_elapsed(10, -1),
        curator_retry_custom(NULL, NULL),
        {0},
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        assert_refused((curator_framework_options){.connect_string = nowhere, .retry_policy = &wrong[i]}, "retry");
    }
    curator_retry_policy right[] = {
        curator_retry_exponential_backoff(0, 0),
        curator_retry_exponential_backoff(1000, 100),
        curator_retry_n_times(0, 0),
        curator_retry_until_elapsed(0, 0),
        curator_retry_forever(1),
    };
    for (size_t i = 0; i < sizeof(right) / sizeof(*right); i++) {
        assert_accepted((curator_framework_options){.connect_string = nowhere, .retry_policy = &right[i]});
    }
}

static void name_spaces(void)
{
    static const char *const wrong[] = {"/a", "a/", "a//b", "..", "a/./b", "a\x01"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        assert_refused((curator_framework_options){.connect_string = "127.0.0.1:1", .name_space = wrong[i]},
                       "name space");
    }
    assert_accepted((curator_framework_options){.connect_string = "127.0.0.1:1", .name_space = "a/b"});
}

/* Where programs that were compiled before put things. A new member takes the first of the reserved ones. */
#ifdef __LP64__
static_assert(offsetof(curator_framework_options, connect_string) == 0, "options");
static_assert(offsetof(curator_framework_options, session_timeout_ms) == 8, "options");
static_assert(offsetof(curator_framework_options, connection_timeout_ms) == 16, "options");
static_assert(offsetof(curator_framework_options, retry_policy) == 24, "options");
static_assert(offsetof(curator_framework_options, name_space) == 32, "options");
static_assert(offsetof(curator_framework_options, auth_scheme) == 40, "options");
static_assert(offsetof(curator_framework_options, auth_credentials) == 48, "options");
static_assert(offsetof(curator_framework_options, acl) == 56, "options");
static_assert(offsetof(curator_framework_options, default_data) == 64, "options");
static_assert(offsetof(curator_framework_options, default_data_size) == 72, "options");
static_assert(offsetof(curator_framework_options, logger) == 80, "options");
static_assert(offsetof(curator_framework_options, connection_listener) == 104, "options");
static_assert(offsetof(curator_framework_options, connection_listener_context) == 112, "options");
static_assert(offsetof(curator_framework_options, tracer) == 120, "options");
static_assert(offsetof(curator_framework_options, enable_compression) == 136, "options");
static_assert(offsetof(curator_framework_options, reserved) == 144, "options");
static_assert(sizeof(curator_tracer) == 16, "tracer");
static_assert(sizeof(curator_framework_options) == 256, "options");
static_assert(offsetof(curator_retry_policy, kind) == 0, "policy");
static_assert(offsetof(curator_retry_policy, max_retries) == 4, "policy");
static_assert(offsetof(curator_retry_policy, sleep_ms) == 8, "policy");
static_assert(offsetof(curator_retry_policy, max_sleep_ms) == 16, "policy");
static_assert(offsetof(curator_retry_policy, max_elapsed_ms) == 24, "policy");
static_assert(offsetof(curator_retry_policy, fn) == 32, "policy");
static_assert(offsetof(curator_retry_policy, context) == 40, "policy");
static_assert(sizeof(curator_retry_policy) == 64, "policy");
static_assert(offsetof(curator_logger, context) == 8, "logger");
static_assert(offsetof(curator_logger, level) == 16, "logger");
static_assert(sizeof(curator_logger) == 24, "logger");
static_assert(offsetof(curator_participants, paths) == 8, "participants");
#endif

/* Memory that was not initialised, or a member of a newer library. */
static void reserved_space(void)
{
    const size_t slots = sizeof((curator_framework_options *)0)->reserved / sizeof(uint64_t);
    for (size_t i = 0; i < slots; i++) {
        curator_framework_options options = {.connect_string = "127.0.0.1:1"};
        options.reserved[i] = UINT64_C(1) << 63;
        assert_refused(options, "reserved");
    }
    for (size_t i = 0; i < 2; i++) {
        curator_retry_policy policy = curator_retry_custom(never_again, NULL);
        policy.reserved[i] = 1;
        assert_refused((curator_framework_options){.connect_string = "127.0.0.1:1", .retry_policy = &policy},
                       "reserved");
    }
}

int main(void)
{
    reserved_space();
    connect_strings();
    times_and_policies();
    name_spaces();
    return 0;
}
