/* SPDX-License-Identifier: Apache-2.0 */
/* Lending the session's handle to the user. */
#include "base/error.h"
#include "framework/framework.h"
#include "zk/reaper.h"
#include "zk/session_move.h"

#include <utlist.h>

struct _zhandle *curator_framework_borrow_handle(curator_framework *framework)
{
    if (framework_enter(framework, framework, __func__) != CURATOR_OK) {
        return NULL;
    }
    struct session *session = framework->client.connection.session;
    bool alive = session != NULL && !session_is_dead(session);
    struct _zhandle *handle = alive && !session->moving ? session->handle : NULL;
    if (handle != NULL) {
        session->loans++;
    } else {
        fail(CURATOR_CONNECTION_LOSS, "%s: %s", __func__,
             alive ? "the session is on its way to other servers" : "there is no live session to lend");
    }
    framework_unlock(framework);
    return handle;
}

curator_status curator_framework_return_handle(curator_framework *framework, struct _zhandle *handle)
{
    curator_status status = framework_check(framework, __func__);
    if (status != CURATOR_OK) {
        return status;
    }
    framework_lock(framework);
    bool found = false;
    struct session *session;
    DL_FOREACH (framework->client.sessions.all, session) {
        if (handle != NULL && session->handle == handle && session->loans > 0) {
            session->loans--;
            reaper_consider(session);
            session_move_consider(session);
            pthread_cond_broadcast(&framework->client.quiet);
            found = true;
            break;
        }
    }
    framework_unlock(framework);
    return found ? CURATOR_OK : fail(CURATOR_INVALID_ARGUMENT, "%s: this handle is not lent", __func__);
}
