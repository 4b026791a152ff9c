/* SPDX-License-Identifier: Apache-2.0 */
/* The mutex object: the way into its calls, its creation. */
#include "locks/mutex_object.h"

#include "base/error.h"
#include "base/path.h"
#include "framework/stored_data.h"

#include <stdlib.h>
#include <string.h>

curator_status mutex_check_live(const curator_mutex *mutex, const char *caller)
{
    return live_object_at(mutex) ? CURATOR_OK
                                 : fail(CURATOR_INVALID_ARGUMENT,
                                        "%s: there is no mutex at this address; was it destroyed before?", caller);
}

curator_status mutex_enter(const curator_mutex *mutex, const char *caller)
{
    if (mutex == NULL) {
        return fail(CURATOR_INVALID_ARGUMENT, "%s: the mutex is NULL", caller);
    }
    curator_status status = framework_check(mutex->framework, caller);
    if (status != CURATOR_OK) { /* the memory of a mutex that was destroyed looks like a parent's */
        return mutex_check_live(mutex, caller) == CURATOR_OK ? status : CURATOR_INVALID_ARGUMENT;
    }
    framework_lock(mutex->framework);
    if (mutex->destroyed) { /* by a thread that waits for the callback in which this is called */
        status = fail(CURATOR_CLOSED, "%s %s: the mutex is being destroyed", caller, mutex->path);
        framework_unlock(mutex->framework);
    }
    return status;
}

curator_status mutex_enter_open(const curator_mutex *mutex, const char *caller)
{
    curator_status status = mutex_enter(mutex, caller);
    if (status == CURATOR_OK && mutex->framework->closed) {
        status = fail(CURATOR_CLOSED, "%s %s: the framework is closed", caller, mutex->path);
        framework_unlock(mutex->framework);
    }
    return status;
}

static curator_status check_mutex_arguments(curator_mutex **out, curator_framework *framework, const char *path,
                                            const void *data, size_t size, const char *caller)
{
    if (out == NULL) {
        return fail(CURATOR_INVALID_ARGUMENT, "%s: the pointer for the mutex is NULL", caller);
    }
    *out = NULL;
    curator_status status = framework_check(framework, caller);
    if (status == CURATOR_OK) {
        status = path_validate(path);
        status = status == CURATOR_OK ? CURATOR_OK : fail_in(caller, status);
    }
    if (status != CURATOR_OK) {
        return status;
    }
    if (strcmp(path, "/") == 0) {
        return fail(CURATOR_INVALID_ARGUMENT, "%s: no lock can be taken on the root path \"/\"", caller);
    }
    if (data == NULL && size > 0) {
        return fail(CURATOR_INVALID_ARGUMENT, "%s %s: data is NULL, but its size is %zu", caller, path, size);
    }
    return CURATOR_OK;
}

static curator_status check_mutex_size(const curator_framework *framework, const char *path,
                                       const struct lock_driver *driver, bool has_data, size_t data_size,
                                       const char *caller)
{
    struct node_size size = framework_node_size(framework);
    size.path = strlen(path);
    size.name = lock_driver_name_room(driver);
    size.data = has_data ? data_size : size.data;
    return node_size_check(&size, caller);
}

static void mutex_object_free(curator_mutex *mutex)
{
    live_object_remove(&mutex->live);
    free(mutex->path);
    free(mutex->full_path);
    free(mutex->data);
    free(mutex->listeners);
    free(mutex);
}

/* With no reference to the framework yet. NULL: out of memory. */
static curator_mutex *mutex_object_alloc(curator_framework *framework, const char *path, const void *data, size_t size)
{
    curator_mutex *mutex = calloc(1, sizeof *mutex);
    if (mutex == NULL) {
        return NULL;
    }
    mutex->framework = framework;
    mutex->path = strdup(path);
    mutex->full_path = framework_full_path(framework, path);
    mutex->data = malloc(size + 1);
    mutex->data_size = size;
    if (mutex->path == NULL || mutex->full_path == NULL || mutex->data == NULL ||
        !live_object_add(&mutex->live, mutex)) {
        mutex_object_free(mutex);
        return NULL;
    }
    if (size > 0) {
        memcpy(mutex->data, data, size);
    }
    return mutex;
}

curator_status mutex_object_new(curator_mutex **out, curator_framework *framework, const char *path,
                                const struct lock_driver *driver, bool has_data, const void *data, size_t size,
                                const char *caller)
{
    curator_status status = check_mutex_arguments(out, framework, path, data, size, caller);
    void *room = NULL;
    if (status == CURATOR_OK && has_data && !stored_data_of(framework, &data, &size, &room)) {
        status = fail(CURATOR_NO_MEMORY, "%s %s: no memory", caller, path);
    }
    if (status == CURATOR_OK) {
        status = check_mutex_size(framework, path, driver, has_data, size, caller);
    }
    if (status != CURATOR_OK) {
        free(room);
        return status;
    }
    curator_mutex *mutex = mutex_object_alloc(framework, path, data, size);
    free(room);
    if (mutex == NULL) {
        return fail(CURATOR_NO_MEMORY, "%s %s: no memory", caller, path);
    }
    mutex->driver = driver;
    mutex->has_data = has_data;
    framework_lock(framework);
    bool closed = framework->closed;
    if (!closed) {
        framework_ref(framework);
    }
    framework_unlock(framework);
    if (closed) {
        mutex_object_free(mutex);
        return fail(CURATOR_CLOSED, "%s %s: the framework is closed", caller, path);
    }
    *out = mutex;
    return CURATOR_OK;
}

void mutex_note_other_kind(curator_mutex *mutex, const char *child)
{
    if (mutex->other_kind_noted) {
        return;
    }
    mutex->other_kind_noted = true;
    if (mutex->other_side != NULL) {
        mutex->other_side->other_kind_noted = true;
    }
    framework_log(mutex->framework, CURATOR_LOG_WARN,
                  "lock %s: a mutex and a read-write lock are used on this path, and do not exclude each other: %s",
                  mutex->path, child);
}

void mutex_object_free_and_unlock(curator_mutex *mutex)
{
    framework_unref_and_unlock(mutex->framework);
    mutex_object_free(mutex);
}
