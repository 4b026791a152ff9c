/* SPDX-License-Identifier: Apache-2.0 */
/* The semaphore object: its creation and its end, the way into its calls, its listener. */
#include "locks/semaphore_object.h"

#include "base/callback_thread.h"
#include "base/error.h"
#include "base/path.h"
#include "locks/mutex.h"
#include "locks/mutex_listener.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

curator_status semaphore_enter(const curator_semaphore *semaphore, const char *caller)
{
    if (semaphore == NULL) {
        return fail(CURATOR_INVALID_ARGUMENT, "%s: the semaphore is NULL", caller);
    }
    if (!live_object_at(semaphore)) {
        return fail(CURATOR_INVALID_ARGUMENT, "%s: there is no semaphore at this address; was it destroyed before?",
                    caller);
    }
    curator_status status = framework_check(semaphore->framework, caller);
    if (status != CURATOR_OK) {
        return status;
    }
    framework_lock(semaphore->framework);
    if (semaphore->leases->destroyed) { /* by a thread that waits for the callback in which this is called */
        status = fail(CURATOR_CLOSED, "%s %s: the semaphore is being destroyed", caller, semaphore->path);
        framework_unlock(semaphore->framework);
    }
    return status;
}

curator_status semaphore_enter_open(const curator_semaphore *semaphore, const char *caller)
{
    curator_status status = semaphore_enter(semaphore, caller);
    if (status == CURATOR_OK && semaphore->framework->closed) {
        status = fail(CURATOR_CLOSED, "%s %s: the framework is closed", caller, semaphore->path);
        framework_unlock(semaphore->framework);
    }
    return status;
}

struct curator_lease *lease_new(curator_semaphore *semaphore)
{
    struct curator_lease *lease = calloc(1, sizeof *lease);
    if (lease == NULL) {
        return NULL;
    }
    lease->semaphore = semaphore;
    lease->live.owner = semaphore;
    if (!live_object_add(&lease->live, lease)) {
        free(lease);
        return NULL;
    }
    return lease;
}

void lease_free(struct curator_lease *lease)
{
    live_object_remove(&lease->live);
    free(lease);
}

static curator_status check_semaphore_arguments(curator_semaphore **out, const curator_framework *framework,
                                                const char *path, int maximum, const char *caller)
{
    if (out == NULL) {
        return fail(CURATOR_INVALID_ARGUMENT, "%s: the pointer for the semaphore is NULL", caller);
    }
    *out = NULL;
    curator_status status = framework_check(framework, caller);
    if (status == CURATOR_OK) {
        status = path_validate(path);
        status = status == CURATOR_OK ? CURATOR_OK : fail_in(caller, status);
    }
    if (status == CURATOR_OK && maximum < 1) {
        status = fail(CURATOR_INVALID_ARGUMENT, "%s %s: the maximum of leases is %d; it must be 1 or more", caller,
                      path, maximum);
    }
    return status;
}

/* One of the two mutexes, on a child of the path. */
static curator_status part_new(curator_mutex **out, const curator_semaphore *semaphore, const char *name,
                               const struct lock_driver *driver, bool has_data, const void *data, size_t size,
                               const char *caller)
{
    char *path = path_join(strcmp(semaphore->path, "/") == 0 ? "" : semaphore->path, name);
    if (path == NULL) {
        return fail(CURATOR_NO_MEMORY, "%s %s: no memory", caller, semaphore->path);
    }
    curator_status status = mutex_object_new(out, semaphore->framework, path, driver, has_data, data, size, caller);
    free(path);
    return status;
}

static void free_part(curator_mutex *part)
{
    if (part != NULL) {
        framework_lock(part->framework);
        mutex_object_free_and_unlock(part);
    }
}

static void semaphore_free(curator_semaphore *semaphore)
{
    live_object_remove(&semaphore->live);
    free_part(semaphore->lock);
    free(semaphore->path);
    free(semaphore);
}

curator_status semaphore_new(curator_semaphore **out, curator_framework *framework, const char *path, int maximum,
                             bool has_data, const void *data, size_t size, const char *caller)
{
    curator_status status = check_semaphore_arguments(out, framework, path, maximum, caller);
    if (status != CURATOR_OK) {
        return status;
    }
    curator_semaphore *semaphore = calloc(1, sizeof *semaphore);
    if (semaphore == NULL) {
        return fail(CURATOR_NO_MEMORY, "%s %s: no memory", caller, path);
    }
    semaphore->framework = framework;
    semaphore->maximum = maximum;
    semaphore->path = strdup(path);
    if (semaphore->path == NULL || !live_object_add(&semaphore->live, semaphore)) {
        semaphore_free(semaphore);
        return fail(CURATOR_NO_MEMORY, "%s %s: no memory", caller, path);
    }
    status = part_new(&semaphore->lock, semaphore, "locks", &lock_driver_mutex, false, NULL, 0, caller);
    if (status == CURATOR_OK) {
        status = part_new(&semaphore->leases, semaphore, "leases", &lock_driver_lease, has_data, data, size, caller);
    }
    if (status != CURATOR_OK) {
        semaphore_free(semaphore);
        return status;
    }
    *out = semaphore;
    return CURATOR_OK;
}

curator_status curator_semaphore_destroy(curator_semaphore *semaphore)
{
    curator_status status = semaphore_enter(semaphore, __func__);
    if (status != CURATOR_OK) {
        return status;
    }
    if (callback_thread_is_current()) {
        status = fail(CURATOR_WOULD_DEADLOCK, "%s %s: called from a ZooKeeper callback", __func__, semaphore->path);
    }
    semaphore->on_lost = status == CURATOR_OK ? NULL : semaphore->on_lost;
    framework_unlock(semaphore->framework);
    if (status == CURATOR_OK) {
        status = mutex_destroy(semaphore->leases, __func__); /* with its calls, and what its leases hold */
    }
    if (status != CURATOR_OK) {
        return status;
    }
    struct curator_lease *lease, *next;
    DL_FOREACH_SAFE (semaphore->granted, lease, next) {
        lease_free(lease);
    }
    semaphore_free(semaphore);
    return CURATOR_OK;
}

/* On the thread for callbacks, without the mutex. */
static void semaphore_on_lost(curator_mutex *leases, void *context)
{
    curator_semaphore *semaphore = context;
    framework_lock(leases->framework);
    void (*fn)(curator_semaphore *, void *) = semaphore->on_lost;
    void *fn_context = semaphore->on_lost_context;
    framework_unlock(leases->framework);
    if (fn != NULL) {
        fn(semaphore, fn_context); /* which may destroy the semaphore */
    }
}

curator_status curator_semaphore_on_lost(curator_semaphore *semaphore,
                                         void (*fn)(curator_semaphore *semaphore, void *context), void *context)
{
    curator_status status = semaphore_enter_open(semaphore, __func__);
    if (status != CURATOR_OK) {
        return status;
    }
    struct mutex_listener *listener = mutex_listener(semaphore->leases, MUTEX_LOST);
    if (listener != NULL) {
        semaphore->on_lost = fn;
        semaphore->on_lost_context = context;
        listener->fn = fn != NULL ? semaphore_on_lost : NULL;
        listener->context = semaphore;
    } else {
        status = fail(CURATOR_NO_MEMORY, "%s %s: no memory for the function", __func__, semaphore->path);
    }
    framework_unlock(semaphore->framework);
    return status;
}
