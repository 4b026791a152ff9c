/* SPDX-License-Identifier: Apache-2.0 */
/** \file
 * Who owns a lock, and the proof of it for others: the node's path, the fencing token, the guard of a transaction.
 */
#ifndef CURATOR_OWNERSHIP_H
#define CURATOR_OWNERSHIP_H

#include <curator/api.h>
#include <curator/status.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct zoo_op; /* zoo_op_t of <zookeeper/zookeeper.h> */

/** \cond */
typedef struct curator_mutex curator_mutex; /* <curator/mutex.h> */
/** \endcond */

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

#ifdef __cplusplus
}
#endif

#endif
