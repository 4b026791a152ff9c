/* SPDX-License-Identifier: Apache-2.0 */
/** \file
 * A semaphore across processes and languages: at most so many leases at a time in the whole fleet.
 *
 * It counts together with every Apache Curator InterProcessSemaphoreV2 on the same path.
 *
 * - A semaphore object may be shared by any number of threads. Each acquire queues on its own.
 * - **A lease belongs to no thread.** Each is an object of its own, ::curator_lease, that any thread may return.
 * - Leases are granted in the order in which they are asked for, across processes.
 * - All who use a path must use the same maximum, as with Curator: each counts the leases of all against its own.
 * - A lease can be **lost** while it is held: curator_lease_is_held(), curator_semaphore_on_lost().
 *   docs/guarantees.md says when.
 * - A process that dies gives its leases back when its session ends.
 *
 * A call that blocks must not be called on a ZooKeeper callback thread: it answers CURATOR_WOULD_DEADLOCK, at once. No
 * call is a cancellation point, and signals end none: curator_semaphore_interrupt() is what ends a wait.
 *
 * \code
 * #include <curator/curator.h>
 * #include <stdio.h>
 *
 * // Runs a job while a lease is held: of all processes, at most as many jobs as the semaphore's maximum run at once.
 * curator_status run_limited(curator_semaphore *semaphore, void (*job)(void))
 * {
 *     curator_lease *lease;
 *     curator_status status = curator_semaphore_acquire_for(semaphore, 60000, &lease);
 *     if (status != CURATOR_OK) {
 *         fprintf(stderr, "no lease: %s\n", curator_last_error());
 *         return status;
 *     }
 *     job();
 *     return curator_lease_return(lease);
 * }
 * \endcode
 *
 * \ports org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2
 */
#ifndef CURATOR_SEMAPHORE_H
#define CURATOR_SEMAPHORE_H

#include <curator/api.h>
#include <curator/contenders.h>
#include <curator/framework.h>
#include <curator/semaphore_lease.h>
#include <curator/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A semaphore.
 *
 * Opaque; from curator_semaphore_create() to curator_semaphore_destroy().
 */
typedef struct curator_semaphore curator_semaphore;

/**
 * Creates a semaphore on a path, with a maximum of leases that stays.
 *
 * Nothing is sent; the path and its children "locks" and "leases" are created when they are first needed.
 *
 * \param semaphore out: the semaphore, to be destroyed with curator_semaphore_destroy(); NULL unless CURATOR_OK
 * \param framework may be closed before the semaphore is destroyed
 * \param path      copied
 * \param maximum   how many leases all who use the path may hold at a time; 1 or more
 * \retval CURATOR_OK               the semaphore is created
 * \retval CURATOR_INVALID_ARGUMENT a NULL; or the maximum is less than 1; or the path breaks one of ZooKeeper's rules
 *                                  (the sentence names rule and position); or a node's request would be longer than a
 *                                  server accepts by default, as of curator_mutex_create()
 * \retval CURATOR_NO_MEMORY        no semaphore is created
 * \retval CURATOR_CLOSED           the framework was closed
 * \retval CURATOR_FORKED           called in a child process
 * \blocks no
 * \threads any
 * \ports new InterProcessSemaphoreV2(CuratorFramework, String, int)
 */
CURATOR_API curator_status curator_semaphore_create(curator_semaphore **semaphore, curator_framework *framework,
                                                    const char *path, int maximum);

/**
 * Creates a semaphore on a path, with data of its own for the nodes of its leases.
 *
 * As curator_semaphore_create(), but the leases' nodes carry this data instead of the framework's default data.
 *
 * \param semaphore out: the semaphore, to be destroyed with curator_semaphore_destroy(); NULL unless CURATOR_OK
 * \param framework may be closed before the semaphore is destroyed
 * \param path      copied
 * \param maximum   how many leases all who use the path may hold at a time; 1 or more
 * \param data      copied; may be NULL if size is 0
 * \param size      bytes at data
 * \retval CURATOR_OK               the semaphore is created
 * \retval CURATOR_INVALID_ARGUMENT as curator_semaphore_create(), or data is NULL and size is not 0
 * \retval CURATOR_NO_MEMORY        no semaphore is created
 * \retval CURATOR_CLOSED           the framework was closed
 * \retval CURATOR_FORKED           called in a child process
 * \blocks no
 * \threads any
 * \ports InterProcessSemaphoreV2.setNodeData()
 */
CURATOR_API curator_status curator_semaphore_create_with_data(curator_semaphore **semaphore,
                                                              curator_framework *framework, const char *path,
                                                              int maximum, const void *data, size_t size);

/**
 * Destroys a semaphore, with the leases that it still has, also while others wait.
 *
 * Waiting threads return CURATOR_CLOSED before this returns, and a return that is being confirmed
 * CURATOR_RELEASE_PENDING. The nodes of its leases are deleted in the background, and the lease objects end. A callback
 * of this semaphore that is running is waited for, unless this is called from it. No other call on the object or its
 * leases may begin once this has been called. It works after the framework was closed, too.
 *
 * \param semaphore the semaphore
 * \retval CURATOR_OK               destroyed; with any other status nothing is
 * \retval CURATOR_WOULD_DEADLOCK   called on a ZooKeeper callback thread
 * \retval CURATOR_CLOSED           called from a callback of this semaphore, while another thread destroys it
 * \retval CURATOR_FORKED           called in a child process
 * \retval CURATOR_INVALID_ARGUMENT a NULL, or no semaphore is there: it was destroyed before. Not recognised once the
 *                                  memory is another object's
 * \blocks briefly: until calls on this semaphore have returned and a running callback has ended; not for the network
 * \threads any but a ZooKeeper callback's
 * \ports nothing: in Java a garbage collector does it, and leases outlive their semaphore
 */
CURATOR_API curator_status curator_semaphore_destroy(curator_semaphore *semaphore);

/**
 * Acquires a lease, waiting as long as it takes.
 *
 * With any status but CURATOR_OK nothing is held, and the nodes of this attempt are gone, or are deleted in the
 * background.
 *
 * \param semaphore the semaphore
 * \param lease     out: the lease, to be ended with curator_lease_return(); NULL unless CURATOR_OK
 * \retval CURATOR_OK               the lease is granted
 * \retval CURATOR_INTERRUPTED      by curator_semaphore_interrupt()
 * \retval CURATOR_CONNECTION_LOSS  the retry policy allows no further try
 * \retval CURATOR_SESSION_EXPIRED  the retry policy allows no further try
 * \retval CURATOR_NO_AUTH          the server refused; the sentence names operation and path
 * \retval CURATOR_WOULD_DEADLOCK   called on a ZooKeeper callback thread
 * \retval CURATOR_NO_MEMORY        not acquired; the object can be used again at once
 * \retval CURATOR_CLOSED           the framework was closed or the semaphore destroyed, before or during the call
 * \retval CURATOR_FORKED           called in a child process
 * \retval CURATOR_INVALID_ARGUMENT a NULL
 * \retval CURATOR_ERROR            the sentence says more
 * \blocks without limit while it queues. Without a connection: connection_timeout_ms, then as the retry policy says.
 *         curator_semaphore_interrupt(), curator_semaphore_destroy() and curator_framework_close() end it.
 * \threads any but a ZooKeeper callback's
 * \ports InterProcessSemaphoreV2.acquire()
 */
CURATOR_API curator_status curator_semaphore_acquire(curator_semaphore *semaphore, curator_lease **lease);

/**
 * Acquires a lease, waiting at most timeout_ms milliseconds in all.
 *
 * Connecting, retrying and waiting are included, whatever the network does. As curator_semaphore_acquire() otherwise.
 *
 * \param semaphore  the semaphore
 * \param timeout_ms milliseconds; 0 tries once. As with Curator that fails also while somebody else is just taking a
 *                   lease, though another may be free
 * \param lease      out: the lease, to be ended with curator_lease_return(); NULL unless CURATOR_OK
 * \retval CURATOR_OK               the lease is granted
 * \retval CURATOR_TIMED_OUT        not in time; with 0: none is free. The sentence says how many are taken, or whom it
 *                                  queued behind
 * \retval CURATOR_INTERRUPTED      by curator_semaphore_interrupt()
 * \retval CURATOR_CONNECTION_LOSS  the retry policy allows no further try; or timeout_ms is 0 and there is no
 *                                  connection
 * \retval CURATOR_SESSION_EXPIRED  the retry policy allows no further try
 * \retval CURATOR_NO_AUTH          the server refused; the sentence names operation and path
 * \retval CURATOR_WOULD_DEADLOCK   called on a ZooKeeper callback thread
 * \retval CURATOR_NO_MEMORY        not acquired; the object can be used again at once
 * \retval CURATOR_CLOSED           the framework was closed or the semaphore destroyed, before or during the call
 * \retval CURATOR_FORKED           called in a child process
 * \retval CURATOR_INVALID_ARGUMENT a NULL or a negative time
 * \retval CURATOR_ERROR            the sentence says more
 * \blocks until timeout_ms, plus at most 50 ms in which it waits for its nodes' deletion to be confirmed; a deletion
 *         still unconfirmed goes on in the background. With 0: as long as its round trips take, at most
 *         connection_timeout_ms, plus the same 50 ms.
 * \threads any but a ZooKeeper callback's
 * \ports InterProcessSemaphoreV2.acquire(long, TimeUnit)
 */
CURATOR_API curator_status curator_semaphore_acquire_for(curator_semaphore *semaphore, int64_t timeout_ms,
                                                         curator_lease **lease);

/**
 * Acquires several leases, all or none, waiting as long as it takes.
 *
 * As curator_semaphore_acquire() otherwise. It waits at the head of the queue until so many are free together, so two
 * callers of this function that hold none never wait for each other. Curator takes several one by one: who has some and
 * waits for more can block, and be blocked by, others that take several, for ever: set a limit beside such programs.
 *
 * \param semaphore the semaphore
 * \param count     how many: 1 to the maximum
 * \param leases    out: an array of count leases, each to be ended with curator_lease_return(); all NULL unless
 *                  CURATOR_OK; untouched with CURATOR_INVALID_ARGUMENT
 * \retval CURATOR_OK               all are granted
 * \retval CURATOR_INTERRUPTED      by curator_semaphore_interrupt()
 * \retval CURATOR_CONNECTION_LOSS  the retry policy allows no further try
 * \retval CURATOR_SESSION_EXPIRED  the retry policy allows no further try
 * \retval CURATOR_NO_AUTH          the server refused; the sentence names operation and path
 * \retval CURATOR_WOULD_DEADLOCK   called on a ZooKeeper callback thread
 * \retval CURATOR_NO_MEMORY        none is acquired; the object can be used again at once
 * \retval CURATOR_CLOSED           the framework was closed or the semaphore destroyed, before or during the call
 * \retval CURATOR_FORKED           called in a child process
 * \retval CURATOR_INVALID_ARGUMENT a NULL; or 0 leases, or more than the maximum, which could never be granted
 * \retval CURATOR_ERROR            the sentence says more
 * \blocks as curator_semaphore_acquire(), and a round trip for each lease
 * \threads any but a ZooKeeper callback's
 * \ports InterProcessSemaphoreV2.acquire(int)
 */
CURATOR_API curator_status curator_semaphore_acquire_many(curator_semaphore *semaphore, size_t count,
                                                          curator_lease **leases);

/**
 * Acquires several leases, all or none, waiting at most timeout_ms milliseconds in all.
 *
 * One limit for all of them together. As curator_semaphore_acquire_many() otherwise.
 *
 * \param semaphore  the semaphore
 * \param timeout_ms milliseconds; 0 tries once, as curator_semaphore_acquire_for() does
 * \param count      how many: 1 to the maximum
 * \param leases     out: an array of count leases, each to be ended with curator_lease_return(); all NULL unless
 *                   CURATOR_OK; untouched with CURATOR_INVALID_ARGUMENT
 * \retval CURATOR_OK               all are granted
 * \retval CURATOR_TIMED_OUT        not in time; with 0: not so many are free
 * \retval CURATOR_INTERRUPTED      by curator_semaphore_interrupt()
 * \retval CURATOR_CONNECTION_LOSS  the retry policy allows no further try; or timeout_ms is 0 and there is no
 *                                  connection
 * \retval CURATOR_SESSION_EXPIRED  the retry policy allows no further try
 * \retval CURATOR_NO_AUTH          the server refused; the sentence names operation and path
 * \retval CURATOR_WOULD_DEADLOCK   called on a ZooKeeper callback thread
 * \retval CURATOR_NO_MEMORY        none is acquired; the object can be used again at once
 * \retval CURATOR_CLOSED           the framework was closed or the semaphore destroyed, before or during the call
 * \retval CURATOR_FORKED           called in a child process
 * \retval CURATOR_INVALID_ARGUMENT a NULL or a negative time; or 0 leases, or more than the maximum
 * \retval CURATOR_ERROR            the sentence says more
 * \blocks as curator_semaphore_acquire_for()
 * \threads any but a ZooKeeper callback's
 * \ports InterProcessSemaphoreV2.acquire(int, long, TimeUnit)
 */
CURATOR_API curator_status curator_semaphore_acquire_many_for(curator_semaphore *semaphore, int64_t timeout_ms,
                                                              size_t count, curator_lease **leases);

/**
 * Ends every wait in progress on this object and its leases, in whichever thread.
 *
 * Acquires and lists of participants return CURATOR_INTERRUPTED; returns that are not confirmed within another 50 ms
 * return CURATOR_RELEASE_PENDING. Calls that begin later are not affected. If nothing waits, nothing happens.
 *
 * \param semaphore the semaphore
 * \retval CURATOR_OK               done
 * \retval CURATOR_CLOSED           the framework was closed, or the semaphore is being destroyed
 * \retval CURATOR_FORKED           called in a child process
 * \retval CURATOR_INVALID_ARGUMENT a NULL
 * \blocks no
 * \threads any, callbacks included
 * \ports Thread.interrupt() of the waiting threads
 */
CURATOR_API curator_status curator_semaphore_interrupt(curator_semaphore *semaphore);

/**
 * Lists the nodes of the leases, the oldest first, with what they say.
 *
 * The first ones, as many as the maximum, hold; those behind them wait at the head of the queue. A name does not tell
 * which nodes belong together: of a contender that waits for several, the first ones may be among those that hold.
 * Their data is what their owners gave the semaphore, see curator_semaphore_create_with_data(). A list of names, then
 * reads of all nodes: no snapshot. Those that queue for a lease without a node of one yet are not listed, as with
 * Curator.
 *
 * \param semaphore    the semaphore
 * \param participants out: the list, to be freed with curator_contenders_free(); NULL unless CURATOR_OK
 * \retval CURATOR_OK               the list is in *participants
 * \retval CURATOR_CONNECTION_LOSS  the retry policy allows no further try
 * \retval CURATOR_SESSION_EXPIRED  the retry policy allows no further try
 * \retval CURATOR_INTERRUPTED      by curator_semaphore_interrupt()
 * \retval CURATOR_NO_AUTH          the server refused the list
 * \retval CURATOR_WOULD_DEADLOCK   called on a ZooKeeper callback thread
 * \retval CURATOR_NO_MEMORY        no list
 * \retval CURATOR_CLOSED           the framework was closed or the semaphore destroyed, before or during the call
 * \retval CURATOR_FORKED           called in a child process
 * \retval CURATOR_INVALID_ARGUMENT a NULL
 * \retval CURATOR_ERROR            the chroot of the connect string does not exist; or else, as the sentence says
 * \blocks as curator_mutex_contenders()
 * \threads any but a ZooKeeper callback's
 * \ports InterProcessSemaphoreV2.getParticipantNodes(), and says more
 */
CURATOR_API curator_status curator_semaphore_participants(curator_semaphore *semaphore,
                                                          curator_contenders **participants);

/**
 * Sets the function that is called once for every lease that is lost.
 *
 * A lease is lost when its session has ended or must be taken for ended, or when somebody else has deleted its node.
 * curator_lease_is_held() says which. A later call replaces the function. It is called for losses that come after this
 * call, not after the lease was returned, nor after destroy and close. A lost lease still has to be returned.
 *
 * \param semaphore the semaphore
 * \param fn        runs on the framework's callback thread, before any CURATOR_RECONNECTED of a new session. It may
 *                  call the library, curator_lease_return() of the lost lease and curator_semaphore_destroy() of this
 *                  semaphore included. NULL removes it.
 * \param context   what fn is called with; must live until curator_semaphore_destroy() or curator_framework_close() has
 *                  returned, also when another function replaces fn, since fn may just be running; if fn itself
 *                  destroys the semaphore, until fn has returned
 * \retval CURATOR_OK               done
 * \retval CURATOR_NO_MEMORY        nothing is changed
 * \retval CURATOR_CLOSED           the framework was closed, or the semaphore is being destroyed
 * \retval CURATOR_FORKED           called in a child process
 * \retval CURATOR_INVALID_ARGUMENT a NULL semaphore
 * \blocks no
 * \threads any
 * \ports nothing: in Java a ConnectionStateListener has to be written for it
 */
CURATOR_API curator_status curator_semaphore_on_lost(curator_semaphore *semaphore,
                                                     void (*fn)(curator_semaphore *semaphore, void *context),
                                                     void *context);

#ifdef __cplusplus
}
#endif

#endif
