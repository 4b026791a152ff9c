/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the chroot of the connect string exists. */
#include "framework/chroot.h"

#include "client/retry_loop.h"
#include "zk/request.h"
#include "zk/result_code.h"

#include <zookeeper/zookeeper.h>

#define PAUSE_MS 50

curator_status chroot_fail(const struct call *call, const char *chroot)
{
    return call_fail(call, CURATOR_ERROR, "the chroot %s of the connect string does not exist", chroot);
}

/* The sync comes first, so that no lagging server hides a chroot that was created only just now. */
static struct request *ask_for_chroot(struct session *session, struct call *call, const struct operation *operation)
{
    request_abandon(request_sync(session, NULL, operation->path));
    return request_exists(session, &call->requests, operation->path);
}

static const struct operation exists = {.name = "exists", .path = "/", .send = ask_for_chroot};

static curator_status judge_chroot(curator_framework *framework, const struct call *call, int rc)
{
    framework->chroot_known = framework->chroot_known || rc == ZOK;
    return rc == ZOK ? CURATOR_OK : chroot_fail(call, framework_chroot(framework));
}

curator_status chroot_check(curator_framework *framework, struct call *call)
{
    if (framework_chroot(framework) == NULL) {
        return CURATOR_OK;
    }
    struct request *request;
    curator_status status = retry_loop_run(call, &exists, &request);
    if (status == CURATOR_OK) {
        status = judge_chroot(framework, call, request->rc);
    }
    request_abandon(request);
    return status;
}

/* One try. *rc: how it went. */
static curator_status try_chroot(struct call *call, int *rc)
{
    struct session *session = connection_usable_session(&call->client->connection);
    if (session == NULL) {
        *rc = ZCONNECTIONLOSS;
        return CURATOR_OK;
    }
    struct request *request = ask_for_chroot(session, call, &exists);
    if (request == NULL) {
        return call_fail(call, CURATOR_NO_MEMORY, "no memory for a request");
    }
    call->waiting_for = "the answer to exists";
    curator_status status = call_await_requests(call);
    *rc = request->rc;
    request_abandon(request);
    return status;
}

curator_status chroot_await(curator_framework *framework, struct call *call)
{
    if (framework_chroot(framework) == NULL || framework->chroot_known) {
        return CURATOR_OK;
    }
    for (;;) {
        int rc = ZOK;
        curator_status status = try_chroot(call, &rc);
        if (status != CURATOR_OK || rc == ZOK || rc == ZNONODE) {
            return status != CURATOR_OK ? status : judge_chroot(framework, call, rc);
        }
        if (!result_code_outcome_unknown(rc) && !result_code_session_over(rc)) {
            return call_fail_request(call, exists.name, exists.path, rc);
        }
        call->waiting_for = "a connection";
        status = call_wait(call, clock_after(clock_now(), PAUSE_MS));
        if (status != CURATOR_OK) {
            return status;
        }
    }
}
