/* SPDX-License-Identifier: Apache-2.0 */
/* Asking a holder to release. */
#include "locks/revocation.h"

#include "base/container_of.h"
#include "base/error.h"
#include "base/gzip.h"
#include "base/path.h"
#include "client/retry_loop.h"
#include "framework/framework.h"
#include "framework/stored_data.h"
#include "zk/request_size.h"

#include <curator/revocation.h>
#include <stdlib.h>
#include <string.h>

static const char message[] = {'_', '_', 'R', 'E', 'V', 'O', 'K', 'E', '_', '_'};

_Static_assert(sizeof message + GZIP_MAX_GROWTH <= DATA_KEPT, "a request keeps enough of the data to compare it");

/* Compressed, if its writer compresses: Curator's enableCompression(). */
bool revocation_is_message(const struct request *read)
{
    if (read->stat.dataLength <= 0 || read->stat.dataLength > DATA_KEPT) {
        return false;
    }
    size_t size = (size_t)read->stat.dataLength;
    return (size == sizeof message && memcmp(read->data, message, sizeof message) == 0) ||
           gzip_is_of(read->data, size, message, sizeof message);
}

/* What is written to the node. */
struct revocation {
    struct operation set;
    const void *data;
    size_t size;
};

static struct request *write_message(struct session *session, struct call *call, const struct operation *operation)
{
    const struct revocation *revocation = container_of(operation, const struct revocation, set);
    return request_set(session, &call->requests, operation->path, revocation->data, revocation->size);
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
    size_t data = sizeof message + (framework->options.compresses ? GZIP_MAX_GROWTH : 0);
    if (request_size_set_data(above.chroot + above.name_space + strlen(path), data) > REQUEST_MAX_BYTES) {
        return fail(CURATOR_INVALID_ARGUMENT,
                    "%s: a path of %zu bytes, below a chroot of %zu and a name space of %zu, "
                    "is longer than a server accepts",
                    caller, strlen(path), above.chroot, above.name_space);
    }
    return CURATOR_OK;
}

static curator_status revoke(curator_framework *framework, const char *lock_path, const struct revocation *revocation)
{
    struct call call;
    curator_status status = framework_call_begin(framework, &call, NULL, "curator_revoke", lock_path, NEVER);
    if (status == CURATOR_OK) {
        struct request *request;
        status = retry_loop_run(&call, &revocation->set, &request);
        request_abandon(request); /* a node that is gone holds nothing: no error */
        call_end(&call);
    }
    return status;
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
    struct revocation revocation = {
        .set = {.name = "setData", .path = path, .send = write_message}, .data = message, .size = sizeof message};
    void *room = NULL;
    if (path == NULL || !stored_data_of(framework, &revocation.data, &revocation.size, &room)) {
        free(path);
        return fail(CURATOR_NO_MEMORY, "%s %s: no memory", __func__, lock_path);
    }
    framework_lock(framework);
    status = revoke(framework, lock_path, &revocation);
    framework_unlock(framework);
    free(room);
    free(path);
    return status;
}
