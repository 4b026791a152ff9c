/* SPDX-License-Identifier: Apache-2.0 */
/* The acquire loop: one attempt after the other, until the lock is ours or the call is over. Compare LockInternals. */
#ifndef CURATOR_LOCKS_ACQUIRE_H
#define CURATOR_LOCKS_ACQUIRE_H

#include "locks/lock_node.h"

/*
 * Caller holds client->mutex. once: do not wait for other contenders. CURATOR_OK: *node owns the lock; it is to be
 * handed over before the mutex is released. With any other status our nodes are deleted, or being deleted in the
 * background.
 */
curator_status acquire_lock(struct curator_mutex *mutex, struct call *call, bool once, struct lock_node **node);

#endif
