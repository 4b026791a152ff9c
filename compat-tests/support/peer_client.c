/* SPDX-License-Identifier: Apache-2.0 */
/* The verbs of the C peer on clients: opening with options, states, sessions, log lines. */
#include "peer.h"
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zookeeper/zookeeper.h>

static void on_state(curator_framework *framework, curator_connection_state state, void *context)
{
    (void)framework;
    send_event("state", ((struct entry *)context)->name, curator_connection_state_string(state));
}

static void log_to_stderr(curator_log_level level, const char *message, void *context)
{
    fprintf(stderr, "%.3f %s log %d: %s\n", monotonic_ms(), (const char *)context, (int)level, message);
}

#define SLOW_LINES 3
#define SLOW_LINE_MS 4000

/* Blocks at its first lines, each for as long as the session of the test that asks for it lasts. */
static void log_slowly(curator_log_level level, const char *message, void *context)
{
    static atomic_int lines;
    log_to_stderr(level, message, context);
    if (atomic_fetch_add(&lines, 1) < SLOW_LINES) {
        nanosleep(&(struct timespec){.tv_sec = SLOW_LINE_MS / 1000}, NULL);
    }
}

static void trace_to_stderr(const curator_trace *trace, void *context)
{
    static const char *const names[] = {"acquire", "wait", "hold", "release", "retry", "loss", "reconnect"};
    fprintf(stderr, "%.3f %s trace %s %s %s %.3f %lld %zu %lu\n", monotonic_ms(), (const char *)context,
            names[trace->event], curator_status_string(trace->status), trace->path != NULL ? trace->path : "-",
            (double)trace->duration_ns / 1e6, (long long)trace->session_id, trace->queued_behind, trace->dropped);
}

/* "exp:100:3", "bexp:100:1000:3", "n:3:100", "once:100", "forever:100", "until:5000:100" */
static bool retry_parse(const char *text, curator_retry_policy *policy)
{
    char kind[16];
    long long a = 0;
    long long b = 0;
    long long c = 0;
    int count = sscanf(text, "%15[a-z]:%lld:%lld:%lld", kind, &a, &b, &c);
    if (count == 3 && strcmp(kind, "exp") == 0) {
        *policy = curator_retry_exponential_backoff(a, (int)b);
    } else if (count == 4 && strcmp(kind, "bexp") == 0) {
        *policy = curator_retry_bounded_exponential_backoff(a, b, (int)c);
    } else if (count == 3 && strcmp(kind, "n") == 0) {
        *policy = curator_retry_n_times((int)a, b);
    } else if (count == 2 && strcmp(kind, "once") == 0) {
        *policy = curator_retry_one_time(a);
    } else if (count == 2 && strcmp(kind, "forever") == 0) {
        *policy = curator_retry_forever(a);
    } else if (count == 3 && strcmp(kind, "until") == 0) {
        *policy = curator_retry_until_elapsed(a, b);
    } else {
        return false;
    }
    return true;
}

/* One "key=value" of the verb `open`. */
static bool option_set(curator_framework_options *options, curator_retry_policy *policy, const struct token *token)
{
    char *value = strchr(token->bytes, '=');
    if (value == NULL) {
        return false;
    }
    size_t size = (size_t)(value - token->bytes);
    value++;
#define IS(key) (strlen(key) == size && strncmp(token->bytes, key, size) == 0)
    if (IS("connect")) {
        options->connect_string = value;
    } else if (IS("session_timeout")) {
        options->session_timeout_ms = strtoll(value, NULL, 10);
    } else if (IS("connection_timeout")) {
        options->connection_timeout_ms = strtoll(value, NULL, 10);
    } else if (IS("retry")) {
        options->retry_policy = policy;
        return retry_parse(value, policy);
    } else if (IS("namespace")) {
        options->name_space = value;
    } else if (IS("auth_scheme")) {
        options->auth_scheme = value;
    } else if (IS("auth")) {
        options->auth_credentials = value;
    } else if (IS("acl")) {
        options->acl = strcmp(value, "creator") == 0 ? &ZOO_CREATOR_ALL_ACL : &ZOO_OPEN_ACL_UNSAFE;
    } else if (IS("default_data")) {
        options->default_data = value;
        options->default_data_size = token->size - size - 1;
    } else if (IS("compress")) {
        options->enable_compression = strtoll(value, NULL, 10);
    } else if (IS("log")) {
        options->logger.log = log_to_stderr;
        options->logger.level = CURATOR_LOG_DEBUG;
    } else if (IS("log_warnings")) {
        options->logger.log = log_to_stderr;
        options->logger.level = CURATOR_LOG_WARN;
    } else if (IS("trace")) {
        options->tracer.trace = trace_to_stderr;
    } else if (IS("slow_log")) {
        options->logger.log = log_slowly;
        options->logger.level = CURATOR_LOG_WARN;
    } else {
        return false;
    }
    return true;
#undef IS
}

/* open <client> <key>=<value>... */
bool client_open(const struct request *request, struct answer *answer)
{
    curator_framework_options options = {0};
    curator_retry_policy policy;
    struct entry *entry = entry_new(argument(request, 0));
    bool known = true;
    for (size_t i = 4; i < request->count && known; i++) {
        known = option_set(&options, &policy, &request->arguments[i]);
    }
    options.logger.context = entry->name;
    options.tracer.context = entry->name;
    options.connection_listener = on_state;
    options.connection_listener_context = entry;
    if (known) {
        answer->status = curator_framework_open(&entry->client, &options);
    }
    entry_add(&clients, entry);
    return known;
}

static void client_session(curator_framework *client, struct answer *answer)
{
    zhandle_t *handle = curator_framework_borrow_handle(client);
    if (handle == NULL) {
        answer->status = CURATOR_ERROR;
        return;
    }
    const clientid_t *id = zoo_client_id(handle);
    char password[2 * sizeof(id->passwd) + 1];
    for (size_t i = 0; i < sizeof(id->passwd); i++) {
        snprintf(password + 2 * i, 3, "%02x", (unsigned)(unsigned char)id->passwd[i]);
    }
    line_add_number(&answer->values, id->client_id);
    line_add(&answer->values, password);
    answer->status = curator_framework_return_handle(client, handle);
}

bool client_verb(const struct request *request, struct answer *answer)
{
    const char *verb = request->verb;
    struct entry *entry = entry_find(&clients, argument(request, 0));
    if (entry == NULL) {
        return false;
    }
    if (strcmp(verb, "await") == 0) {
        answer->status = curator_framework_await_connected(entry->client, strtoll(argument(request, 1), NULL, 10));
    } else if (strcmp(verb, "state") == 0) {
        curator_connection_state state = CURATOR_CONNECTING;
        answer->status = curator_framework_state(entry->client, &state);
        line_add(&answer->values, curator_connection_state_string(state));
    } else if (strcmp(verb, "session_timeout") == 0) {
        int64_t timeout_ms = -1;
        answer->status = curator_framework_session_timeout(entry->client, &timeout_ms);
        line_add_number(&answer->values, timeout_ms);
    } else if (strcmp(verb, "set_servers") == 0) {
        answer->status = curator_framework_set_servers(entry->client, argument(request, 1));
    } else if (strcmp(verb, "session") == 0) {
        client_session(entry->client, answer);
    } else if (strcmp(verb, "close") == 0) {
        answer->status = curator_framework_close(entry->client);
        if (answer->status != CURATOR_WOULD_DEADLOCK) {
            entry_end(entry);
        }
    } else {
        return false;
    }
    return true;
}
