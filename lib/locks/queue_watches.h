/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The watches that a queued attempt sets: on its own node, on its predecessor, and on the one before that. In a fast
 * queue only the second. Caller holds client->mutex.
 */
#ifndef CURATOR_LOCKS_QUEUE_WATCHES_H
#define CURATOR_LOCKS_QUEUE_WATCHES_H

#include "locks/attempt.h"

/* Sets those that are not set yet, in one flight, our own first, and judges the answers. */
curator_status queue_watches_set(struct attempt *attempt, const struct lock_position *position);

/* Until when the attempt does without the watches that only pay in a slower queue; clock_now(). */
int64_t fast_queue_until(const struct attempt *attempt);

/* After a grant: how fast the queue has moved. The next attempt chooses its watches by that. */
void queue_watches_note_interval(const struct attempt *attempt);

#endif
