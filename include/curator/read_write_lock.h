/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A shared and an exclusive lock on one path, across processes and languages: contends with every Apache Curator
 * InterProcessReadWriteLock on the same path. Any number of readers hold at once, a writer holds alone; all queue in
 * one fair order. Ports org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock.
 *
 * Both sides are mutexes: every call of <curator/mutex.h> works on them, but curator_mutex_destroy(). Beyond that:
 * - A thread that holds the write lock gets the read lock at once. When it then releases the write lock, it goes on
 *   reading in the writer's place in the queue (a downgrade): no writer that had queued meanwhile gets in before it has
 *   released the read lock. Only the thread that holds the write lock, and only through the same object.
 * - A thread that holds the read lock cannot get the write lock: curator_mutex_acquire() of the write side answers
 *   CURATOR_WOULD_DEADLOCK at once, curator_mutex_acquire_for() CURATOR_TIMED_OUT at its deadline.
 * - Participants of a side are the nodes of that kind only.
 * - The fencing token of a downgraded reader is its writer's: it took the writer's place.
 */
#ifndef CURATOR_READ_WRITE_LOCK_H
#define CURATOR_READ_WRITE_LOCK_H

#include <curator/api.h>
#include <curator/framework.h>
#include <curator/mutex.h>
#include <curator/status.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct curator_read_write_lock curator_read_write_lock;

/*
 * Makes a read-write lock and hands it out in *lock, to be ended with curator_read_write_lock_destroy(). As
 * curator_mutex_create(), with the same statuses. Ports new InterProcessReadWriteLock(CuratorFramework, String).
 */
CURATOR_API curator_status curator_read_write_lock_create(curator_read_write_lock **lock, curator_framework *framework,
                                                          const char *path);

/*
 * The same with data for the nodes of both sides; size bytes at data are copied. Ports
 * new InterProcessReadWriteLock(CuratorFramework, String, byte[]).
 */
CURATOR_API curator_status curator_read_write_lock_create_with_data(curator_read_write_lock **lock,
                                                                    curator_framework *framework, const char *path,
                                                                    const void *data, size_t size);

/* Ends both sides, as curator_mutex_destroy() ends a mutex, with the same statuses. */
CURATOR_API curator_status curator_read_write_lock_destroy(curator_read_write_lock *lock);

/*
 * The sides. They belong to the lock and end with it. NULL for NULL. Any thread; does not block. Port readLock() and
 * writeLock().
 */
CURATOR_API curator_mutex *curator_read_write_lock_read(curator_read_write_lock *lock);
CURATOR_API curator_mutex *curator_read_write_lock_write(curator_read_write_lock *lock);

#ifdef __cplusplus
}
#endif

#endif
