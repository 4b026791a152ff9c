/* SPDX-License-Identifier: Apache-2.0 */
/* Asking a holder to let go. */
#include "locks/revocation.h"

#include "base/container_of.h"
#include "base/error.h"
#include "base/path.h"
#include "client/retry_loop.h"
#include "framework/namespace.h"
#include "framework/node_size.h"
#include "zk/request_size.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const char message[] = {'_', '_', 'R', 'E', 'V', 'O', 'K', 'E', '_', '_'};

_Static_assert(sizeof message < DATA_KEPT, "a request keeps enough of the data to compare it");

static void deliver(struct callback *callback, pthread_mutex_t *lock)
{
    curator_mutex *mutex = container_of(callback, curator_mutex, revoke_callback);
    void (*fn)(curator_mutex *, void *) = mutex->on_revoke;
    void *context = mutex->on_revoke_context;
    mutex->revocations--;
    if (mutex->revocations > 0) {
        callbacks_queue(&mutex->framework->callbacks, callback);
    }
    pthread_mutex_unlock(lock);
    if (fn != NULL) {
        fn(mutex, context); /* which may destroy the mutex */
    }
    pthread_mutex_lock(lock);
}

void revocation_init(struct curator_mutex *mutex)
{
    mutex->revoke_callback.deliver = deliver;
}

void revocation_look(struct curator_mutex *mutex, struct protected_node *node, const struct request *read)
{
    if (read->stat.version <= node->version_seen) {
        return;
    }
    node->version_seen = read->stat.version;
    if (mutex->on_revoke == NULL || read->stat.dataLength != (int32_t)sizeof message ||
        memcmp(read->data, message, sizeof message) != 0) {
        return;
    }
    mutex->revocations++;
    node->revocation_requested = true;
    callbacks_queue(&mutex->framework->callbacks, &mutex->revoke_callback);
}

curator_status curator_mutex_make_revocable(curator_mutex *mutex, void (*fn)(curator_mutex *, void *), void *context)
{
    curator_status status = mutex_enter_open(mutex, __func__);
    if (status == CURATOR_OK) {
        mutex->on_revoke = fn;
        mutex->on_revoke_context = context;
        framework_unlock(mutex->framework);
    }
    return status;
}

static struct request *write_message(struct session *session, struct call *call, const struct operation *operation)
{
    return request_set(session, &call->requests, operation->path, message, sizeof message);
}

static curator_status check_path(const curator_framework *framework, const char *path, const char *caller)
{
    curator_status status = path_validate(path);
    if (status != CURATOR_OK) {
        return status;
    }
    if (strcmp(path, "/") == 0) {
        return fail(CURATOR_INVALID_ARGUMENT, "%s: the root path \"/\" is no lock's node", caller);
    }
    struct node_size above = node_size_below(framework->client.settings.servers, framework->name_space);
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
        status = check_path(framework, lock_path, __func__);
    }
    if (status != CURATOR_OK) {
        return status;
    }
    char *path = namespace_fix(framework->name_space, lock_path);
    if (path == NULL) {
        return fail(CURATOR_NO_MEMORY, "%s %s: no memory", __func__, lock_path);
    }
    framework_lock(framework);
    struct call call;
    status = call_begin(&call, &framework->client, NULL, "revoke", lock_path, NEVER);
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
