/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of a semaphore. Compare InterProcessSemaphoreV2. */
#include <curator/semaphore.h>

#include "base/clock.h"
#include "base/error.h"
#include "locks/contenders.h"
#include "locks/lease_acquire.h"
#include "locks/lock_data.h"
#include "locks/lock_trace.h"

curator_status curator_semaphore_create(curator_semaphore **semaphore, curator_framework *framework, const char *path,
                                        int maximum)
{
    return semaphore_new(semaphore, framework, path, maximum, false, NULL, 0, __func__);
}

curator_status curator_semaphore_create_with_data(curator_semaphore **semaphore, curator_framework *framework,
                                                  const char *path, int maximum, const void *data, size_t size)
{
    return semaphore_new(semaphore, framework, path, maximum, true, data, size, __func__);
}

/* Each call of a semaphore is owned by its leases, which a destroy ends first. */
static curator_status begin_acquire(curator_semaphore *semaphore, struct call *call, const char *caller,
                                    int64_t timeout_ms)
{
    bool once = timeout_ms == 0;
    int64_t limit_ms = once ? framework_connection_timeout_ms(semaphore->framework) : timeout_ms;
    int64_t deadline = limit_ms == NEVER ? NEVER : clock_after(clock_now(), limit_ms);
    curator_status status =
        framework_call_begin(semaphore->framework, call, semaphore->leases, caller, semaphore->path, deadline);
    call->at_deadline = once ? CURATOR_CONNECTION_LOSS : CURATOR_TIMED_OUT;
    return status;
}

/* session: NULL: there is none. */
static void report_leases(const curator_semaphore *semaphore, const struct call *call, curator_status status,
                          const struct session *session)
{
    if (status != CURATOR_OK) {
        framework_log(semaphore->framework, CURATOR_LOG_DEBUG, "%s: %s", curator_status_string(status),
                      curator_last_error());
    }
    lock_trace(semaphore->leases, (curator_trace){.event = CURATOR_TRACE_ACQUIRE, .status = status}, call->started,
               session);
}

static curator_status make_leases(curator_semaphore *semaphore, struct call *call, struct curator_lease **leases,
                                  size_t count)
{
    for (size_t i = 0; i < count; i++) {
        leases[i] = lease_new(semaphore);
        if (leases[i] == NULL) {
            return call_fail(call, CURATOR_NO_MEMORY, "no memory");
        }
    }
    return CURATOR_OK;
}

/* Memory is taken first, and given back on failure. */
static curator_status acquire_in_call(curator_semaphore *semaphore, struct call *call, bool once,
                                      struct curator_lease **leases, size_t count)
{
    curator_status status = make_leases(semaphore, call, leases, count);
    if (status == CURATOR_OK) {
        status = leases_acquire(semaphore, call, once, leases, count);
    }
    report_leases(semaphore, call, status, status == CURATOR_OK ? leases[0]->lock_data->node->znode->session : NULL);
    for (size_t i = 0; status != CURATOR_OK && i < count && leases[i] != NULL; i++) {
        lease_free(leases[i]);
        leases[i] = NULL;
    }
    return status;
}

static curator_status check_acquire(const curator_semaphore *semaphore, int64_t timeout_ms, curator_lease **leases,
                                    const char *caller)
{
    if (semaphore == NULL) {
        return fail(CURATOR_INVALID_ARGUMENT, "%s: the semaphore is NULL", caller);
    }
    if (leases == NULL) {
        return fail(CURATOR_INVALID_ARGUMENT, "%s: the pointer for the leases is NULL", caller);
    }
    if (timeout_ms < 0) {
        return fail(CURATOR_INVALID_ARGUMENT, "%s: the timeout is negative: %lld ms", caller, (long long)timeout_ms);
    }
    return CURATOR_OK;
}

/* CURATOR_OK: the framework's mutex is taken. */
static curator_status enter_for_leases(const curator_semaphore *semaphore, size_t count, const char *caller)
{
    curator_status status = semaphore_enter_open(semaphore, caller);
    if (status == CURATOR_OK && (count == 0 || count > (size_t)semaphore->maximum)) {
        status = fail(CURATOR_INVALID_ARGUMENT, "%s %s: %zu leases wanted; it must be 1 to %d, the maximum", caller,
                      semaphore->path, count, semaphore->maximum);
        framework_unlock(semaphore->framework);
    }
    return status;
}

static curator_status semaphore_acquire(curator_semaphore *semaphore, int64_t timeout_ms, size_t count,
                                        curator_lease **leases, const char *caller)
{
    curator_status status = check_acquire(semaphore, timeout_ms, leases, caller);
    if (status == CURATOR_OK) {
        status = enter_for_leases(semaphore, count, caller);
    }
    for (size_t i = 0; status != CURATOR_INVALID_ARGUMENT && i < count; i++) {
        leases[i] = NULL;
    }
    if (status != CURATOR_OK) {
        return status;
    }
    struct call call;
    status = begin_acquire(semaphore, &call, caller, timeout_ms);
    if (status == CURATOR_OK) {
        status = acquire_in_call(semaphore, &call, timeout_ms == 0, leases, count);
        call_end(&call);
    }
    framework_unlock(semaphore->framework);
    return status;
}

static curator_status semaphore_acquire_one(curator_semaphore *semaphore, int64_t timeout_ms, curator_lease **lease,
                                            const char *caller)
{
    if (lease != NULL) {
        *lease = NULL;
    }
    return semaphore_acquire(semaphore, timeout_ms, 1, lease, caller);
}

curator_status curator_semaphore_acquire(curator_semaphore *semaphore, curator_lease **lease)
{
    return semaphore_acquire_one(semaphore, NEVER, lease, __func__);
}

curator_status curator_semaphore_acquire_for(curator_semaphore *semaphore, int64_t timeout_ms, curator_lease **lease)
{
    return semaphore_acquire_one(semaphore, timeout_ms, lease, __func__);
}

curator_status curator_semaphore_acquire_many(curator_semaphore *semaphore, size_t count, curator_lease **leases)
{
    return semaphore_acquire(semaphore, NEVER, count, leases, __func__);
}

curator_status curator_semaphore_acquire_many_for(curator_semaphore *semaphore, int64_t timeout_ms, size_t count,
                                                  curator_lease **leases)
{
    return semaphore_acquire(semaphore, timeout_ms, count, leases, __func__);
}

curator_status curator_semaphore_interrupt(curator_semaphore *semaphore)
{
    curator_status status = semaphore_enter_open(semaphore, __func__);
    if (status == CURATOR_OK) {
        framework_interrupt_calls(semaphore->framework, semaphore->leases);
        framework_unlock(semaphore->framework);
    }
    return status;
}

curator_status curator_semaphore_participants(curator_semaphore *semaphore, curator_contenders **participants)
{
    if (participants == NULL) {
        return fail(CURATOR_INVALID_ARGUMENT, "%s: the pointer for the result is NULL", __func__);
    }
    *participants = NULL;
    curator_status status = semaphore_enter_open(semaphore, __func__);
    if (status != CURATOR_OK) {
        return status;
    }
    struct call call;
    status = framework_call_begin(semaphore->framework, &call, semaphore->leases, __func__, semaphore->path, NEVER);
    if (status == CURATOR_OK) {
        status = contenders_list(semaphore->leases, &call, participants);
        call_end(&call);
    }
    for (size_t i = 0; status == CURATOR_OK && i < (*participants)->count; i++) {
        (*participants)->contenders[i]->holds = i < (size_t)semaphore->maximum;
    }
    framework_unlock(semaphore->framework);
    return status;
}
