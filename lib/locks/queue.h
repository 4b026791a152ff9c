/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An attempt's place in the queue: looking, watching, waiting, and knowing when it is its turn. Compare
 * LockInternals.internalLockLoop(). Everything here wants the client's mutex held.
 */
#ifndef CURATOR_LOCKS_QUEUE_H
#define CURATOR_LOCKS_QUEUE_H

#include "locks/attempt.h"

/* After the node's creation. CURATOR_OK: the node owns the lock, or the attempt is void. */
curator_status queue_await_turn(struct attempt *attempt);

/* What goes with every attempt: the watches' functions, and their end. */
void queue_init(struct attempt *attempt);
void queue_leave(struct attempt *attempt);

/* The connection has come or gone: watches set before it say nothing about the order of things any more. */
void queue_session_changed(struct attempt *attempt, enum session_event event);

#endif
