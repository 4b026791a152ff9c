/* SPDX-License-Identifier: Apache-2.0 */
/* Lending the session's handle to the user. */
#include "base/error.h"
#include "framework/framework.h"
#include "zk/reaper.h"

#include <utlist.h>

struct _zhandle *curator_framework_borrow_handle(curator_framework *framework)
{
    if (framework_enter(framework, framework, __func__) != CURATOR_OK) {
        return NULL;
    }
    struct session *session = framework->client.connection.session;
    struct _zhandle *handle = session != NULL && !session_is_dead(session) ? session->handle : NULL;
    if (handle != NULL) {
        session->loans++;
    } else {
        fail(CURATOR_CONNECTION_LOSS, "%s: there is no live session to lend", __func__);
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
            pthread_cond_broadcast(&framework->client.quiet);
            found = true;
            break;
        }
    }
    framework_unlock(framework);
    return found ? CURATOR_OK : fail(CURATOR_INVALID_ARGUMENT, "%s: this handle is not lent", __func__);
}
