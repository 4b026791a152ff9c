/* SPDX-License-Identifier: Apache-2.0 */
/* The list of children that an attempt finds its place in. */
#include "locks/children.h"

#include "zk/result_code.h"
#include "zk/session_lease.h"

void children_ask(struct attempt *attempt)
{
    attempt->look_again = false; /* before it is sent: what happens from now on is not in it */
    attempt->own_node_touched = false;
    struct session *session = attempt->session;
    struct call *call = attempt->call;
    attempt->children = attempt->write_lock != NULL
                            ? request_exists(session, &call->requests, attempt->write_lock->node->znode->path)
                            : request_get_children(session, &call->requests, attempt->mutex->full_path);
    if (attempt->children != NULL && !lock_node_is_known(attempt->node) &&
        !lock_node_look(attempt->node, &call->requests)) {
        children_forget(attempt);
    }
    call->waiting_for = "the answer to getChildren";
}

void children_forget(struct attempt *attempt)
{
    request_abandon(attempt->children);
    attempt->children = NULL;
    if (lock_node_awaits_answer(attempt->node)) {
        attempt->node->znode->doubtful = true; /* what was asked for is not known */
    }
    lock_node_forget_answer(attempt->node);
}

/* Sends what the list still lacks. *sync: if the leader has not answered for a while, a grant by this list needs a sign
 * of life from it. */
static curator_status children_send(struct attempt *attempt, struct request **sync)
{
    *sync = NULL;
    if (attempt->children == NULL) {
        children_ask(attempt);
    }
    bool failed = attempt->children == NULL;
    bool refused = !failed && attempt->children->finished && attempt->children->rc != ZOK;
    if (!failed && !refused && !session_lease_fresh(attempt->session)) {
        *sync = request_sync(attempt->session, &attempt->call->requests, attempt->mutex->full_path);
        failed = *sync == NULL;
    }
    return failed ? call_fail(attempt->call, CURATOR_NO_MEMORY, "no memory for a request") : CURATOR_OK;
}

/* A result code for all the answers together. */
static int children_rc(const struct attempt *attempt, const struct request *sync)
{
    int rc = attempt->children->rc;
    if (rc == ZOK && sync != NULL && result_code_outcome_unknown(sync->rc)) {
        return sync->rc;
    }
    if (rc == ZOK && result_code_outcome_unknown(lock_node_answer(attempt->node))) {
        return lock_node_answer(attempt->node);
    }
    return rc == ZOK && lock_node_is_gone(attempt->node) ? ZNONODE : rc;
}

/* Of the look at a writer's node: judged by the caller, as the loss of the write lock. */
static bool is_about_writer(const struct attempt *attempt, int rc)
{
    return attempt->write_lock != NULL && attempt->children->rc == rc && (rc == ZNONODE || rc == ZNOAUTH);
}

curator_status children_await(struct attempt *attempt)
{
    for (;;) {
        if (lock_node_is_gone(attempt->node)) {
            return attempt_restart(attempt, ZNONODE); /* whatever a server that lags would list */
        }
        struct request *sync;
        curator_status status = children_send(attempt, &sync);
        if (status == CURATOR_OK) {
            status = call_await_requests(attempt->call);
        }
        int rc = status == CURATOR_OK ? children_rc(attempt, sync) : ZOK;
        request_abandon(sync);
        if (status != CURATOR_OK || rc == ZOK || is_about_writer(attempt, rc)) {
            return status;
        }
        children_forget(attempt);
        status = result_code_outcome_unknown(rc) ? attempt_reconnect(attempt, rc)
                                                 : attempt_judge(attempt, "getChildren", attempt->mutex->full_path, rc);
        if (status != CURATOR_OK) {
            return status;
        }
    }
}
