/* SPDX-License-Identifier: Apache-2.0 */
/* The read-write lock: two mutexes on one path whose drivers know each other. Compare InterProcessReadWriteLock. */
#include <curator/read_write_lock.h>

#include "base/error.h"
#include "locks/mutex.h"

#include <stdlib.h>

struct curator_read_write_lock {
    curator_mutex *read, *write;
};

static curator_status read_write_lock_new(curator_read_write_lock **out, curator_framework *framework, const char *path,
                                          bool has_data, const void *data, size_t size)
{
    if (out == NULL) {
        return fail(CURATOR_INVALID_ARGUMENT, "curator_read_write_lock_create: the pointer for the lock is NULL");
    }
    *out = NULL;
    curator_read_write_lock *lock = calloc(1, sizeof *lock);
    if (lock == NULL) {
        return fail(CURATOR_NO_MEMORY, "curator_read_write_lock_create: no memory");
    }
    curator_status status = mutex_object_new(&lock->read, framework, path, &lock_driver_read, has_data, data, size);
    if (status == CURATOR_OK) {
        status = mutex_object_new(&lock->write, framework, path, &lock_driver_write, has_data, data, size);
    }
    if (status != CURATOR_OK) {
        if (lock->read != NULL) {
            framework_lock(framework);
            mutex_object_free_and_unlock(lock->read);
        }
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
    return read_write_lock_new(lock, framework, path, false, NULL, 0);
}

curator_status curator_read_write_lock_create_with_data(curator_read_write_lock **lock, curator_framework *framework,
                                                        const char *path, const void *data, size_t size)
{
    return read_write_lock_new(lock, framework, path, true, data, size);
}

curator_status curator_read_write_lock_destroy(curator_read_write_lock *lock)
{
    if (lock == NULL) {
        return fail(CURATOR_INVALID_ARGUMENT, "%s: the lock is NULL", __func__);
    }
    /* The read side first: its acquires look at the write side. If the one is not refused, the other is not either. */
    curator_status status = mutex_destroy(lock->read, __func__);
    if (status == CURATOR_OK) {
        mutex_destroy(lock->write, __func__);
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
