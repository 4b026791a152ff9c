/* SPDX-License-Identifier: Apache-2.0 */
/* One blocking call of the user. */
#include "client/call.h"

#include "base/callback_thread.h"
#include "base/error.h"
#include "base/log.h"
#include "base/trace.h"
#include "client/retry_policy.h"
#include "client/servers_text.h"
#include "zk/result_code.h"

#include <stdarg.h>
#include <stdio.h>
#include <sys/random.h>
#include <utlist.h>
#include <zookeeper/zookeeper.h>

#define DETAIL_SIZE 1024

curator_status call_fail(const struct call *call, curator_status status, const char *format, ...)
{
    char detail[DETAIL_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    const char *path = call->path != NULL ? call->path : "";
    return fail(status, "%s%s%.200s: %s", call->caller, call->path != NULL ? " " : "", path, detail);
}

curator_status call_fail_request(const struct call *call, const char *operation, const char *path, int rc)
{
    return call_fail(call, result_code_status(rc), "%s failed: %s; its path is %s", operation, result_code_text(rc),
                     path);
}

curator_status call_fail_credentials(const struct call *call)
{
    return call_fail(call, CURATOR_NO_AUTH, "the server refused the credentials of scheme \"%s\"",
                     call->client->settings.auth_scheme);
}

curator_status call_begin(struct call *call, struct client *client, const void *owner, const char *caller,
                          const char *path, int64_t deadline)
{
    *call = (struct call){.client = client,
                          .owner = owner,
                          .caller = caller,
                          .path = path,
                          .started = clock_now(),
                          .deadline = deadline,
                          .at_deadline = CURATOR_TIMED_OUT,
                          .connect_by = NEVER,
                          .waiting_for = "nothing yet"};
    if (client->sessions.closing) {
        return call_fail(call, CURATOR_CLOSED, "the framework is closed");
    }
    if (callback_thread_is_current()) {
        return call_fail(call, CURATOR_WOULD_DEADLOCK,
                         "called from a ZooKeeper callback, whose thread has to bring the answer");
    }
    call->waker = waker_take(&client->wakers);
    call->requests = (struct wait_group){.wakers = &client->wakers, .waker = call->waker};
    DL_APPEND(client->calls, call);
    return CURATOR_OK;
}

void call_end(struct call *call)
{
    DL_DELETE(call->client->calls, call);
    waker_give_back(&call->client->wakers, call->waker);
    pthread_cond_broadcast(&call->client->quiet);
}

void call_wake(struct call *call)
{
    waker_signal(&call->client->wakers, call->waker);
}

void call_interrupt_all(struct client *client, const void *owner)
{
    struct call *call;
    DL_FOREACH (client->calls, call) {
        if (call->owner == owner) {
            call->interrupted = true;
            call_wake(call);
        }
    }
}

void call_close_all(struct client *client, const void *owner)
{
    struct call *call;
    DL_FOREACH (client->calls, call) {
        if (call->owner == owner) {
            call->owner_closed = true;
            call_wake(call);
        }
    }
}

bool call_any(const struct client *client, const void *owner)
{
    struct call *call;
    DL_SEARCH_SCALAR(client->calls, call, owner, owner);
    return call != NULL;
}

static curator_status past_deadline(const struct call *call)
{
    long long after = (long long)((clock_now() - call->started) / NANOSECONDS_PER_MILLISECOND);
    char servers[SERVERS_TEXT_SIZE];
    if (connection_usable_session(&call->client->connection) != NULL) {
        return call_fail(call, call->at_deadline, "gave up after %lld ms, waiting for %s", after, call->waiting_for);
    }
    return call_fail(call, call->at_deadline, "gave up after %lld ms, waiting for %s; no connection to %s", after,
                     call->waiting_for, servers_text(&call->client->connection, servers));
}

curator_status call_check(struct call *call)
{
    if (call->client->sessions.closing) {
        return call_fail(call, CURATOR_CLOSED, "the framework was closed during the call");
    }
    if (call->owner_closed) {
        return call_fail(call, CURATOR_CLOSED, "the object was destroyed during the call");
    }
    if (call->interrupted) {
        return call_fail(call, CURATOR_INTERRUPTED, "interrupted while waiting for %s", call->waiting_for);
    }
    if (call->deadline != NEVER && clock_now() >= call->deadline) {
        return past_deadline(call);
    }
    return CURATOR_OK;
}

curator_status call_wait(struct call *call, int64_t until)
{
    curator_status status = call_check(call);
    if (status == CURATOR_OK) {
        condition_wait_until(&call->waker->condition, &call->client->mutex,
                             until < call->deadline ? until : call->deadline);
    }
    return status;
}

curator_status call_await_requests(struct call *call)
{
    while (call->requests.pending > 0) {
        curator_status status = call_wait(call, NEVER);
        if (status != CURATOR_OK) {
            return status;
        }
    }
    return CURATOR_OK;
}

static curator_status await_usable(struct call *call, struct session *session)
{
    call->waiting_for = "a connection";
    if (call->connect_by == NEVER) {
        call->connect_by = clock_after(clock_now(), call->client->settings.connection_timeout_ms);
    }
    for (;;) {
        const struct session *wanted = session != NULL ? session : call->client->connection.session;
        if (session != NULL && session_is_dead(session)) {
            return CURATOR_SESSION_EXPIRED;
        }
        if (wanted != NULL && session_usable(wanted)) {
            call->connect_by = NEVER;
            return CURATOR_OK;
        }
        if (call->client->sessions.auth_refused) {
            return call_fail_credentials(call);
        }
        curator_status status =
            clock_now() >= call->connect_by ? call_retry(call, ZCONNECTIONLOSS) : call_wait(call, call->connect_by);
        if (status != CURATOR_OK) {
            return status;
        }
    }
}

curator_status call_await_session(struct call *call, struct session **session)
{
    curator_status status = await_usable(call, NULL);
    if (status == CURATOR_OK) {
        *session = call->client->connection.session;
        session_ref(*session);
    }
    return status;
}

curator_status call_await_reconnected(struct call *call, struct session *session)
{
    return await_usable(call, session);
}

static struct retry_answer ask_policy(struct call *call)
{
    struct client *client = call->client;
    uint32_t random = 0;
    if (getrandom(&random, sizeof random, GRND_NONBLOCK) != (ssize_t)sizeof random) {
        random = (uint32_t)clock_now();
    }
    int64_t elapsed = (clock_now() - call->started) / NANOSECONDS_PER_MILLISECOND;
    /* A custom policy is the user's code: no lock is held while it runs. The call itself keeps the client alive. */
    pthread_mutex_unlock(&client->mutex);
    struct retry_answer answer = retry_policy_allow(&client->settings.retry_policy, call->retries, elapsed, random);
    pthread_mutex_lock(&client->mutex);
    return answer;
}

static curator_status call_give_up(const struct call *call, int rc)
{
    long long after = (long long)((clock_now() - call->started) / NANOSECONDS_PER_MILLISECOND);
    const char *retries = call->retries == 1 ? "retry" : "retries";
    char servers[SERVERS_TEXT_SIZE];
    if (connection_usable_session(&call->client->connection) == NULL) {
        return call_fail(call, result_code_status(rc), "gave up after %lld ms and %d %s: no connection to %s", after,
                         call->retries, retries, servers_text(&call->client->connection, servers));
    }
    return call_fail(call, result_code_status(rc), "gave up after %lld ms and %d %s, waiting for %s: %s", after,
                     call->retries, retries, call->waiting_for, result_code_text(rc));
}

static void report_retry(const struct call *call, int rc, int64_t failed_at)
{
    const struct client_settings *settings = &call->client->settings;
    log_line(&settings->logger, CURATOR_LOG_DEBUG, "%s %s: retry %d after %.0f ms: %s", call->caller, call->path,
             call->retries, clock_ms_since(failed_at), result_code_text(rc));
    trace_event(&settings->tracer, &(curator_trace){.event = CURATOR_TRACE_RETRY,
                                                    .status = result_code_status(rc),
                                                    .path = call->path,
                                                    .duration_ns = clock_now() - failed_at});
}

curator_status call_retry(struct call *call, int rc)
{
    if (call->client->sessions.auth_refused) {
        return call_fail_credentials(call);
    }
    int64_t failed_at = clock_now();
    struct retry_answer answer = ask_policy(call);
    if (!answer.allowed) {
        return call_give_up(call, rc);
    }
    call->retries++;
    int64_t until = clock_after(clock_now(), answer.sleep_ms);
    while (clock_now() < until) {
        if (call->retries == 1 && connection_usable_session(&call->client->connection) != NULL) {
            break; /* what had failed is back; later retries keep the pause, so that nothing spins */
        }
        curator_status status = call_wait(call, until);
        if (status != CURATOR_OK) {
            return status;
        }
    }
    curator_status status = call_check(call);
    if (status == CURATOR_OK) {
        report_retry(call, rc, failed_at);
    }
    return status;
}
