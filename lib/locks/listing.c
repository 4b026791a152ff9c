/* SPDX-License-Identifier: Apache-2.0 */
/* A call that lists the nodes of a lock. */
#include "locks/listing.h"

#include "base/error.h"
#include "client/retry_loop.h"
#include "framework/chroot.h"

#include <stddef.h>

curator_status listing_begin(curator_mutex *mutex, struct call *call, const void *result, const char *caller)
{
    if (result == NULL) {
        return fail(CURATOR_INVALID_ARGUMENT, "%s: the pointer for the result is NULL", caller);
    }
    curator_status status = mutex_enter(mutex, caller);
    if (status != CURATOR_OK) {
        return status;
    }
    status = framework_call_begin(mutex->framework, call, mutex, caller, mutex->path, NEVER);
    if (status != CURATOR_OK) {
        framework_unlock(mutex->framework);
    }
    return status;
}

void listing_end(const curator_mutex *mutex, struct call *call)
{
    call_end(call);
    framework_unlock(mutex->framework);
}

static struct request *send_get_children(struct session *session, struct call *call, const struct operation *operation)
{
    return request_get_children(session, &call->requests, operation->path);
}

curator_status listing_get_children(const curator_mutex *mutex, struct call *call, struct request **list)
{
    const struct operation get_children = {.name = "getChildren", .path = mutex->full_path, .send = send_get_children};
    curator_status status = retry_loop_run(call, &get_children, list);
    if (status == CURATOR_OK && (*list)->rc == ZNONODE) {
        status = chroot_check(mutex->framework, call);
    }
    if (status != CURATOR_OK) {
        request_abandon(*list);
        *list = NULL;
    }
    return status;
}
