/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of an attempt: its node, the parents of that, the list of children. */
#include "locks/attempt.h"

#include "framework/parents.h"
#include "zk/result_code.h"
#include "zk/session_lease.h"

#include <stdlib.h>
#include <string.h>

/* How long after the opening of the client an acquire waits for the look-up of this host's own address; without it its
 * node has no data. */
#define HOST_ADDRESS_MS 2000

/* How long a node is taken for ours without another look, on a connection that does not break. As of a hold that is not
 * watched yet. */
#define OWN_NODE_MS 20

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
    const char *writer = attempt->write_hold != NULL ? attempt->write_hold->node->path : NULL;
    attempt->own_seen_at = clock_now();
    status = protected_node_create(attempt->node, attempt->call, data, size, writer, &attempt->children, &rc);
    if (status == CURATOR_OK && rc == ZNONODE && attempt->node->path == NULL) {
        status = create_parents(attempt);
        if (status != CURATOR_OK || attempt->restart != ZOK) {
            return status;
        }
        attempt->own_seen_at = clock_now();
        status = protected_node_create(attempt->node, attempt->call, data, size, writer, &attempt->children, &rc);
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
    if (status == CURATOR_SESSION_EXPIRED && session_is_dead(attempt->session)) {
        attempt->restart = attempt->session->death;
        return CURATOR_OK;
    }
    return status;
}

void attempt_ask_for_children(struct attempt *attempt)
{
    attempt->look_again = false; /* before it is sent: what happens from now on is not in it */
    attempt->own_node_touched = false;
    struct session *session = attempt->session;
    struct call *call = attempt->call;
    attempt->children = attempt->write_hold != NULL
                            ? request_exists(session, &call->requests, attempt->write_hold->node->path)
                            : request_get_children(session, &call->requests, attempt->mutex->full_path);
    int64_t now = clock_now();
    bool doubtful = attempt->node->doubtful || now >= clock_after(attempt->own_seen_at, OWN_NODE_MS);
    if (attempt->children != NULL && doubtful && !attempt->own_watch_set) {
        attempt->own = request_exists(session, &call->requests, attempt->node->path);
        attempt->own_asked_at = now;
        attempt->own_judged = false;
        attempt->node->doubtful = attempt->own == NULL; /* a doubt that arises from now on outlasts this answer */
        if (attempt->own == NULL) {
            attempt_forget_children(attempt);
        }
    }
    attempt->call->waiting_for = "the answer to getChildren";
}

void attempt_forget_children(struct attempt *attempt)
{
    if (attempt->own != NULL && !attempt->own_judged) {
        attempt->node->doubtful = true;
    }
    request_abandon(attempt->children);
    request_abandon(attempt->own);
    attempt->children = attempt->own = NULL;
}

/* What the answers to one look at the children come to: a result code. */
static int judge_children(struct attempt *attempt, const struct request *sync)
{
    const struct request *own = attempt->own;
    int rc = attempt->children->rc;
    if (rc == ZOK && sync != NULL && result_code_outcome_unknown(sync->rc)) {
        return sync->rc;
    }
    if (rc != ZOK || own == NULL) {
        return rc;
    }
    if (own->rc != ZOK) {
        attempt->node->doubtful = true;
    }
    if (result_code_outcome_unknown(own->rc)) {
        return own->rc;
    }
    if (!protected_node_stands(attempt->node, own)) {
        return ZNONODE;
    }
    attempt->own_judged = true;
    attempt->own_seen_at = own->rc == ZOK ? attempt->own_asked_at : attempt->own_seen_at;
    return ZOK;
}

/* What is still to be sent of one look at the children. */
static curator_status send_look(struct attempt *attempt, struct request **sync)
{
    *sync = NULL;
    if (attempt->children == NULL) {
        attempt_ask_for_children(attempt);
    }
    bool failed = attempt->children == NULL;
    bool refused = !failed && attempt->children->finished && attempt->children->rc != ZOK;
    if (!failed && !refused && !session_lease_fresh(attempt->session)) {
        /* Long queued: what wins by this list needs a sign of life that comes from the leader. */
        *sync = request_sync(attempt->session, &attempt->call->requests, attempt->mutex->full_path);
        failed = *sync == NULL;
    }
    return failed ? call_fail(attempt->call, CURATOR_NO_MEMORY, "no memory for a request") : CURATOR_OK;
}

/* Of the look at a writer's node: downgrade_acquire() judges these. */
static bool is_about_writer(const struct attempt *attempt, int rc)
{
    return attempt->write_hold != NULL && attempt->children->rc == rc && (rc == ZNONODE || rc == ZNOAUTH);
}

curator_status attempt_list_children(struct attempt *attempt)
{
    while (attempt->restart == ZOK) {
        if (attempt->node->create_state == NODE_ABSENT) {
            attempt->restart = ZNONODE; /* whatever a server that lags would list */
            return CURATOR_OK;
        }
        struct request *sync;
        curator_status status = send_look(attempt, &sync);
        if (status == CURATOR_OK) {
            status = call_await_requests(attempt->call);
        }
        int rc = status == CURATOR_OK ? judge_children(attempt, sync) : ZOK;
        request_abandon(sync);
        if (status != CURATOR_OK) {
            return status;
        }
        if (rc == ZOK || is_about_writer(attempt, rc)) {
            return CURATOR_OK;
        }
        attempt_forget_children(attempt);
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
    while (status == CURATOR_OK && !session_is_dead(session) && !session_lease_secure(session)) {
        status = call_await_reconnected(attempt->call, session);
        if (status == CURATOR_OK && !session_lease_secure(session)) {
            attempt->call->waiting_for = "a sign of life from the leader of the ensemble";
            status = call_wait(attempt->call, NEVER);
        }
    }
    session_renewal_not_awaited(session);
    attempt_forget_children(attempt);
    if (session_is_dead(session) && (status == CURATOR_OK || status == CURATOR_SESSION_EXPIRED)) {
        attempt->restart = session->death;
        return CURATOR_OK;
    }
    return status;
}
