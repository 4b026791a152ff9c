/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kind of line that may come often: it is logged at once, then at most every LOG_LIMIT_MS, with how often it came
 * meanwhile. When what it is about has ended, it counts anew. All zero: it never came. For any thread, without a lock.
 */
#ifndef CURATOR_BASE_LOG_LIMIT_H
#define CURATOR_BASE_LOG_LIMIT_H

#include <stdatomic.h>
#include <stdint.h>

#define LOG_LIMIT_MS 60000 /* so that an outage makes less than four lines a minute, with what else is lost */

#define LOG_LIMIT_ANEW_MS 5000 /* so that a connection that breaks again and again makes few lines, too */

struct log_limit {
    _Atomic int64_t logged_at; /* clock_now(); 0: never */
    atomic_ulong unlogged;     /* since then, or since what it is about has ended */
    atomic_bool ended;         /* since then: the next one may be logged after LOG_LIMIT_ANEW_MS */
};

/*
 * Counts one more. 0: it is not to be logged now. Otherwise how often it came since the last line, this one included,
 * with the time since then in *milliseconds.
 */
unsigned long log_limit_count(struct log_limit *limit, int64_t now, int64_t *milliseconds);

/* What the line is about has ended: an outage. */
void log_limit_end(struct log_limit *limit);

#endif
