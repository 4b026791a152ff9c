/* SPDX-License-Identifier: Apache-2.0 */
/* The sentences about who holds a lock, and how it was lost. Caller holds client->mutex. */
#ifndef CURATOR_LOCKS_LOCK_ERRORS_H
#define CURATOR_LOCKS_LOCK_ERRORS_H

#include "locks/attempt.h"
#include "locks/lock_data.h"
#include "locks/lock_driver.h"

/* CURATOR_NOT_OWNER: says which other thread of this process holds it, if one does. */
curator_status fail_not_owner(const curator_mutex *mutex, const char *caller);

/* CURATOR_LOCK_LOST: says why and since when. path: what the caller was called for. what_next: the end of the sentence,
 * with its comma or semicolon. */
curator_status fail_lost(const struct lock_data *lock_data, const char *caller, const char *path,
                         const char *what_next);

/* CURATOR_TIMED_OUT: for a call that does not wait for the predecessor, by its name, and those before that one. */
curator_status fail_held(const struct attempt *attempt, const char *predecessor, size_t before);

/* The node that a queued attempt waits for and, if it was read to be watched, the holder's data. In the attempt. */
const char *waiting_for_text(struct attempt *attempt);

#endif
