/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that holds the write lock may read at once, and goes on reading when it releases the write lock: its
 * reader's node takes the writer's sequence, so that no writer queued meanwhile gets in before it has gone
 * (CURATOR-621).
 */
#ifndef CURATOR_LOCKS_DOWNGRADE_H
#define CURATOR_LOCKS_DOWNGRADE_H

#include "locks/mutex.h"

/* The calling thread's write lock, under which an acquire of this mutex reads at once; NULL: it queues as any other. */
struct lock_data *downgrade_write_lock_data(const struct curator_mutex *mutex);

/* The node for an attempt, under a write lock or (NULL) not. NULL: out of memory. */
struct protected_node *downgrade_node(struct curator_mutex *mutex, struct session *session,
                                      const struct lock_data *write_hold);

#endif
