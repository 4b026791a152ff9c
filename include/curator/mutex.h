/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A re-entrant, fair mutex across processes and languages: contends with every Apache Curator InterProcessMutex on the
 * same path. Ports org.apache.curator.framework.recipes.locks.InterProcessMutex.
 *
 * A mutex object may be shared by any number of threads; each thread that acquires queues on its own. Ownership belongs
 * to the thread: only the thread that acquired can release. Two objects on one path are two contenders.
 *
 * Every call may also answer CURATOR_INVALID_ARGUMENT (a NULL), CURATOR_CLOSED (the framework was closed) and
 * CURATOR_FORKED (called in a child process). "Blocking" calls answer CURATOR_WOULD_DEADLOCK on a ZooKeeper callback
 * thread, at once. No call is a cancellation point: pthread_cancel() takes effect after it, and curator_mutex_interrupt()
 * is what ends a wait. Signals end none.
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

typedef struct curator_mutex curator_mutex;

/* The contenders in the order in which they get the lock: full paths, without the name space. */
typedef struct curator_participants {
    size_t count;
    char **paths;
} curator_participants;

/*
 * Makes a mutex on a path and hands it out in *mutex, to be ended with curator_mutex_destroy(). Nothing is sent. The
 * path is copied; the framework may be closed before the mutex is destroyed. Does not block; any thread.
 * CURATOR_INVALID_ARGUMENT: the path breaks one of ZooKeeper's rules (the sentence names rule and position), or is "/",
 * on which no lock can be taken; or the request that creates a node, with chroot, name space, path, data and ACL, would
 * be longer than a server accepts by default, 1,048,575 bytes (the sentence names the parts). CURATOR_NO_MEMORY.
 * *mutex is NULL unless CURATOR_OK.
 * Ports new InterProcessMutex(CuratorFramework, String).
 */
CURATOR_API curator_status curator_mutex_create(curator_mutex **mutex, curator_framework *framework, const char *path);

/*
 * The same with data of its own for the lock nodes instead of the framework's default data. size bytes at data are
 * copied; data may be NULL if size is 0. Ports InterProcessMutex's getLockNodeBytes().
 */
CURATOR_API curator_status curator_mutex_create_with_data(curator_mutex **mutex, curator_framework *framework,
                                                          const char *path, const void *data, size_t size);

/*
 * Ends a mutex, also one that is held or waited for: waiting threads return CURATOR_CLOSED before this returns, held
 * nodes are deleted in the background, a running on_lost callback is waited for (unless this is called from it). No
 * other call on the object may start once this has been called. Blocks shortly; blocking call.
 * CURATOR_OK; nothing is destroyed with any other status.
 */
CURATOR_API curator_status curator_mutex_destroy(curator_mutex *mutex);

/*
 * Acquires, waiting as long as it takes. A thread that holds the lock gets it again at once, without a request; each
 * acquire wants its release. Blocking.
 * CURATOR_LOCK_LOST (this thread held it and has not released since it was lost), CURATOR_WOULD_DEADLOCK (called from a
 * ZooKeeper callback, or a reader asks for the write lock), CURATOR_INTERRUPTED, CURATOR_CONNECTION_LOSS and
 * CURATOR_SESSION_EXPIRED (the retry policy allows no further try), CURATOR_NO_AUTH, CURATOR_NO_MEMORY, CURATOR_ERROR.
 * With any status but CURATOR_OK nothing new is held, and the node of this attempt is gone, or goes in the background.
 * Ports InterProcessMutex.acquire().
 */
CURATOR_API curator_status curator_mutex_acquire(curator_mutex *mutex);

/*
 * Acquires, waiting at most timeout_ms milliseconds in all: connecting, retrying and waiting included. Returns by then
 * plus at most 50 ms in which it waits for its node's deletion to be confirmed, whatever the network does; a deletion
 * still unconfirmed goes on in the background.
 * With 0 it tries once, without waiting for other holders; that one try may take its round trips, at most
 * connection_timeout_ms. Blocking.
 * CURATOR_TIMED_OUT, and those of curator_mutex_acquire(). Ports InterProcessMutex.acquire(long, TimeUnit).
 */
CURATOR_API curator_status curator_mutex_acquire_for(curator_mutex *mutex, int64_t timeout_ms);

/*
 * Undoes one acquire of this thread; the last one deletes the node. Waits until the server confirms, at most
 * connection_timeout_ms, then CURATOR_RELEASE_PENDING. Blocking.
 * CURATOR_NOT_OWNER (nothing changes, nothing is sent), CURATOR_LOCK_LOST (it was lost before, or its session has ended
 * before the delete was confirmed; the release counts), CURATOR_RELEASE_PENDING, CURATOR_NO_AUTH (the server refused the
 * delete; the node stays until the session ends).
 * With these last three too the thread does not hold the lock any more. Needs no memory. Ports
 * InterProcessMutex.release().
 */
CURATOR_API curator_status curator_mutex_release(curator_mutex *mutex);

/*
 * Ends every wait in progress on this object, in whichever thread: acquires return CURATOR_INTERRUPTED; releases that
 * are not confirmed within another 50 ms return CURATOR_RELEASE_PENDING. Calls that begin later are not affected. Any
 * thread, callbacks included; does not block.
 * Ports Thread.interrupt() of the waiting threads.
 */
CURATOR_API curator_status curator_mutex_interrupt(curator_mutex *mutex);

/*
 * Whether a thread of this process holds the lock through this object. False as soon as it is lost, also when the
 * callback has not run yet. Any thread; does not block. Ports isAcquiredInThisProcess().
 */
CURATOR_API bool curator_mutex_is_acquired_in_this_process(const curator_mutex *mutex);

/* Whether the calling thread holds it. Any thread; does not block. Ports isOwnedByCurrentThread(). */
CURATOR_API bool curator_mutex_is_owned_by_current_thread(const curator_mutex *mutex);

/*
 * Lists the nodes that hold and wait, in order, to be freed with curator_participants_free(). A path that does not
 * exist has none. *participants is NULL unless CURATOR_OK. Blocking: a round trip, at most connection_timeout_ms and
 * the retry policy.
 * CURATOR_CONNECTION_LOSS, CURATOR_SESSION_EXPIRED, CURATOR_INTERRUPTED, CURATOR_NO_AUTH, CURATOR_NO_MEMORY,
 * CURATOR_ERROR. Ports getParticipantNodes().
 */
CURATOR_API curator_status curator_mutex_participants(curator_mutex *mutex, curator_participants **participants);

/* Frees what curator_mutex_participants() handed out; NULL is fine. */
CURATOR_API void curator_participants_free(curator_participants *participants);

/*
 * The path of the calling thread's node, without the name space, in *path, to be freed with free(). Still answered
 * after a loss, until the release. *path is NULL unless CURATOR_OK. Does not block.
 * CURATOR_NOT_OWNER, CURATOR_NO_MEMORY. Ports getLockPath().
 */
CURATOR_API curator_status curator_mutex_lock_path(const curator_mutex *mutex, char **path);

/*
 * A number that is larger for every later exclusive grant of the path, whoever it goes to (the zxid that created the
 * node; readers that hold together have numbers between those of the writers around them). Hand it to the resource and
 * let it refuse smaller ones. Still answered after a loss, until the release. Does not block. CURATOR_NOT_OWNER.
 */
CURATOR_API curator_status curator_mutex_fencing_token(const curator_mutex *mutex, int64_t *token);

/*
 * Fills *op with a check that fails a zoo_multi() once the lock is gone, whether it was noticed or not. The op points
 * at memory of the mutex: fill it anew for each transaction, and use it before this thread's release. Still filled after
 * a loss, so that nothing satisfies it: ZNONODE, or ZBADVERSION if another node has that name. Does not block.
 * CURATOR_NOT_OWNER, CURATOR_NO_MEMORY.
 */
CURATOR_API curator_status curator_mutex_guard(const curator_mutex *mutex, struct zoo_op *op);

/*
 * Has fn called once for every hold that is lost: the session ended or must be taken for ended, or the node was
 * deleted by someone else. Runs on the framework's callback thread, before any CURATOR_RECONNECTED of a new session;
 * it may call the library, curator_mutex_destroy() of this mutex included. NULL takes it away. A later call replaces
 * it. Does not block.
 */
CURATOR_API curator_status curator_mutex_on_lost(curator_mutex *mutex, void (*fn)(curator_mutex *mutex, void *context),
                                                 void *context);

/*
 * Makes the lock revocable: has fn called when somebody writes the revoke message (curator_revoke(), Curator's Revoker)
 * to a node of this object, that of a holder or of a waiting thread. To revoke is to ask: the holder decides, and
 * releases in its own thread. Runs once for each message, on the framework's callback thread; it may call the library.
 * Stays until it is replaced; NULL makes the lock irrevocable. Other changes of the node's data are ignored. Does not
 * block. Ports InterProcessMutex.makeRevocable(RevocationListener).
 */
CURATOR_API curator_status curator_mutex_make_revocable(curator_mutex *mutex,
                                                        void (*fn)(curator_mutex *mutex, void *context), void *context);

/*
 * Whether the calling thread's own hold has been asked for since it began: with several holders in one object, which of
 * them. Does not block. CURATOR_NOT_OWNER.
 */
CURATOR_API curator_status curator_mutex_revocation_requested(const curator_mutex *mutex, bool *requested);

/*
 * Asks the holder of a node, such as one of curator_mutex_participants(), to release its lock. The path is without the
 * name space. A node that is gone is no error. Blocking: a round trip, at most connection_timeout_ms and the retry
 * policy.
 * CURATOR_INVALID_ARGUMENT (the path), CURATOR_CONNECTION_LOSS, CURATOR_SESSION_EXPIRED, CURATOR_NO_AUTH,
 * CURATOR_NO_MEMORY, CURATOR_ERROR. Ports Revoker.attemptRevoke().
 */
CURATOR_API curator_status curator_revoke(curator_framework *framework, const char *lock_path);

#ifdef __cplusplus
}
#endif

#endif
