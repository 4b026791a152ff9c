/* SPDX-License-Identifier: Apache-2.0 */
/* The acquire loop: one attempt after the other until the lock is ours or the call is over. Compare LockInternals. */
#ifndef CURATOR_LOCKS_LOCK_INTERNALS_H
#define CURATOR_LOCKS_LOCK_INTERNALS_H

#include "client/call.h"
#include "locks/mutex.h"

/*
 * With the framework's mutex held. once: do not wait for other contenders. CURATOR_OK: *node is ours and owns the lock;
 * *watched says whether its own watch is set. With any other status our nodes are gone, or go in the background.
 */
curator_status lock_internals_acquire(struct curator_mutex *mutex, struct call *call, bool once,
                                      struct protected_node **node, bool *watched);

#endif
