/* SPDX-License-Identifier: Apache-2.0 */
/** \file
 * Asking for a lock that somebody holds, and being asked.
 *
 * \ports org.apache.curator.framework.recipes.locks.Revocable and Revoker
 */
#ifndef CURATOR_REVOCATION_H
#define CURATOR_REVOCATION_H

#include <curator/api.h>
#include <curator/framework.h>
#include <curator/status.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/** \cond */
typedef struct curator_mutex curator_mutex; /* <curator/mutex.h> */
/** \endcond */

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
 * \retval CURATOR_NO_MEMORY        nothing is changed
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
 * \blocks a round trip. Without a connection: connection_timeout_ms, then the pauses of the retry policy. Without an
 *         answer: connection_timeout_ms for each try that the policy allows, and its pauses.
 * \threads any but a ZooKeeper callback's
 * \ports Revoker.attemptRevoke()
 */
CURATOR_API curator_status curator_revoke(curator_framework *framework, const char *lock_path);

#ifdef __cplusplus
}
#endif

#endif
