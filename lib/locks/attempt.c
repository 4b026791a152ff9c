/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of an attempt that are not about the queue: its node, its session. */
#include "locks/attempt.h"

#include "framework/chroot.h"
#include "framework/guaranteed_delete.h"
#include "framework/parents.h"
#include "zk/result_code.h"
#include "zk/session_lease.h"

#include <stdlib.h>
#include <string.h>

curator_status attempt_restart(struct attempt *attempt, int rc)
{
    attempt->rc = rc;
    return LOCK_RESTART;
}

curator_status attempt_judge(struct attempt *attempt, const char *operation, const char *path, int rc)
{
    return rc == ZNONODE || result_code_session_over(rc) ? attempt_restart(attempt, rc)
                                                         : call_fail_request(attempt->call, operation, path, rc);
}

static curator_status create_parents(struct attempt *attempt)
{
    curator_framework *framework = attempt->mutex->framework;
    const char *path = attempt->mutex->full_path;
    struct parents_failure failure;
    curator_status status = parents_create(framework, attempt->call, attempt->session, path, &failure);
    if (status != CURATOR_OK || failure.rc == ZOK) {
        return status;
    }
    if (result_code_outcome_unknown(failure.rc)) {
        return attempt_restart(attempt, failure.rc);
    }
    const char *chroot = framework_chroot(framework);
    if (failure.rc == ZNONODE && chroot != NULL && memchr(path + 1, '/', failure.length - 1) == NULL) {
        return chroot_fail(attempt->call, chroot);
    }
    char *where = strndup(path, failure.length);
    status = attempt_judge(attempt, failure.operation, where != NULL ? where : path, failure.rc);
    free(where);
    return status;
}

curator_status attempt_create_node(struct attempt *attempt)
{
    const struct protected_node *node = attempt->node->znode;
    const char *writer = attempt->write_lock != NULL ? attempt->write_lock->node->znode->path : NULL;
    curator_status status = lock_node_create(attempt->node, attempt->call, writer, &attempt->children);
    if (status == CURATOR_OK && node->create_rc == ZNONODE && node->path == NULL) {
        status = create_parents(attempt);
        if (status == CURATOR_OK) {
            status = lock_node_create(attempt->node, attempt->call, writer, &attempt->children);
        }
    }
    if (status == CURATOR_OK && node->create_rc != ZOK) {
        status = attempt_judge(attempt, "create", node->prefix, node->create_rc);
    }
    return status;
}

bool attempt_predecessor_is_leaving(const struct attempt *attempt)
{
    const struct protected_node *left = guaranteed_delete_find(attempt->mutex->framework, attempt->predecessor.path);
    return left != NULL && left->deletion == DELETION_PENDING;
}

curator_status attempt_check_predecessor(const struct attempt *attempt)
{
    const struct predecessor_watch *predecessor = &attempt->predecessor;
    if (predecessor->path == NULL || predecessor->owner != attempt->session->id) {
        return CURATOR_OK;
    }
    const struct protected_node *left = guaranteed_delete_find(attempt->mutex->framework, predecessor->path);
    return left != NULL && left->deletion == DELETION_REFUSED
               ? call_fail_request(attempt->call, "delete", predecessor->path, left->delete_rc)
               : CURATOR_OK;
}

curator_status attempt_reconnect(struct attempt *attempt, int rc)
{
    struct session *session = attempt->session;
    curator_status status = call_retry(attempt->call, rc);
    if (status == CURATOR_OK) {
        status = call_await_reconnected(attempt->call, session);
    }
    return status == CURATOR_SESSION_EXPIRED && session_is_dead(session) ? attempt_restart(attempt, session->death)
                                                                         : status;
}

bool attempt_lease_suffices(const struct attempt *attempt)
{
    const struct session *session = attempt->session;
    int64_t margin = endangered_margin(attempt->mutex, session);
    return session_lease_secure(session) && (margin == 0 || session_lease_outlasts(session, margin));
}

curator_status attempt_await_lease(struct attempt *attempt)
{
    struct session *session = attempt->session;
    curator_status status = CURATOR_OK;
    session_await_renewal(session);
    while (status == CURATOR_OK && !session_is_dead(session) && !attempt_lease_suffices(attempt)) {
        status = call_await_reconnected(attempt->call, session);
        if (status == CURATOR_OK && !attempt_lease_suffices(attempt)) {
            attempt->call->waiting_for = "a sign of life from the leader of the ensemble";
            status = call_wait(attempt->call, NEVER);
        }
    }
    session_renewal_not_awaited(session);
    if (session_is_dead(session) && (status == CURATOR_OK || status == CURATOR_SESSION_EXPIRED)) {
        return attempt_restart(attempt, session->death);
    }
    return status;
}
