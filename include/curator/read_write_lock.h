/* SPDX-License-Identifier: Apache-2.0 */
/** \file
 * A shared and an exclusive lock on one path, across processes and languages.
 *
 * Any number of readers hold it, or one writer. Readers and writers queue in one fair order. It contends with every
 * Apache Curator InterProcessReadWriteLock on the same path.
 *
 * Both sides are mutexes: every call of `<curator/mutex.h>` works on them, except curator_mutex_destroy(). And:
 *
 * - **A writer may read.** A thread that holds the write lock gets the read lock at once.
 * - **Downgrade.** When it then releases the write lock, it goes on reading in the writer's place in the queue. No
 *   writer that had queued meanwhile gets in before it has released the read lock. This holds for the thread that holds
 *   the write lock, through the same object. docs/guarantees.md says what it promises and what not. Peers with Curator
 *   before 5.5.0 understand our downgrade, but lose their own place when they downgrade.
 * - **No upgrade.** A thread that holds the read lock cannot get the write lock: it would wait for itself.
 *   curator_mutex_acquire() of the write side answers CURATOR_WOULD_DEADLOCK at once, curator_mutex_acquire_for()
 *   CURATOR_TIMED_OUT at its deadline. The read lock stays.
 * - Participants of a side are the nodes of that kind only.
 * - The fencing token of a downgraded reader is its writer's. Compare the tokens of writers and readers with each
 *   other, not those of readers that hold together.
 *
 * \code
 * #include <curator/curator.h>
 *
 * // Writes, then goes on reading what it wrote, without letting another writer in between.
 * curator_status write_then_read(curator_read_write_lock *lock, void (*write)(void), void (*read)(void))
 * {
 *     curator_mutex *reading = curator_read_write_lock_read_side(lock);
 *     curator_mutex *writing = curator_read_write_lock_write_side(lock);
 *     curator_status status = curator_mutex_acquire_for(writing, 5000);
 *     if (status != CURATOR_OK) {
 *         return status;
 *     }
 *     write();
 *     status = curator_mutex_acquire_for(reading, 5000);
 *     curator_status released = curator_mutex_release(writing);
 *     if (status != CURATOR_OK) {
 *         return status;
 *     }
 *     read();
 *     curator_status left = curator_mutex_release(reading);
 *     return released == CURATOR_OK ? left : released;
 * }
 * \endcode
 *
 * examples/shared_catalogue.c is a complete program.
 *
 * \ports org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock
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

/** A read-write lock. Opaque; from curator_read_write_lock_create() to curator_read_write_lock_destroy(). */
typedef struct curator_read_write_lock curator_read_write_lock;

/**
 * Creates a read-write lock on a path.
 *
 * Nothing is sent; the path is created when it is first needed.
 *
 * \param lock      out: the lock, to be destroyed with curator_read_write_lock_destroy(); NULL unless CURATOR_OK
 * \param framework may be closed before the lock is destroyed
 * \param path      copied
 * \retval CURATOR_OK               the lock is created
 * \retval CURATOR_INVALID_ARGUMENT as curator_mutex_create()
 * \retval CURATOR_NO_MEMORY        no lock is created
 * \retval CURATOR_CLOSED           the framework was closed
 * \retval CURATOR_FORKED           called in a child process
 * \blocks no
 * \threads any
 * \ports new InterProcessReadWriteLock(CuratorFramework, String)
 */
CURATOR_API curator_status curator_read_write_lock_create(curator_read_write_lock **lock, curator_framework *framework,
                                                          const char *path);

/**
 * Creates a read-write lock on a path, with data for the nodes of both sides.
 *
 * \param lock      out: the lock, to be destroyed with curator_read_write_lock_destroy(); NULL unless CURATOR_OK
 * \param framework may be closed before the lock is destroyed
 * \param path      copied
 * \param data      copied; may be NULL if size is 0
 * \param size      bytes at data
 * \retval CURATOR_OK               the lock is created
 * \retval CURATOR_INVALID_ARGUMENT as curator_mutex_create_with_data()
 * \retval CURATOR_NO_MEMORY        no lock is created
 * \retval CURATOR_CLOSED           the framework was closed
 * \retval CURATOR_FORKED           called in a child process
 * \blocks no
 * \threads any
 * \ports new InterProcessReadWriteLock(CuratorFramework, String, byte[])
 */
CURATOR_API curator_status curator_read_write_lock_create_with_data(curator_read_write_lock **lock,
                                                                    curator_framework *framework, const char *path,
                                                                    const void *data, size_t size);

/**
 * Destroys both sides of a read-write lock, as curator_mutex_destroy() destroys a mutex.
 *
 * It works after the framework was closed, too.
 *
 * \param lock the lock
 * \retval CURATOR_OK               destroyed; with any other status nothing is
 * \retval CURATOR_WOULD_DEADLOCK   called on a ZooKeeper callback thread
 * \retval CURATOR_CLOSED           called from a callback of a side, while another thread destroys the lock
 * \retval CURATOR_FORKED           called in a child process
 * \retval CURATOR_INVALID_ARGUMENT a NULL, or no lock is there: it was destroyed before
 * \blocks briefly: until calls on the sides have returned and a running callback has ended; not for the network
 * \threads any but a ZooKeeper callback's
 * \ports nothing: in Java a garbage collector does it
 */
CURATOR_API curator_status curator_read_write_lock_destroy(curator_read_write_lock *lock);

/**
 * Returns the side for reading.
 *
 * \param lock the lock
 * \return the side, which belongs to the lock and ends with it; NULL for NULL
 * \blocks no
 * \threads any
 * \ports InterProcessReadWriteLock.readLock()
 */
CURATOR_API curator_mutex *curator_read_write_lock_read_side(curator_read_write_lock *lock);

/**
 * Returns the side for writing.
 *
 * \param lock the lock
 * \return the side, which belongs to the lock and ends with it; NULL for NULL
 * \blocks no
 * \threads any
 * \ports InterProcessReadWriteLock.writeLock()
 */
CURATOR_API curator_mutex *curator_read_write_lock_write_side(curator_read_write_lock *lock);

/**
 * As curator_read_write_lock_read_side(), under its first name, which reads like an action. Until 1.0.
 *
 * \param lock the lock
 * \return the side, which belongs to the lock and ends with it; NULL for NULL
 * \blocks no
 * \threads any
 * \ports InterProcessReadWriteLock.readLock()
 */
CURATOR_API curator_mutex *curator_read_write_lock_read(curator_read_write_lock *lock);

/**
 * As curator_read_write_lock_write_side(), under its first name, which reads like an action. Until 1.0.
 *
 * \param lock the lock
 * \return the side, which belongs to the lock and ends with it; NULL for NULL
 * \blocks no
 * \threads any
 * \ports InterProcessReadWriteLock.writeLock()
 */
CURATOR_API curator_mutex *curator_read_write_lock_write(curator_read_write_lock *lock);

#ifdef __cplusplus
}
#endif

#endif
