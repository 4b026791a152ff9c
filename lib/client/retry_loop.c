/* SPDX-License-Identifier: Apache-2.0 */
/* One request in whatever session is usable, tried again as the retry policy allows. */
#include "client/retry_loop.h"

#include "zk/result_code.h"

static curator_status try_once(struct call *call, const struct operation *operation, struct request **request)
{
    struct session *session;
    curator_status status = call_await_session(call, &session);
    if (status != CURATOR_OK) {
        return status;
    }
    *request = operation->send(session, call, operation);
    session_unref(session);
    if (*request == NULL) {
        return call_fail(call, CURATOR_NO_MEMORY, "no memory for a request");
    }
    call->waiting_for = "the server's answer";
    int64_t until = clock_after(clock_now(), call->client->settings.connection_timeout_ms);
    while (call->requests.pending > 0 && clock_now() < until) {
        status = call_wait(call, until);
        if (status != CURATOR_OK) {
            return status;
        }
    }
    return CURATOR_OK;
}

curator_status retry_loop_run(struct call *call, const struct operation *operation, struct request **request)
{
    for (;;) {
        *request = NULL;
        curator_status status = try_once(call, operation, request);
        int rc = ZOK;
        if (*request != NULL) {
            rc = (*request)->finished ? (*request)->rc : ZOPERATIONTIMEOUT;
        }
        if (status == CURATOR_OK && (rc == ZOK || rc == ZNONODE)) {
            return CURATOR_OK;
        }
        request_abandon(*request);
        *request = NULL;
        if (status == CURATOR_OK) {
            bool passing = result_code_outcome_unknown(rc) || result_code_session_over(rc);
            status = passing ? call_retry(call, rc) : call_fail_request(call, operation->name, operation->path, rc);
        }
        if (status != CURATOR_OK) {
            return status;
        }
    }
}
