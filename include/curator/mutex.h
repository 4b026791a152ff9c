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
 * \ports org.apache.curator.framework.recipes.locks.InterProcessMutex
 */
#ifndef CURATOR_MUTEX_H
#define CURATOR_MUTEX_H

#include <curator/api.h>
#include <curator/framework.h>
#include <curator/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct zoo_op; /* zoo_op_t of <zookeeper/zookeeper.h> */

/**
 * A mutex.
 *
 * Opaque; from curator_mutex_create() to curator_mutex_destroy(). Or a side of a read-write lock, with which it is
 * destroyed.
 */
typedef struct curator_mutex curator_mutex;

/** The contenders of a lock in the order in which they get it; freed with curator_participants_free(). */
typedef struct curator_participants {
    size_t count; /**< How many there are. */
    char **paths; /**< Their nodes: full paths, without the name space. */
} curator_participants;

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
 * \retval CURATOR_LOCK_LOST        the lock was lost before, or the node is found deleted, or the session has ended
 *                                  before the delete was confirmed; the sentence says which, and since when if that
 *                                  is known. The release counts
 * \retval CURATOR_RELEASE_PENDING  not confirmed in time, or interrupted. The thread does not hold any more, the delete
 *                                  goes on in the background
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
 * \retval CURATOR_LOCK_LOST        the lock was lost before, or the node is found deleted, or the session has ended
 *                                  before the delete was confirmed. The release counts
 * \retval CURATOR_RELEASE_PENDING  not confirmed in time, or interrupted. The thread does not hold any more, the delete
 *                                  goes on in the background
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

/**
 * Checks whether a thread of this process holds the lock through this object.
 *
 * \param mutex the mutex
 * \return false as soon as the lock is lost, also when the callback has not run yet; false for NULL and in a child
 *         process
 * \blocks no
 * \threads any
 * \ports InterProcessMutex.isAcquiredInThisProcess()
 */
CURATOR_API bool curator_mutex_is_acquired_in_this_process(const curator_mutex *mutex);

/**
 * Checks whether the calling thread holds the lock through this object.
 *
 * \param mutex the mutex
 * \return false as soon as the lock is lost, also when the callback has not run yet; false for NULL and in a child
 *         process
 * \blocks no
 * \threads any
 * \ports InterProcessMutex.isOwnedByCurrentThread()
 */
CURATOR_API bool curator_mutex_is_owned_by_current_thread(const curator_mutex *mutex);

/**
 * Lists the nodes that hold and wait, the holder first.
 *
 * Of a side of a read-write lock only those of its kind. A path that does not exist has none; below a chroot, whether
 * that exists is then asked for with another request.
 *
 * \param mutex        the mutex
 * \param participants out: the list, to be freed with curator_participants_free(); NULL unless CURATOR_OK
 * \retval CURATOR_OK               the list is in *participants
 * \retval CURATOR_CONNECTION_LOSS  the retry policy allows no further try
 * \retval CURATOR_SESSION_EXPIRED  the retry policy allows no further try
 * \retval CURATOR_INTERRUPTED      by curator_mutex_interrupt()
 * \retval CURATOR_NO_AUTH          the server refused
 * \retval CURATOR_WOULD_DEADLOCK   called on a ZooKeeper callback thread
 * \retval CURATOR_NO_MEMORY        no list
 * \retval CURATOR_CLOSED           the framework was closed or the mutex destroyed, before or during the call
 * \retval CURATOR_FORKED           called in a child process
 * \retval CURATOR_INVALID_ARGUMENT a NULL
 * \retval CURATOR_ERROR            the chroot of the connect string does not exist; or else, as the sentence says
 * \blocks a round trip. Without a connection or an answer: connection_timeout_ms for the one and as much for the other,
 *         for each try that the retry policy allows, and its pauses.
 * \threads any but a ZooKeeper callback's
 * \ports InterProcessMutex.getParticipantNodes()
 */
CURATOR_API curator_status curator_mutex_participants(curator_mutex *mutex, curator_participants **participants);

/**
 * Frees a list of participants.
 *
 * \param participants what curator_mutex_participants() handed out; NULL is fine
 * \blocks no
 * \threads any
 * \ports nothing: in Java a garbage collector does it
 */
CURATOR_API void curator_participants_free(curator_participants *participants);

/**
 * Gets the path of the calling thread's node.
 *
 * Still answered after a loss, until the release.
 *
 * \param mutex the mutex
 * \param path  out: the path without the name space, to be freed with free(); NULL unless CURATOR_OK
 * \retval CURATOR_OK               the path is in *path
 * \retval CURATOR_NOT_OWNER        this thread does not hold the lock
 * \retval CURATOR_NO_MEMORY        no path
 * \retval CURATOR_CLOSED           the framework was closed, or the mutex is being destroyed
 * \retval CURATOR_FORKED           called in a child process
 * \retval CURATOR_INVALID_ARGUMENT a NULL
 * \blocks no
 * \threads the one that acquired
 * \ports InterProcessMutex.getLockPath()
 */
CURATOR_API curator_status curator_mutex_lock_path(const curator_mutex *mutex, char **path);

/**
 * Gets the fencing token: a number that is larger for every later exclusive grant of the path, whoever gets it.
 *
 * It is the zxid that created the node. Hand it to the resource, and let the resource refuse smaller ones. Readers that
 * hold together have numbers between those of the writers around them. Still answered after a loss, until the release.
 *
 * \param mutex the mutex
 * \param token out; untouched unless CURATOR_OK
 * \retval CURATOR_OK               the number is in *token
 * \retval CURATOR_NOT_OWNER        this thread does not hold the lock
 * \retval CURATOR_CLOSED           the framework was closed, or the mutex is being destroyed
 * \retval CURATOR_FORKED           called in a child process
 * \retval CURATOR_INVALID_ARGUMENT a NULL
 * \blocks no
 * \threads the one that acquired
 * \ports nothing: Curator has none
 */
CURATOR_API curator_status curator_mutex_fencing_token(const curator_mutex *mutex, int64_t *token);

/**
 * Fills in a check that makes a zoo_multi() fail once the lock is lost, whether that was noticed or not.
 *
 * Still filled in after a loss, until the release: that is when it is needed. Nothing satisfies it then: it fails with
 * ZNONODE, or with ZBADVERSION if another node has that name. docs/guarantees.md has a complete program.
 *
 * \param mutex the mutex
 * \param op    out: a zoo_op_t. It points at memory of the mutex: fill it anew for each transaction, and use it before
 *              this thread's release. Untouched unless CURATOR_OK.
 * \retval CURATOR_OK               the check is in *op
 * \retval CURATOR_NOT_OWNER        this thread does not hold the lock
 * \retval CURATOR_NO_MEMORY        no check
 * \retval CURATOR_CLOSED           the framework was closed, or the mutex is being destroyed
 * \retval CURATOR_FORKED           called in a child process
 * \retval CURATOR_INVALID_ARGUMENT a NULL
 * \blocks no
 * \threads the one that acquired
 * \ports nothing: in Java it is transactionOp().check().forPath(lockPath)
 */
CURATOR_API curator_status curator_mutex_guard(const curator_mutex *mutex, struct zoo_op *op);

/**
 * Sets the function that is called once for every hold that is lost.
 *
 * A hold is lost when its session has ended or must be taken for ended, or when somebody else has deleted its node. A
 * later call replaces the function. It is called for losses that come after this call, not after release, destroy and
 * close.
 *
 * \param mutex   the mutex
 * \param fn      runs on the framework's callback thread, before any CURATOR_RECONNECTED of a new session. It may call
 *                the library, curator_mutex_destroy() of this mutex included. It cannot release for the thread that
 *                held. NULL removes it.
 * \param context what fn is called with; must live until curator_mutex_destroy() or curator_framework_close() has
 *                returned, also when another function replaces fn, since fn may just be running; if fn itself destroys
 *                the mutex, until fn has returned
 * \retval CURATOR_OK               done
 * \retval CURATOR_CLOSED           the framework was closed, or the mutex is being destroyed
 * \retval CURATOR_FORKED           called in a child process
 * \retval CURATOR_INVALID_ARGUMENT a NULL mutex
 * \blocks no
 * \threads any
 * \ports nothing: in Java a ConnectionStateListener has to be written for it
 */
CURATOR_API curator_status curator_mutex_on_lost(curator_mutex *mutex, void (*fn)(curator_mutex *mutex, void *context),
                                                 void *context);

/**
 * Asks how long the calling thread's hold certainly lasts if nothing more is heard from the servers.
 *
 * By the library's own clock of the session's lease (docs/guarantees.md): until then no other contender can hold, as
 * long as nobody deletes the node by hand. While the link is healthy it goes up again several times a session timeout.
 *
 * \param mutex        the mutex
 * \param remaining_ms out: milliseconds, rounded down; 0: the lock is lost, or must be taken for lost now. Untouched
 *                     unless CURATOR_OK
 * \retval CURATOR_OK               the time is in *remaining_ms
 * \retval CURATOR_NOT_OWNER        this thread does not hold the lock
 * \retval CURATOR_CLOSED           the framework was closed, or the mutex is being destroyed
 * \retval CURATOR_FORKED           called in a child process
 * \retval CURATOR_INVALID_ARGUMENT a NULL
 * \blocks no
 * \threads the one that acquired
 * \ports nothing: Curator has none
 */
CURATOR_API curator_status curator_mutex_lease_remaining(const curator_mutex *mutex, int64_t *remaining_ms);

/**
 * Sets the function that is called when a hold is about to be lost: so early that what it protects can be stopped
 * before somebody else can hold.
 *
 * Called once when a hold certainly lasts only ms_before or less (curator_mutex_lease_remaining()), and again only
 * after it had been renewed: had had more than that. Most often the loss follows, unless the connection comes back
 * first. With several holds in one object it is called for each.
 *
 * A quiet link costs nothing more: a session that locks depend on is probed 24 times a session timeout T anyway, which
 * on a healthy link keeps more than T/3. So a healthy session never comes down to T/4, the most that is allowed.
 * What counts is the T that the server granted (curator_framework_session_timeout()): for a later session with a
 * smaller one, ms_before is cut to a quarter of that. On a line with round trips of more than T/8 or so, calls may come
 * without a failure. To make sure that a hold does not begin endangered, an acquire waits for a renewal of the lease
 * first where it has to.
 *
 * Never called for a hold that is lost or released by then, so never after its curator_mutex_on_lost(). Where the loss
 * is noticed first, it is not called: a node that somebody deletes is lost without notice; and a process that was
 * stopped (SIGSTOP, a suspended machine) may find both times past, and is told of the loss alone. One stopped past the
 * first time only is told when it goes on.
 *
 * A later call replaces time and function, for the locks held at that moment, too.
 *
 * \param mutex     the mutex
 * \param ms_before milliseconds, 1 to T/4; ignored if fn is NULL
 * \param fn        runs on the framework's callback thread, after the callbacks that are due before it. It may call the
 *                  library, curator_mutex_destroy() of this mutex included. It cannot release for the thread that
 *                  holds. NULL removes it.
 * \param context   what fn is called with; must live until curator_mutex_destroy() or curator_framework_close() has
 *                  returned, also when another function replaces fn, since fn may just be running; if fn itself
 *                  destroys the mutex, until fn has returned
 * \retval CURATOR_OK               done
 * \retval CURATOR_CLOSED           the framework was closed, or the mutex is being destroyed
 * \retval CURATOR_FORKED           called in a child process
 * \retval CURATOR_INVALID_ARGUMENT a NULL mutex; or ms_before is less than 1, or more than a quarter of
 *                                  curator_framework_session_timeout()
 * \blocks no
 * \threads any
 * \ports nothing: Curator has none
 */
CURATOR_API curator_status curator_mutex_on_endangered(curator_mutex *mutex, int64_t ms_before,
                                                       void (*fn)(curator_mutex *mutex, void *context), void *context);

/**
 * Makes the lock revocable: sets the function that is called when somebody asks for the lock.
 *
 * To ask is to write the revoke message to a node of this object, that of a holder or of a waiting thread, as
 * curator_revoke() and Curator's Revoker do. The holder decides, and releases in its own thread.
 *
 * The function is called once for each message. Two messages that come before the first is read count as one. Other
 * changes of the node's data are ignored. A message in the first 20 ms of a hold is noticed when the watch on the
 * node is set.
 *
 * \param mutex   the mutex
 * \param fn      runs on the framework's callback thread. It may call the library, curator_mutex_destroy() of this
 *                mutex included. It stays until it is replaced; NULL makes the lock irrevocable.
 * \param context what fn is called with; must live until curator_mutex_destroy() or curator_framework_close() has
 *                returned, also when another function replaces fn, since fn may just be running; if fn itself destroys
 *                the mutex, until fn has returned
 * \retval CURATOR_OK               done
 * \retval CURATOR_CLOSED           the framework was closed, or the mutex is being destroyed
 * \retval CURATOR_FORKED           called in a child process
 * \retval CURATOR_INVALID_ARGUMENT a NULL mutex
 * \blocks no
 * \threads any
 * \ports InterProcessMutex.makeRevocable(RevocationListener)
 */
CURATOR_API curator_status curator_mutex_make_revocable(curator_mutex *mutex,
                                                        void (*fn)(curator_mutex *mutex, void *context), void *context);

/**
 * Checks whether somebody has asked for the calling thread's own hold since its node was created.
 *
 * With several holders in one object this shows which of them is meant. Only of a revocable lock, see
 * curator_mutex_make_revocable().
 *
 * \param mutex     the mutex
 * \param requested out; untouched unless CURATOR_OK
 * \retval CURATOR_OK               the answer is in *requested
 * \retval CURATOR_NOT_OWNER        this thread does not hold the lock
 * \retval CURATOR_CLOSED           the framework was closed, or the mutex is being destroyed
 * \retval CURATOR_FORKED           called in a child process
 * \retval CURATOR_INVALID_ARGUMENT a NULL
 * \blocks no
 * \threads the one that acquired
 * \ports nothing: Curator has none
 */
CURATOR_API curator_status curator_mutex_revocation_requested(const curator_mutex *mutex, bool *requested);

/**
 * Asks the holder of a node to release its lock.
 *
 * A node that is gone is no error. examples/revoke.c is a complete program.
 *
 * \param framework the client
 * \param lock_path the node's path without the name space, such as one of curator_mutex_participants()
 * \retval CURATOR_OK               the message is written, or the node is gone
 * \retval CURATOR_INVALID_ARGUMENT a NULL, or the path breaks one of ZooKeeper's rules, is "/", or is too long
 * \retval CURATOR_CONNECTION_LOSS  the retry policy allows no further try
 * \retval CURATOR_SESSION_EXPIRED  the retry policy allows no further try
 * \retval CURATOR_NO_AUTH          the server refused
 * \retval CURATOR_WOULD_DEADLOCK   called on a ZooKeeper callback thread
 * \retval CURATOR_NO_MEMORY        nothing was sent
 * \retval CURATOR_CLOSED           the framework was closed, before or during the call
 * \retval CURATOR_FORKED           called in a child process
 * \retval CURATOR_ERROR            the sentence says more
 * \blocks a round trip. Without a connection or an answer: connection_timeout_ms for the one and as much for the other,
 *         for each try that the retry policy allows, and its pauses.
 * \threads any but a ZooKeeper callback's
 * \ports Revoker.attemptRevoke()
 */
CURATOR_API curator_status curator_revoke(curator_framework *framework, const char *lock_path);

#ifdef __cplusplus
}
#endif

#endif
