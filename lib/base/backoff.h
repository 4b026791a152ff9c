/* SPDX-License-Identifier: Apache-2.0 */
/* Pauses that double. */
#ifndef CURATOR_BASE_BACKOFF_H
#define CURATOR_BASE_BACKOFF_H

#include <stddef.h>
#include <stdint.h>

/* The first pause, twice as long after each failure, at most so many times. */
static inline int64_t backoff_ms(int64_t first_ms, size_t failures, size_t max_doublings)
{
    return first_ms << (failures < max_doublings ? failures : max_doublings);
}

#endif
