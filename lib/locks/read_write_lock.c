/* SPDX-License-Identifier: Apache-2.0 */
/* The read-write lock: two mutexes on one path whose drivers know each other. Compare InterProcessReadWriteLock. */
#include <curator/read_write_lock.h>

#include "base/error.h"
#include "locks/mutex.h"

#include <stdlib.h>

struct curator_read_write_lock {
    struct live_object live;
    curator_mutex *read, *write;
};

static void free_side(curator_framework *framework, curator_mutex *side)
{
    if (side != NULL) {
        framework_lock(framework);
        mutex_object_free_and_unlock(side);
    }
}

static curator_status read_write_lock_new(curator_read_write_lock **out, curator_framework *framework, const char *path,
                                          bool has_data, const void *data, size_t size, const char *caller)
{
    if (out == NULL) {
        return fail(CURATOR_INVALID_ARGUMENT, "%s: the pointer for the lock is NULL", caller);
    }
    *out = NULL;
    curator_read_write_lock *lock = calloc(1, sizeof *lock);
    if (lock == NULL) {
        return fail(CURATOR_NO_MEMORY, "%s: no memory", caller);
    }
    curator_status status =
        mutex_object_new(&lock->read, framework, path, &lock_driver_read, has_data, data, size, caller);
    if (status == CURATOR_OK) {
        status = mutex_object_new(&lock->write, framework, path, &lock_driver_write, has_data, data, size, caller);
    }
    if (status == CURATOR_OK && !live_object_add(&lock->live, lock)) {
        status = fail(CURATOR_NO_MEMORY, "%s: no memory", caller);
    }
    if (status != CURATOR_OK) {
        free_side(framework, lock->read);
        free_side(framework, lock->write);
        free(lock);
        return status;
    }
    lock->read->other_side = lock->write;
    lock->write->other_side = lock->read;
    *out = lock;
    return CURATOR_OK;
}

curator_status curator_read_write_lock_create(curator_read_write_lock **lock, curator_framework *framework,
                                              const char *path)
{
    return read_write_lock_new(lock, framework, path, false, NULL, 0, __func__);
}

curator_status curator_read_write_lock_create_with_data(curator_read_write_lock **lock, curator_framework *framework,
                                                        const char *path, const void *data, size_t size)
{
    return read_write_lock_new(lock, framework, path, true, data, size, __func__);
}

curator_status curator_read_write_lock_destroy(curator_read_write_lock *lock)
{
    if (lock == NULL) {
        return fail(CURATOR_INVALID_ARGUMENT, "%s: the lock is NULL", __func__);
    }
    if (!live_object_at(lock)) {
        return fail(CURATOR_INVALID_ARGUMENT, "%s: there is no lock at this address; was it destroyed before?",
                    __func__);
    }
    /* The read side first: its acquires look at the write side. If the one is not refused, the other is not either. */
    curator_status status = mutex_destroy(lock->read, __func__);
    if (status == CURATOR_OK) {
        mutex_destroy(lock->write, __func__);
        live_object_remove(&lock->live);
        free(lock);
    }
    return status;
}

curator_mutex *curator_read_write_lock_read_side(curator_read_write_lock *lock)
{
    return lock != NULL ? lock->read : NULL;
}

curator_mutex *curator_read_write_lock_write_side(curator_read_write_lock *lock)
{
    return lock != NULL ? lock->write : NULL;
}

curator_mutex *curator_read_write_lock_read(curator_read_write_lock *lock)
{
    return curator_read_write_lock_read_side(lock);
}

curator_mutex *curator_read_write_lock_write(curator_read_write_lock *lock)
{
    return curator_read_write_lock_write_side(lock);
}
