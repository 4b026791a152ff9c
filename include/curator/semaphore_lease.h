/* SPDX-License-Identifier: Apache-2.0 */
/** \file
 * A lease of a semaphore: its return, its loss, and the proof of it for others.
 *
 * It belongs to no thread: any thread may ask about it and return it.
 */
#ifndef CURATOR_SEMAPHORE_LEASE_H
#define CURATOR_SEMAPHORE_LEASE_H

#include <curator/api.h>
#include <curator/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A lease of a semaphore.
 *
 * Opaque; from curator_semaphore_acquire() to curator_lease_return(), or to the destruction of its semaphore.
 */
typedef struct curator_lease curator_lease;

/**
 * Gives a lease back and ends its object.
 *
 * Its node is deleted, and the confirmation waited for. The object has ended unless the status is one that says that
 * nothing changes.
 *
 * \param lease the lease
 * \retval CURATOR_OK               given back: another can be granted
 * \retval CURATOR_LOCK_LOST        the lease was lost before, or its node is found deleted, or the session has ended
 *                                  before the delete was confirmed; the sentence says which, and since when if that is
 *                                  known. The object has ended
 * \retval CURATOR_RELEASE_PENDING  not confirmed in time, or interrupted. The object has ended, the delete goes on in
 *                                  the background
 * \retval CURATOR_NO_AUTH          the server refused the delete. The object has ended, but the node stays until the
 *                                  session ends
 * \retval CURATOR_ERROR            likewise, for another reason than an ACL; the sentence says which
 * \retval CURATOR_CLOSED           the framework was closed: the node is deleted with its session, and the object has
 *                                  ended. Or called from a callback while another thread destroys the semaphore
 * \retval CURATOR_WOULD_DEADLOCK   called on a ZooKeeper callback thread; nothing changes
 * \retval CURATOR_FORKED           called in a child process; nothing changes
 * \retval CURATOR_INVALID_ARGUMENT a NULL, or no lease is there: it was returned before. Not recognised once the memory
 *                                  is another object's
 * \blocks until the server confirms, at most connection_timeout_ms
 * \threads any but a ZooKeeper callback's
 * \ports Lease.close(), InterProcessSemaphoreV2.returnLease()
 */
CURATOR_API curator_status curator_lease_return(curator_lease *lease);

/**
 * Gives a lease back and ends its object, waiting at most timeout_ms milliseconds for the confirmation.
 *
 * As curator_lease_return(), with another limit. With 0 the delete is sent and nothing is waited for:
 * CURATOR_RELEASE_PENDING is then the usual answer, and nobody is told if the lease turns out to have been lost.
 *
 * \param lease      the lease
 * \param timeout_ms milliseconds; 0 does not wait
 * \retval CURATOR_OK               given back: another can be granted
 * \retval CURATOR_LOCK_LOST        the lease was lost before, or its node is found deleted, or the session has ended
 *                                  before the delete was confirmed. The object has ended
 * \retval CURATOR_RELEASE_PENDING  not confirmed in time, or interrupted. The object has ended, the delete goes on in
 *                                  the background
 * \retval CURATOR_NO_AUTH          the server refused the delete. The object has ended, but the node stays until the
 *                                  session ends
 * \retval CURATOR_ERROR            likewise, for another reason than an ACL; the sentence says which
 * \retval CURATOR_CLOSED           as curator_lease_return()
 * \retval CURATOR_WOULD_DEADLOCK   called on a ZooKeeper callback thread; nothing changes
 * \retval CURATOR_FORKED           called in a child process; nothing changes
 * \retval CURATOR_INVALID_ARGUMENT a NULL, a negative time, or no lease is there; nothing changes
 * \blocks until the server confirms, at most timeout_ms
 * \threads any but a ZooKeeper callback's
 * \ports nothing: Lease.close() has no limit
 */
CURATOR_API curator_status curator_lease_return_for(curator_lease *lease, int64_t timeout_ms);

/**
 * Gives several leases back and ends their objects.
 *
 * One after the other, each as by curator_lease_return() and whatever the others answer. If several fail, status and
 * sentence are those of the last one.
 *
 * \param leases the leases, of any semaphores; NULLs among them are skipped
 * \param count  how many
 * \retval CURATOR_OK               all are given back
 * \retval CURATOR_LOCK_LOST        as curator_lease_return()
 * \retval CURATOR_RELEASE_PENDING  as curator_lease_return()
 * \retval CURATOR_NO_AUTH          as curator_lease_return()
 * \retval CURATOR_ERROR            as curator_lease_return()
 * \retval CURATOR_CLOSED           as curator_lease_return()
 * \retval CURATOR_WOULD_DEADLOCK   called on a ZooKeeper callback thread; nothing changes
 * \retval CURATOR_FORKED           called in a child process; nothing changes
 * \retval CURATOR_INVALID_ARGUMENT the array is NULL, or one of the leases was returned before
 * \blocks for each until the server confirms, at most connection_timeout_ms
 * \threads any but a ZooKeeper callback's
 * \ports InterProcessSemaphoreV2.returnAll()
 */
CURATOR_API curator_status curator_lease_return_all(curator_lease **leases, size_t count);

/**
 * Checks whether a lease is still held.
 *
 * \param lease the lease
 * \return false as soon as the lease is lost, also when the callback has not run yet; false for NULL, for a lease that
 *         was returned, and in a child process
 * \blocks no
 * \threads any
 * \ports nothing: Curator does not know
 */
CURATOR_API bool curator_lease_is_held(const curator_lease *lease);

/**
 * Gets the path of a lease's node.
 *
 * Still answered after a loss, until the return.
 *
 * \param lease the lease
 * \param path  out: the path without the name space, to be freed with free(); NULL unless CURATOR_OK
 * \retval CURATOR_OK               the path is in *path
 * \retval CURATOR_NO_MEMORY        no path
 * \retval CURATOR_CLOSED           the framework was closed, or the semaphore is being destroyed
 * \retval CURATOR_FORKED           called in a child process
 * \retval CURATOR_INVALID_ARGUMENT a NULL, or no lease is there
 * \blocks no
 * \threads any
 * \ports Lease.getNodeName()
 */
CURATOR_API curator_status curator_lease_path(const curator_lease *lease, char **path);

/**
 * Gets the fencing token of a lease: a number that is larger for every later lease of the path, whoever gets it.
 *
 * It is the zxid that created the node. Still answered after a loss, until the return.
 *
 * \param lease the lease
 * \param token out; untouched unless CURATOR_OK
 * \retval CURATOR_OK               the number is in *token
 * \retval CURATOR_CLOSED           the framework was closed, or the semaphore is being destroyed
 * \retval CURATOR_FORKED           called in a child process
 * \retval CURATOR_INVALID_ARGUMENT a NULL, or no lease is there
 * \blocks no
 * \threads any
 * \ports nothing: Curator has none
 */
CURATOR_API curator_status curator_lease_fencing_token(const curator_lease *lease, int64_t *token);

/**
 * Asks how long a lease certainly lasts if nothing more is heard from the servers.
 *
 * As curator_mutex_lease_remaining().
 *
 * \param lease        the lease
 * \param remaining_ms out: milliseconds, rounded down; 0: the lease is lost, or must be taken for lost now. Untouched
 *                     unless CURATOR_OK
 * \retval CURATOR_OK               the time is in *remaining_ms
 * \retval CURATOR_CLOSED           the framework was closed, or the semaphore is being destroyed
 * \retval CURATOR_FORKED           called in a child process
 * \retval CURATOR_INVALID_ARGUMENT a NULL, or no lease is there
 * \blocks no
 * \threads any
 * \ports nothing: Curator has none
 */
CURATOR_API curator_status curator_lease_remaining(const curator_lease *lease, int64_t *remaining_ms);

#ifdef __cplusplus
}
#endif

#endif
