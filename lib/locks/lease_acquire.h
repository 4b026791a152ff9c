/* SPDX-License-Identifier: Apache-2.0 */
/* How leases are acquired: one attempt after the other, until they are ours or the call is over. */
#ifndef CURATOR_LOCKS_LEASE_ACQUIRE_H
#define CURATOR_LOCKS_LEASE_ACQUIRE_H

#include "locks/semaphore_object.h"

/*
 * Caller holds client->mutex. once: do not wait for other contenders. CURATOR_OK: each of the leases, count of them, is
 * granted. With any other status none is, and our nodes are deleted, or being deleted in the background.
 */
curator_status leases_acquire(curator_semaphore *semaphore, struct call *call, bool once, struct curator_lease **leases,
                              size_t count);

#endif
