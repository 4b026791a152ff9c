/* SPDX-License-Identifier: Apache-2.0 */
/* What a holder can ask about its lock, and prove with it. */
#include "base/clock.h"
#include "base/error.h"
#include "locks/guard_path.h"
#include "locks/lock_data.h"
#include "locks/lock_errors.h"
#include "zk/session_lease.h"

#include <string.h>

#define ANY_VERSION (-1) /* others may write to the node */
#define NO_VERSION (-2)  /* no node has it: refused also if another has the name by now */

bool curator_mutex_is_acquired_in_this_process(const curator_mutex *mutex)
{
    if (mutex_enter(mutex, __func__) != CURATOR_OK) {
        return false;
    }
    bool acquired = false;
    struct lock_data *lock_data, *next;
    HASH_ITER (hh, mutex->lock_data_by_thread, lock_data, next) {
        acquired = acquired || !lock_data_is_lost(lock_data);
    }
    framework_unlock(mutex->framework);
    return acquired;
}

bool curator_mutex_is_owned_by_current_thread(const curator_mutex *mutex)
{
    if (mutex_enter(mutex, __func__) != CURATOR_OK) {
        return false;
    }
    struct lock_data *lock_data = lock_data_of_current_thread(mutex);
    bool owned = lock_data != NULL && !lock_data_is_lost(lock_data);
    framework_unlock(mutex->framework);
    return owned;
}

/* CURATOR_OK: the framework's mutex is taken, and *lock_data is this thread's. */
static curator_status enter_holding(const curator_mutex *mutex, const void *out, const char *caller,
                                    struct lock_data **lock_data)
{
    curator_status status = mutex_enter(mutex, caller);
    if (status != CURATOR_OK) {
        return status;
    }
    *lock_data = lock_data_of_current_thread(mutex);
    if (out == NULL) {
        status = fail(CURATOR_INVALID_ARGUMENT, "%s %s: the pointer for the result is NULL", caller, mutex->path);
    } else if (mutex->framework->closed) {
        status = fail(CURATOR_CLOSED, "%s %s: the framework is closed", caller, mutex->path);
    } else if (*lock_data == NULL) {
        status = fail_not_owner(mutex, caller);
    } else {
        return CURATOR_OK;
    }
    framework_unlock(mutex->framework);
    return status;
}

curator_status curator_mutex_lock_path(const curator_mutex *mutex, char **path)
{
    if (path != NULL) {
        *path = NULL;
    }
    struct lock_data *lock_data;
    curator_status status = enter_holding(mutex, path, __func__, &lock_data);
    if (status != CURATOR_OK) {
        return status;
    }
    *path = strdup(framework_user_path(mutex->framework, lock_data->node->znode->path));
    framework_unlock(mutex->framework);
    return *path != NULL ? CURATOR_OK : fail(CURATOR_NO_MEMORY, "%s %s: no memory", __func__, mutex->path);
}

curator_status curator_mutex_fencing_token(const curator_mutex *mutex, int64_t *token)
{
    struct lock_data *lock_data;
    curator_status status = enter_holding(mutex, token, __func__, &lock_data);
    if (status == CURATOR_OK) {
        *token = lock_data->node->token; /* not the sequence, which starts again when the directory is created anew */
        framework_unlock(mutex->framework);
    }
    return status;
}

curator_status curator_mutex_lease_remaining(const curator_mutex *mutex, int64_t *remaining_ms)
{
    struct lock_data *lock_data;
    curator_status status = enter_holding(mutex, remaining_ms, __func__, &lock_data);
    if (status == CURATOR_OK) {
        bool lost = lock_data_is_lost(lock_data);
        int64_t remaining = lost ? 0 : session_lease_remaining(lock_data->node->znode->session);
        *remaining_ms = remaining / NANOSECONDS_PER_MILLISECOND;
        framework_unlock(mutex->framework);
    }
    return status;
}

curator_status curator_mutex_guard(const curator_mutex *mutex, struct zoo_op *op)
{
    struct lock_data *lock_data;
    curator_status status = enter_holding(mutex, op, __func__, &lock_data);
    if (status != CURATOR_OK) {
        return status;
    }
    bool lost = lock_data_is_lost(lock_data);
    const char *path = guard_path(&lock_data->guard_path, lock_data->node->znode);
    if (path != NULL) {
        zoo_check_op_init(op, path, lost ? NO_VERSION : ANY_VERSION);
    }
    framework_unlock(mutex->framework);
    return path != NULL ? CURATOR_OK : fail(CURATOR_NO_MEMORY, "%s %s: no memory", __func__, mutex->path);
}

curator_status curator_mutex_revocation_requested(const curator_mutex *mutex, bool *requested)
{
    struct lock_data *lock_data;
    curator_status status = enter_holding(mutex, requested, __func__, &lock_data);
    if (status == CURATOR_OK) {
        *requested = lock_data->node->revocation_requested;
        framework_unlock(mutex->framework);
    }
    return status;
}
