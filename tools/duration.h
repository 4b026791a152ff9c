/* SPDX-License-Identifier: Apache-2.0 */
/* Durations as the options take them. */
#ifndef CURATOR_LOCK_DURATION_H
#define CURATOR_LOCK_DURATION_H

#include <stdbool.h>
#include <stdint.h>

/* The longest duration: what a framework takes as session time-out, 24 days. */
#define LONGEST_DURATION_MS INT64_C(2147483647)

/*
 * "500ms", "1.5s", "2m", "1h"; without a unit seconds. In milliseconds, rounded up, so that no time above 0 becomes 0.
 * False for what is no duration, negative, or longer than LONGEST_DURATION_MS.
 */
bool parse_duration(const char *text, int64_t *milliseconds);

#endif
