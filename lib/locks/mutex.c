/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of a mutex: create and destroy, acquire and release. */
#include "locks/mutex.h"

#include "base/callback_thread.h"
#include "base/error.h"
#include "base/thread_id.h"
#include "framework/guaranteed_delete.h"
#include "locks/acquire.h"
#include "locks/lock_data.h"
#include "locks/lock_errors.h"
#include "locks/lock_trace.h"
#include "locks/mutex_listener.h"
#include "locks/release.h"

#include <limits.h>

curator_status curator_mutex_create(curator_mutex **mutex, curator_framework *framework, const char *path)
{
    return mutex_object_new(mutex, framework, path, &lock_driver_mutex, false, NULL, 0, __func__);
}

curator_status curator_mutex_create_with_data(curator_mutex **mutex, curator_framework *framework, const char *path,
                                              const void *data, size_t size)
{
    return mutex_object_new(mutex, framework, path, &lock_driver_mutex, true, data, size, __func__);
}

curator_status mutex_destroy(curator_mutex *mutex, const char *caller)
{
    curator_status status = mutex_enter(mutex, caller);
    if (status != CURATOR_OK) {
        return status;
    }
    curator_framework *framework = mutex->framework;
    if (callback_thread_is_current()) {
        status = fail(CURATOR_WOULD_DEADLOCK, "%s %s: called from a ZooKeeper callback", caller, mutex->path);
        framework_unlock(framework);
        return status;
    }
    mutex->destroyed = true;
    mutex_silence_listeners(mutex);
    framework_end_calls(framework, mutex);
    mutex_withdraw_listeners(mutex);
    struct lock_data *lock_data, *next;
    HASH_ITER (hh, mutex->lock_data_by_thread, lock_data, next) {
        guaranteed_delete(lock_data_remove(lock_data));
    }
    if (mutex->other_side != NULL) {
        mutex->other_side->other_side = NULL; /* calls on it may still be running */
    }
    mutex_object_free_and_unlock(mutex);
    return CURATOR_OK;
}

curator_status curator_mutex_destroy(curator_mutex *mutex)
{
    curator_status status = mutex != NULL ? mutex_check_live(mutex, __func__) : CURATOR_OK;
    if (status != CURATOR_OK) {
        return status;
    }
    if (mutex != NULL && mutex->driver->kind != LOCK_MUTEX) {
        return fail(CURATOR_INVALID_ARGUMENT, "%s %s: a side of a read-write lock is destroyed with the lock", __func__,
                    mutex->path);
    }
    return mutex_destroy(mutex, __func__);
}

/* For calls that wait for a server. */
static curator_status enter_blocking(const curator_mutex *mutex, const char *caller)
{
    curator_status status = mutex_enter_open(mutex, caller);
    if (status == CURATOR_OK && callback_thread_is_current()) {
        status =
            fail(CURATOR_WOULD_DEADLOCK,
                 "%s %s: called from a ZooKeeper callback, whose thread has to bring the answer", caller, mutex->path);
        framework_unlock(mutex->framework);
    }
    return status;
}

/* A thread that holds the lock gets it again without a request. */
static curator_status acquire_again(const curator_mutex *mutex, const char *caller, struct lock_data *lock_data)
{
    if (lock_data_is_lost(lock_data)) {
        return fail_lost(lock_data, caller, mutex->path, "; release it before it is acquired anew");
    }
    if (lock_data->count == INT_MAX) {
        return fail(CURATOR_ERROR, "%s %s: acquired %d times by this thread", caller, mutex->path, lock_data->count);
    }
    lock_data->count++;
    return CURATOR_OK;
}

/* Upgrading would deadlock on ourselves. A timed call times out, as in Curator; one without a limit fails at once. */
static curator_status check_upgrade(const curator_mutex *mutex, const char *caller)
{
    const curator_mutex *read_side = mutex->driver->kind == LOCK_WRITE ? mutex->other_side : NULL;
    struct lock_data *reading = read_side != NULL ? lock_data_of_current_thread(read_side) : NULL;
    if (reading == NULL || lock_data_is_lost(reading)) {
        return CURATOR_OK;
    }
    return fail(CURATOR_WOULD_DEADLOCK,
                "%s %s: this thread holds the read lock, for whose release the write lock would wait", caller,
                mutex->path);
}

static void report_acquire(const curator_mutex *mutex, const struct call *call, curator_status status,
                           const struct session *session)
{
    if (status != CURATOR_OK) {
        framework_log(mutex->framework, CURATOR_LOG_DEBUG, "%s: %s", curator_status_string(status),
                      curator_last_error());
    }
    lock_trace(mutex, (curator_trace){.event = CURATOR_TRACE_ACQUIRE, .status = status}, call->started, session);
}

static void report_release(const curator_mutex *mutex, const struct call *call, curator_status status,
                           const struct session *session)
{
    framework_log(mutex->framework, CURATOR_LOG_DEBUG, "release %s: returned after %.3f ms: %s", mutex->path,
                  clock_ms_since(call->started), curator_status_string(status));
    lock_trace(mutex, (curator_trace){.event = CURATOR_TRACE_RELEASE, .status = status}, call->started, session);
}

static curator_status acquire_first(curator_mutex *mutex, const char *caller, int64_t timeout_ms, bool once)
{
    struct call call;
    int64_t deadline = timeout_ms == NEVER ? NEVER : clock_after(clock_now(), timeout_ms);
    curator_status status = framework_call_begin(mutex->framework, &call, mutex, caller, mutex->path, deadline);
    if (status != CURATOR_OK) {
        return status;
    }
    call.at_deadline = once ? CURATOR_CONNECTION_LOSS : CURATOR_TIMED_OUT;
    struct lock_node *node;
    status = acquire_lock(mutex, &call, once, &node);
    if (status == CURATOR_OK && lock_data_add(mutex, node, thread_id()) == NULL) {
        guaranteed_delete(lock_node_end(node));
        status = call_fail(&call, CURATOR_NO_MEMORY, "no memory");
    }
    report_acquire(mutex, &call, status, status == CURATOR_OK ? node->znode->session : NULL);
    call_end(&call);
    return status;
}

static curator_status mutex_acquire(curator_mutex *mutex, const char *caller, int64_t timeout_ms, bool once)
{
    curator_status status = enter_blocking(mutex, caller);
    if (status != CURATOR_OK) {
        return status;
    }
    struct lock_data *lock_data = lock_data_of_current_thread(mutex);
    if (lock_data != NULL) {
        status = acquire_again(mutex, caller, lock_data);
    } else {
        status = timeout_ms == NEVER ? check_upgrade(mutex, caller) : CURATOR_OK;
        status = status == CURATOR_OK ? acquire_first(mutex, caller, timeout_ms, once) : status;
    }
    framework_unlock(mutex->framework);
    return status;
}

curator_status curator_mutex_acquire(curator_mutex *mutex)
{
    return mutex_acquire(mutex, __func__, NEVER, false);
}

curator_status curator_mutex_acquire_for(curator_mutex *mutex, int64_t timeout_ms)
{
    if (timeout_ms < 0) {
        return fail(CURATOR_INVALID_ARGUMENT, "%s: the timeout is negative: %lld ms", __func__, (long long)timeout_ms);
    }
    if (timeout_ms == 0 && mutex != NULL) {
        return mutex_acquire(mutex, __func__, framework_connection_timeout_ms(mutex->framework), true);
    }
    return mutex_acquire(mutex, __func__, timeout_ms, false);
}

/*
 * The delete is sent, if there is a connection, before anything is waited for. Requests of a session are executed in
 * the order in which they were sent, so a next acquire's list, sent behind it, does not contain the node.
 */
static curator_status release_last(curator_mutex *mutex, const char *caller, struct lock_data *lock_data,
                                   int64_t timeout_ms)
{
    struct call call;
    int64_t deadline = clock_after(clock_now(), timeout_ms);
    curator_status status = framework_call_begin(mutex->framework, &call, mutex, caller, mutex->path, deadline);
    if (status != CURATOR_OK) {
        return status;
    }
    bool lost = lock_data_is_lost(lock_data);
    if (lost) {
        status = fail_lost(lock_data, caller, mutex->path, "");
    }
    struct protected_node *node = lock_data_remove(lock_data);
    protected_node_ref(node);
    guaranteed_delete(node);
    if (!lost) {
        guaranteed_delete_await(node, &call, deadline);
        status = release_judge(&call, node);
    }
    report_release(mutex, &call, status, node->session);
    protected_node_unref(node);
    call_end(&call);
    return status;
}

static curator_status mutex_release(curator_mutex *mutex, const char *caller, int64_t timeout_ms)
{
    curator_status status = enter_blocking(mutex, caller);
    if (status != CURATOR_OK) {
        return status;
    }
    struct lock_data *lock_data = lock_data_of_current_thread(mutex);
    if (lock_data == NULL) {
        status = fail_not_owner(mutex, caller);
    } else if (lock_data->count > 1) {
        lock_data->count--;
        if (lock_data_is_lost(lock_data)) {
            status = fail_lost(lock_data, caller, mutex->path, "");
        }
    } else {
        status = release_last(mutex, caller, lock_data, timeout_ms);
    }
    framework_unlock(mutex->framework);
    return status;
}

curator_status curator_mutex_release(curator_mutex *mutex)
{
    return mutex_release(mutex, __func__, mutex != NULL ? framework_connection_timeout_ms(mutex->framework) : 0);
}

curator_status curator_mutex_release_for(curator_mutex *mutex, int64_t timeout_ms)
{
    if (timeout_ms < 0) {
        return fail(CURATOR_INVALID_ARGUMENT, "%s: the timeout is negative: %lld ms", __func__, (long long)timeout_ms);
    }
    return mutex_release(mutex, __func__, timeout_ms);
}

curator_status curator_mutex_interrupt(curator_mutex *mutex)
{
    curator_status status = mutex_enter_open(mutex, __func__);
    if (status == CURATOR_OK) {
        framework_interrupt_calls(mutex->framework, mutex);
        framework_unlock(mutex->framework);
    }
    return status;
}
