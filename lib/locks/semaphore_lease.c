/* SPDX-License-Identifier: Apache-2.0 */
/* What the owner of a lease can ask about it, and its return. Compare Lease. */
#include "base/clock.h"
#include "base/error.h"
#include "framework/guaranteed_delete.h"
#include "locks/lock_data.h"
#include "locks/lock_errors.h"
#include "locks/lock_trace.h"
#include "locks/release.h"
#include "locks/semaphore_object.h"
#include "zk/session_lease.h"

#include <string.h>
#include <utlist.h>

#define CONNECTION_TIMEOUT (-1) /* how long a return without a limit of its own waits */

static curator_status fail_no_lease(const char *caller)
{
    return fail(CURATOR_INVALID_ARGUMENT, "%s: there is no lease at this address; was it returned before?", caller);
}

/*
 * CURATOR_OK: the framework's mutex is taken. Another thread may return the lease until then, so its memory is not read
 * before the second look: a lease ends under that mutex.
 */
static curator_status lease_enter(const curator_lease *lease, const char *caller)
{
    void *owner;
    if (lease == NULL) {
        return fail(CURATOR_INVALID_ARGUMENT, "%s: the lease is NULL", caller);
    }
    if (!live_object_owner(lease, &owner)) {
        return fail_no_lease(caller);
    }
    const curator_semaphore *semaphore = owner != NULL ? owner : lease->semaphore;
    curator_status status = semaphore_enter(semaphore, caller);
    if (status == CURATOR_OK && !live_object_at(lease)) {
        framework_unlock(semaphore->framework);
        return fail_no_lease(caller);
    }
    return status;
}

/* The lease is not granted any more. Hands its node back to the caller, which deletes it. */
static struct protected_node *lease_give_up(struct curator_lease *lease)
{
    struct protected_node *node = lock_data_remove(lease->lock_data);
    DL_DELETE(lease->semaphore->granted, lease);
    lease_free(lease);
    return node;
}

static void report_return(const curator_semaphore *semaphore, const struct call *call, curator_status status,
                          const struct session *session)
{
    framework_log(semaphore->framework, CURATOR_LOG_DEBUG, "return %s: returned after %.3f ms: %s", semaphore->path,
                  clock_ms_since(call->started), curator_status_string(status));
    lock_trace(semaphore->leases, (curator_trace){.event = CURATOR_TRACE_RELEASE, .status = status}, call->started,
               session);
}

/* The delete is sent before anything is waited for. */
static curator_status return_in_call(struct curator_lease *lease, struct call *call)
{
    const curator_semaphore *semaphore = lease->semaphore;
    bool lost = lock_data_is_lost(lease->lock_data);
    curator_status status = lost ? fail_lost(lease->lock_data, call->caller, semaphore->path, "") : CURATOR_OK;
    struct protected_node *node = lease_give_up(lease);
    protected_node_ref(node);
    guaranteed_delete(node);
    if (!lost) {
        guaranteed_delete_await(node, call, call->deadline);
        status = release_judge(call, node);
    }
    report_return(semaphore, call, status, node->session);
    protected_node_unref(node);
    return status;
}

static curator_status lease_return(curator_lease *lease, int64_t timeout_ms, const char *caller)
{
    curator_status status = lease_enter(lease, caller);
    if (status != CURATOR_OK) {
        return status;
    }
    const curator_semaphore *semaphore = lease->semaphore;
    curator_framework *framework = semaphore->framework;
    struct call call;
    int64_t limit_ms = timeout_ms == CONNECTION_TIMEOUT ? framework_connection_timeout_ms(framework) : timeout_ms;
    status = framework_call_begin(framework, &call, semaphore->leases, caller, semaphore->path,
                                  clock_after(clock_now(), limit_ms));
    if (status == CURATOR_OK) {
        status = return_in_call(lease, &call);
        call_end(&call);
    } else if (status == CURATOR_CLOSED) {
        guaranteed_delete(lease_give_up(lease)); /* the session's end deletes the node */
    }
    framework_unlock(framework);
    return status;
}

curator_status curator_lease_return(curator_lease *lease)
{
    return lease_return(lease, CONNECTION_TIMEOUT, __func__);
}

curator_status curator_lease_return_for(curator_lease *lease, int64_t timeout_ms)
{
    if (timeout_ms < 0) {
        return fail(CURATOR_INVALID_ARGUMENT, "%s: the timeout is negative: %lld ms", __func__, (long long)timeout_ms);
    }
    return lease_return(lease, timeout_ms, __func__);
}

curator_status curator_lease_return_all(curator_lease **leases, size_t count)
{
    if (leases == NULL) {
        return fail(CURATOR_INVALID_ARGUMENT, "%s: the array of leases is NULL", __func__);
    }
    curator_status status = CURATOR_OK;
    for (size_t i = 0; i < count; i++) {
        curator_status one = leases[i] != NULL ? lease_return(leases[i], CONNECTION_TIMEOUT, __func__) : CURATOR_OK;
        status = one != CURATOR_OK ? one : status;
    }
    return status;
}

bool curator_lease_is_held(const curator_lease *lease)
{
    if (lease_enter(lease, __func__) != CURATOR_OK) {
        return false;
    }
    bool held = !lock_data_is_lost(lease->lock_data);
    framework_unlock(lease->semaphore->framework);
    return held;
}

/* CURATOR_OK: the framework's mutex is taken. */
static curator_status lease_enter_open(const curator_lease *lease, const void *out, const char *caller)
{
    curator_status status = lease_enter(lease, caller);
    if (status != CURATOR_OK) {
        return status;
    }
    const curator_semaphore *semaphore = lease->semaphore;
    if (out == NULL) {
        status = fail(CURATOR_INVALID_ARGUMENT, "%s %s: the pointer for the result is NULL", caller, semaphore->path);
    } else if (semaphore->framework->closed) {
        status = fail(CURATOR_CLOSED, "%s %s: the framework is closed", caller, semaphore->path);
    } else {
        return CURATOR_OK;
    }
    framework_unlock(semaphore->framework);
    return status;
}

curator_status curator_lease_path(const curator_lease *lease, char **path)
{
    if (path != NULL) {
        *path = NULL;
    }
    curator_status status = lease_enter_open(lease, path, __func__);
    if (status != CURATOR_OK) {
        return status;
    }
    const curator_semaphore *semaphore = lease->semaphore;
    *path = strdup(framework_user_path(semaphore->framework, lease->lock_data->node->znode->path));
    status = *path != NULL ? CURATOR_OK : fail(CURATOR_NO_MEMORY, "%s %s: no memory", __func__, semaphore->path);
    framework_unlock(semaphore->framework);
    return status;
}

curator_status curator_lease_fencing_token(const curator_lease *lease, int64_t *token)
{
    curator_status status = lease_enter_open(lease, token, __func__);
    if (status == CURATOR_OK) {
        *token = lease->lock_data->node->token;
        framework_unlock(lease->semaphore->framework);
    }
    return status;
}

curator_status curator_lease_remaining(const curator_lease *lease, int64_t *remaining_ms)
{
    curator_status status = lease_enter_open(lease, remaining_ms, __func__);
    if (status == CURATOR_OK) {
        bool lost = lock_data_is_lost(lease->lock_data);
        int64_t remaining = lost ? 0 : session_lease_remaining(lease->lock_data->node->znode->session);
        *remaining_ms = remaining / NANOSECONDS_PER_MILLISECOND;
        framework_unlock(lease->semaphore->framework);
    }
    return status;
}
