/* SPDX-License-Identifier: Apache-2.0 */
/* Asking a holder to release. */
#include "locks/revocation.h"

#include "base/error.h"
#include "base/path.h"
#include "client/retry_loop.h"
#include "framework/framework.h"
#include "zk/request_size.h"

#include <curator/revocation.h>
#include <stdlib.h>
#include <string.h>

static const char message[] = {'_', '_', 'R', 'E', 'V', 'O', 'K', 'E', '_', '_'};

_Static_assert(sizeof message < DATA_KEPT, "a request keeps enough of the data to compare it");

bool revocation_is_message(const struct request *read)
{
    return read->stat.dataLength == (int32_t)sizeof message && memcmp(read->data, message, sizeof message) == 0;
}

static struct request *write_message(struct session *session, struct call *call, const struct operation *operation)
{
    return request_set(session, &call->requests, operation->path, message, sizeof message);
}

static curator_status check_revoked_path(const curator_framework *framework, const char *path, const char *caller)
{
    curator_status status = path_validate(path);
    if (status != CURATOR_OK) {
        return fail_in(caller, status);
    }
    if (strcmp(path, "/") == 0) {
        return fail(CURATOR_INVALID_ARGUMENT, "%s: the root path \"/\" is no lock's node", caller);
    }
    struct node_size above = framework_node_size(framework);
    if (request_size_set_data(above.chroot + above.name_space + strlen(path), sizeof message) > REQUEST_MAX_BYTES) {
        return fail(CURATOR_INVALID_ARGUMENT,
                    "%s: a path of %zu bytes, below a chroot of %zu and a name space of %zu, "
                    "is longer than a server accepts",
                    caller, strlen(path), above.chroot, above.name_space);
    }
    return CURATOR_OK;
}

curator_status curator_revoke(curator_framework *framework, const char *lock_path)
{
    curator_status status = framework_check(framework, __func__);
    if (status == CURATOR_OK) {
        status = check_revoked_path(framework, lock_path, __func__);
    }
    if (status != CURATOR_OK) {
        return status;
    }
    char *path = framework_full_path(framework, lock_path);
    if (path == NULL) {
        return fail(CURATOR_NO_MEMORY, "%s %s: no memory", __func__, lock_path);
    }
    framework_lock(framework);
    struct call call;
    status = framework_call_begin(framework, &call, NULL, __func__, lock_path, NEVER);
    if (status == CURATOR_OK) {
        const struct operation set = {.name = "setData", .path = path, .send = write_message};
        struct request *request;
        status = retry_loop_run(&call, &set, &request);
        request_abandon(request); /* a node that is gone holds nothing: no error */
        call_end(&call);
    }
    framework_unlock(framework);
    free(path);
    return status;
}
