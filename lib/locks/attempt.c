/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of an attempt: its node, the parents of that, the list of children. */
#include "locks/attempt.h"

#include "client/result_code.h"
#include "framework/parents.h"

#include <stdlib.h>
#include <string.h>

/* How long after the opening of the client an acquire waits for the look-up of this host's own address; without it its
 * node has no data. */
#define HOST_ADDRESS_MS 2000

curator_status attempt_judge(struct attempt *attempt, const char *operation, const char *path, int rc)
{
    if (rc == ZNONODE || result_code_session_over(rc)) {
        attempt->restart = rc;
        return CURATOR_OK;
    }
    return call_fail_request(attempt->call, operation, path, rc);
}

static curator_status create_parents(struct attempt *attempt)
{
    const char *path = attempt->mutex->full_path;
    struct parents_failure failure;
    curator_status status = parents_create(attempt->mutex->framework, attempt->call, attempt->session, path, &failure);
    if (status != CURATOR_OK || failure.rc == ZOK) {
        return status;
    }
    if (result_code_outcome_unknown(failure.rc)) {
        attempt->restart = failure.rc;
        return CURATOR_OK;
    }
    const char *chroot = attempt->call->client->settings.servers->chroot;
    if (failure.rc == ZNONODE && chroot != NULL && memchr(path + 1, '/', failure.length - 1) == NULL) {
        return call_fail(attempt->call, CURATOR_ERROR, "the chroot %s of the connect string does not exist", chroot);
    }
    char *where = strndup(path, failure.length);
    status = attempt_judge(attempt, failure.operation, where != NULL ? where : path, failure.rc);
    free(where);
    return status;
}

/* The default data may still be on its way: this host's own address is looked up in the background. */
static curator_status await_default_data(struct attempt *attempt)
{
    const struct client *client = attempt->call->client;
    int64_t until = clock_after(client->started, HOST_ADDRESS_MS);
    attempt->call->waiting_for = "this host's own address";
    while (!client->host_address_known && clock_now() < until) {
        curator_status status = call_wait(attempt->call, until);
        if (status != CURATOR_OK) {
            return status;
        }
    }
    return CURATOR_OK;
}

curator_status attempt_create_node(struct attempt *attempt)
{
    struct curator_mutex *mutex = attempt->mutex;
    curator_status status = mutex->has_data ? CURATOR_OK : await_default_data(attempt);
    if (status != CURATOR_OK) {
        return status;
    }
    size_t size = mutex->data_size;
    const void *data = mutex->has_data ? mutex->data : framework_default_data(mutex->framework, &size);
    int rc = ZOK;
    status = protected_node_create(attempt->node, attempt->call, data, size, &attempt->children, &rc);
    if (status == CURATOR_OK && rc == ZNONODE && attempt->node->whereabouts == NODE_ABSENT) {
        status = create_parents(attempt);
        if (status != CURATOR_OK || attempt->restart != ZOK) {
            return status;
        }
        status = protected_node_create(attempt->node, attempt->call, data, size, &attempt->children, &rc);
    }
    if (status == CURATOR_OK && rc != ZOK) {
        status = attempt_judge(attempt, "create", attempt->node->prefix, rc);
    }
    return status;
}

curator_status attempt_reconnect(struct attempt *attempt, int rc)
{
    curator_status status = call_retry(attempt->call, rc);
    if (status == CURATOR_OK) {
        status = call_await_reconnected(attempt->call, attempt->session);
    }
    if (status == CURATOR_SESSION_EXPIRED && attempt->session->dead) {
        attempt->restart = attempt->session->death;
        return CURATOR_OK;
    }
    return status;
}

void attempt_ask_for_children(struct attempt *attempt)
{
    attempt->look_again = false; /* before it is sent: what happens from now on is not in it */
    attempt->own_node_touched = false;
    attempt->children = request_get_children(attempt->session, attempt->call, attempt->mutex->full_path);
    attempt->call->waiting_for = "the answer to getChildren";
}

curator_status attempt_list_children(struct attempt *attempt)
{
    while (attempt->restart == ZOK) {
        if (attempt->own_node_gone) {
            attempt->restart = ZNONODE; /* whatever a server that lags would list */
            return CURATOR_OK;
        }
        if (attempt->children == NULL) {
            attempt_ask_for_children(attempt);
        }
        if (attempt->children == NULL) {
            return call_fail(attempt->call, CURATOR_NO_MEMORY, "no memory for a request");
        }
        struct request *sync = NULL;
        bool failed = attempt->children->finished && attempt->children->rc != ZOK;
        if (!failed && !session_lease_fresh(attempt->session)) {
            /* Long queued: what wins by this list needs a sign of life that comes from the leader. */
            sync = request_sync(attempt->session, attempt->call, attempt->mutex->full_path);
            if (sync == NULL) {
                return call_fail(attempt->call, CURATOR_NO_MEMORY, "no memory for a request");
            }
        }
        curator_status status = call_await_requests(attempt->call);
        int rc = attempt->children->rc;
        if (status == CURATOR_OK && rc == ZOK && sync != NULL && result_code_outcome_unknown(sync->rc)) {
            rc = sync->rc;
        }
        request_abandon(sync);
        if (status != CURATOR_OK) {
            return status;
        }
        if (rc == ZOK) {
            return CURATOR_OK;
        }
        request_abandon(attempt->children);
        attempt->children = NULL;
        status = result_code_outcome_unknown(rc) ? attempt_reconnect(attempt, rc)
                                                 : attempt_judge(attempt, "getChildren", attempt->mutex->full_path, rc);
        if (status != CURATOR_OK) {
            return status;
        }
    }
    return CURATOR_OK;
}

curator_status attempt_await_renewal(struct attempt *attempt)
{
    struct session *session = attempt->session;
    curator_status status = CURATOR_OK;
    session_await_renewal(session);
    while (status == CURATOR_OK && !session->dead && !session_lease_secure(session)) {
        status = call_await_reconnected(attempt->call, session);
        if (status == CURATOR_OK && !session_lease_secure(session)) {
            attempt->call->waiting_for = "a sign of life from the leader of the ensemble";
            status = call_wait(attempt->call, NEVER);
        }
    }
    session_renewal_not_awaited(session);
    request_abandon(attempt->children);
    attempt->children = NULL;
    if (session->dead && (status == CURATOR_OK || status == CURATOR_SESSION_EXPIRED)) {
        attempt->restart = session->death;
        return CURATOR_OK;
    }
    return status;
}
