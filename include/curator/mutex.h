/* SPDX-License-Identifier: Apache-2.0 */
/** \file
 * A re-entrant, fair mutex across processes and languages.
 *
 * It contends with every Apache Curator InterProcessMutex on the same path.
 *
 * - A mutex object may be shared by any number of threads. Each thread that acquires queues on its own.
 * - **Ownership belongs to thread and object.** Only the thread that acquired can release, through the same object. Two
 *   objects on one path are two contenders, also in one thread.
 * - A thread that holds the lock gets it again at once; each acquire needs its release.
 * - A lock can be **lost** while it is held. Until the thread releases it, every acquire and release of that thread
 *   then answers CURATOR_LOCK_LOST. docs/guarantees.md says more.
 *
 * A call that blocks must not be called on a ZooKeeper callback thread: it answers CURATOR_WOULD_DEADLOCK, at once. No
 * call is a cancellation point: pthread_cancel() takes effect after it, and curator_mutex_interrupt() is what ends a
 * wait. Signals end none.
 *
 * \code
 * #include <curator/curator.h>
 * #include <inttypes.h>
 * #include <stdio.h>
 *
 * // Runs work with a fencing token while holding the lock; tries twice, two seconds each, and names who is in the way.
 * curator_status with_lock(curator_mutex *mutex, void (*work)(int64_t token))
 * {
 *     curator_status status = curator_mutex_acquire_for(mutex, 2000);
 *     if (status == CURATOR_TIMED_OUT) {
 *         status = curator_mutex_acquire_for(mutex, 2000);
 *     }
 *     if (status != CURATOR_OK) {
 *         fprintf(stderr, "busy: %s\n", curator_last_error());
 *         return status;
 *     }
 *     int64_t token = 0;
 *     status = curator_mutex_fencing_token(mutex, &token);
 *     if (status == CURATOR_OK) {
 *         printf("working with token %" PRId64 "\n", token);
 *         work(token);
 *     }
 *     curator_status released = curator_mutex_release(mutex);
 *     return status == CURATOR_OK ? released : status;
 * }
 * \endcode
 *
 * What else there is for a mutex stands in headers of its own, which this one includes: `<curator/ownership.h>`,
 * `<curator/lease.h>`, `<curator/participants.h>` and `<curator/revocation.h>`.
 *
 * \ports org.apache.curator.framework.recipes.locks.InterProcessMutex
 */
#ifndef CURATOR_MUTEX_H
#define CURATOR_MUTEX_H

#include <curator/api.h>
#include <curator/framework.h>
#include <curator/lease.h>
#include <curator/ownership.h>
#include <curator/participants.h>
#include <curator/revocation.h>
#include <curator/status.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A mutex.
 *
 * Opaque; from curator_mutex_create() to curator_mutex_destroy(). Or a side of a read-write lock, with which it is
 * destroyed.
 */
typedef struct curator_mutex curator_mutex;

/**
 * Creates a mutex on a path.
 *
 * Nothing is sent; the path is created when it is first needed.
 *
 * \param mutex     out: the mutex, to be destroyed with curator_mutex_destroy(); NULL unless CURATOR_OK
 * \param framework may be closed before the mutex is destroyed
 * \param path      copied
 * \retval CURATOR_OK               the mutex is created
 * \retval CURATOR_INVALID_ARGUMENT a NULL; or the path breaks one of ZooKeeper's rules (the sentence names rule and
 *                                  position); or it is "/", on which no lock can be taken; or the request that creates
 *                                  a node, with chroot, name space, path, data and ACL, would be longer than the
 *                                  1,048,575 bytes that a server accepts by default (the sentence names the parts)
 * \retval CURATOR_NO_MEMORY        no mutex is created
 * \retval CURATOR_CLOSED           the framework was closed
 * \retval CURATOR_FORKED           called in a child process
 * \blocks no
 * \threads any
 * \ports new InterProcessMutex(CuratorFramework, String)
 */
CURATOR_API curator_status curator_mutex_create(curator_mutex **mutex, curator_framework *framework, const char *path);

/**
 * Creates a mutex on a path, with data of its own for the lock nodes.
 *
 * As curator_mutex_create(), but the nodes carry this data instead of the framework's default data. Path and data
 * together have at most 1,047,552 bytes.
 *
 * \param mutex     out: the mutex, to be destroyed with curator_mutex_destroy(); NULL unless CURATOR_OK
 * \param framework may be closed before the mutex is destroyed
 * \param path      copied
 * \param data      copied; may be NULL if size is 0
 * \param size      bytes at data
 * \retval CURATOR_OK               the mutex is created
 * \retval CURATOR_INVALID_ARGUMENT as curator_mutex_create(), or data is NULL and size is not 0
 * \retval CURATOR_NO_MEMORY        no mutex is created
 * \retval CURATOR_CLOSED           the framework was closed
 * \retval CURATOR_FORKED           called in a child process
 * \blocks no
 * \threads any
 * \ports InterProcessMutex.getLockNodeBytes()
 */
CURATOR_API curator_status curator_mutex_create_with_data(curator_mutex **mutex, curator_framework *framework,
                                                          const char *path, const void *data, size_t size);

/**
 * Destroys a mutex, also one that is held or waited for.
 *
 * Waiting threads return CURATOR_CLOSED before this returns, and a release that is being confirmed
 * CURATOR_RELEASE_PENDING. Nodes that are held are deleted in the background. A callback of this mutex that is running
 * is waited for, unless this is called from it. No other call on the object may begin once this has been called, a
 * second destroy included. It works after the framework was closed, too.
 *
 * \param mutex the mutex
 * \retval CURATOR_OK               destroyed; with any other status nothing is
 * \retval CURATOR_WOULD_DEADLOCK   called on a ZooKeeper callback thread
 * \retval CURATOR_CLOSED           called from a callback of this mutex, while another thread destroys it
 * \retval CURATOR_FORKED           called in a child process
 * \retval CURATOR_INVALID_ARGUMENT a NULL, a side of a read-write lock, or no mutex is there: it was destroyed before.
 *                                  Not recognised once the memory is another mutex's
 * \blocks briefly: until calls on this mutex have returned and a running callback has ended; not for the network
 * \threads any but a ZooKeeper callback's
 * \ports nothing: in Java a garbage collector does it
 */
CURATOR_API curator_status curator_mutex_destroy(curator_mutex *mutex);

/**
 * Acquires the lock, waiting as long as it takes.
 *
 * A thread that holds the lock gets it again at once, without a request. Each acquire needs its release.
 *
 * With any status but CURATOR_OK nothing new is held, and the node of this attempt is gone, or is deleted in the
 * background.
 *
 * \param mutex the mutex
 * \retval CURATOR_OK               the lock is this thread's once more
 * \retval CURATOR_LOCK_LOST        this thread held the lock, lost it, and has not released it since; the sentence says
 *                                  why and since when
 * \retval CURATOR_INTERRUPTED      by curator_mutex_interrupt()
 * \retval CURATOR_CONNECTION_LOSS  the retry policy allows no further try
 * \retval CURATOR_SESSION_EXPIRED  the retry policy allows no further try
 * \retval CURATOR_NO_AUTH          the server refused; the sentence names operation and path
 * \retval CURATOR_WOULD_DEADLOCK   called on a ZooKeeper callback thread; or on the write side of a read-write lock, by
 *                                  a thread that holds the read side
 * \retval CURATOR_NO_MEMORY        not acquired; the object can be used again at once
 * \retval CURATOR_CLOSED           the framework was closed or the mutex destroyed, before or during the call
 * \retval CURATOR_FORKED           called in a child process
 * \retval CURATOR_INVALID_ARGUMENT a NULL
 * \retval CURATOR_ERROR            the sentence says more
 * \blocks without limit while it queues. Without a connection: connection_timeout_ms, then as the retry policy says.
 *         curator_mutex_interrupt(), curator_mutex_destroy() and curator_framework_close() end it.
 * \threads any but a ZooKeeper callback's
 * \ports InterProcessMutex.acquire()
 */
CURATOR_API curator_status curator_mutex_acquire(curator_mutex *mutex);

/**
 * Acquires the lock, waiting at most timeout_ms milliseconds in all.
 *
 * Connecting, retrying and waiting are included, whatever the network does. As curator_mutex_acquire() otherwise.
 *
 * \param mutex      the mutex
 * \param timeout_ms milliseconds; 0 tries once, without waiting for other holders
 * \retval CURATOR_OK               the lock is this thread's once more
 * \retval CURATOR_TIMED_OUT        not in time; with 0: somebody else holds it. The sentence names the node that it
 *                                  was waiting for; and the data of the holder's node, its first 64 bytes, if that
 *                                  one or the next was read to be watched
 * \retval CURATOR_LOCK_LOST        this thread held the lock, lost it, and has not released it since
 * \retval CURATOR_INTERRUPTED      by curator_mutex_interrupt()
 * \retval CURATOR_CONNECTION_LOSS  the retry policy allows no further try; or timeout_ms is 0 and there is no
 *                                  connection
 * \retval CURATOR_SESSION_EXPIRED  the retry policy allows no further try
 * \retval CURATOR_NO_AUTH          the server refused; the sentence names operation and path
 * \retval CURATOR_WOULD_DEADLOCK   called on a ZooKeeper callback thread
 * \retval CURATOR_NO_MEMORY        not acquired; the object can be used again at once
 * \retval CURATOR_CLOSED           the framework was closed or the mutex destroyed, before or during the call
 * \retval CURATOR_FORKED           called in a child process
 * \retval CURATOR_INVALID_ARGUMENT a NULL or a negative time
 * \retval CURATOR_ERROR            the sentence says more
 * \blocks until timeout_ms, plus at most 50 ms in which it waits for its node's deletion to be confirmed; a deletion
 *         still unconfirmed goes on in the background. With 0: as long as its round trips take, at most
 *         connection_timeout_ms, plus the same 50 ms.
 * \threads any but a ZooKeeper callback's
 * \ports InterProcessMutex.acquire(long, TimeUnit)
 */
CURATOR_API curator_status curator_mutex_acquire_for(curator_mutex *mutex, int64_t timeout_ms);

/**
 * Undoes one acquire of the calling thread; the last one frees the lock.
 *
 * The last one deletes the node and waits for the confirmation. It needs no memory.
 *
 * \param mutex the mutex
 * \retval CURATOR_OK               undone; after the last one the lock is free
 * \retval CURATOR_NOT_OWNER        this thread does not hold it; the sentence says whether another thread of this
 *                                  process does (by the system's number of the thread, as ps -L shows it), and whether
 *                                  that one has ended. Nothing changes, nothing is sent
 * \retval CURATOR_LOCK_LOST        the lock was lost before, or the node is found deleted, or the server says that the
 *                                  session ended before the delete was confirmed, perhaps before the release; the
 *                                  sentence says which, and since when if that is known. The release counts
 * \retval CURATOR_RELEASE_PENDING  not confirmed in time, or interrupted, or the session is over by the library's own
 *                                  clock only. The thread does not hold any more, the delete goes on in the background
 * \retval CURATOR_NO_AUTH          the server refused the delete. The thread does not hold any more, but the node stays
 *                                  until the session ends
 * \retval CURATOR_ERROR            likewise, for another reason than an ACL; the sentence says which
 * \retval CURATOR_CLOSED           the framework was closed; the node is deleted with its session
 * \retval CURATOR_WOULD_DEADLOCK   called on a ZooKeeper callback thread; nothing changes
 * \retval CURATOR_FORKED           called in a child process
 * \retval CURATOR_INVALID_ARGUMENT a NULL
 * \blocks only the last one: until the server confirms, at most connection_timeout_ms
 * \threads the one that acquired
 * \ports InterProcessMutex.release()
 */
CURATOR_API curator_status curator_mutex_release(curator_mutex *mutex);

/**
 * Undoes one acquire of the calling thread, waiting at most timeout_ms milliseconds for the confirmation.
 *
 * As curator_mutex_release(), with another limit. The last release of a hold always gives the lock up, whatever it
 * returns: without a confirmation the delete goes on in the background, until the server confirms it or the session is
 * over. Others may wait for it as long.
 *
 * With 0 the delete is sent and nothing is waited for: CURATOR_RELEASE_PENDING is then the usual answer. The next
 * acquire goes out right behind the delete, so that a loop of acquire and release costs one round trip instead of two.
 * The price: nobody is told if the lock turns out to have been lost, or if the server refuses the delete. In the second
 * case the log says it, and an acquire that meets the node fails with CURATOR_NO_AUTH. A process that ends without
 * curator_framework_close() may end before the delete is sent; its nodes then stay for a session timeout.
 *
 * A first release of several only counts down and returns CURATOR_OK.
 *
 * \param mutex      the mutex
 * \param timeout_ms milliseconds; 0 does not wait
 * \retval CURATOR_OK               undone; after the last one the lock is free
 * \retval CURATOR_NOT_OWNER        this thread does not hold it. Nothing changes, nothing is sent
 * \retval CURATOR_LOCK_LOST        the lock was lost before, or the node is found deleted, or the server says that the
 *                                  session ended before the delete was confirmed. The release counts
 * \retval CURATOR_RELEASE_PENDING  not confirmed in time, or interrupted, or the session is over by the library's own
 *                                  clock only. The thread does not hold any more, the delete goes on in the background
 * \retval CURATOR_NO_AUTH          the server refused the delete. The thread does not hold any more, but the node stays
 *                                  until the session ends
 * \retval CURATOR_ERROR            likewise, for another reason than an ACL; the sentence says which
 * \retval CURATOR_CLOSED           the framework was closed; the node is deleted with its session
 * \retval CURATOR_WOULD_DEADLOCK   called on a ZooKeeper callback thread; nothing changes
 * \retval CURATOR_FORKED           called in a child process
 * \retval CURATOR_INVALID_ARGUMENT a NULL or a negative time; nothing changes
 * \blocks only the last one: until the server confirms, at most timeout_ms
 * \threads the one that acquired
 * \ports nothing: InterProcessMutex.release() has no limit
 */
CURATOR_API curator_status curator_mutex_release_for(curator_mutex *mutex, int64_t timeout_ms);

/**
 * Ends every wait in progress on this object, in whichever thread.
 *
 * Acquires and lists of participants return CURATOR_INTERRUPTED; releases that are not confirmed within another 50 ms
 * return CURATOR_RELEASE_PENDING. Calls that begin later are not affected. If nothing waits, nothing happens.
 *
 * \param mutex the mutex
 * \retval CURATOR_OK               done
 * \retval CURATOR_CLOSED           the framework was closed, or the mutex is being destroyed
 * \retval CURATOR_FORKED           called in a child process
 * \retval CURATOR_INVALID_ARGUMENT a NULL
 * \blocks no
 * \threads any, callbacks included
 * \ports Thread.interrupt() of the waiting threads
 */
CURATOR_API curator_status curator_mutex_interrupt(curator_mutex *mutex);

#ifdef __cplusplus
}
#endif

#endif
