/* SPDX-License-Identifier: Apache-2.0 */
/* What a release answers. */
#include "locks/release.h"

curator_status release_judge(const struct call *call, const struct protected_node *node)
{
    const struct session *session = node->session;
    bool pending = node->deletion == DELETION_PENDING;
    bool by_our_clock = session_is_dead(session) && !session_over_on_server(session) && session->death != ZCLOSING;
    switch (node->deletion) {
    case DELETION_REFUSED:
        return call_fail_request(call, "delete", node->path, node->delete_rc);
    case DELETION_MISSING:
        return call_fail(call, CURATOR_LOCK_LOST, "somebody had deleted its node %s", node->path);
    case DELETION_PENDING:
    case DELETION_SESSION_OVER:
        if (pending ? node->framework->closed : session->death == ZCLOSING) {
            return call_fail(call, CURATOR_CLOSED, "the framework was closed; its session's end deletes the node");
        }
        if (pending || by_our_clock) {
            return call_fail(call, CURATOR_RELEASE_PENDING,
                             "given up, but the delete of %s is not confirmed yet and goes on in the background",
                             node->path);
        }
        return call_fail(call, CURATOR_LOCK_LOST,
                         "its session has ended, perhaps before the release: the delete of %s was not confirmed",
                         node->path);
    default:
        return CURATOR_OK;
    }
}
