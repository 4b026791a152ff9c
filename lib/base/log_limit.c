/* SPDX-License-Identifier: Apache-2.0 */
/* Lines that may come often. */
#include "base/log_limit.h"

#include "base/clock.h"

unsigned long log_limit_count(struct log_limit *limit, int64_t now, int64_t *milliseconds)
{
    atomic_fetch_add(&limit->unlogged, 1);
    int64_t before = atomic_load(&limit->logged_at);
    if (before != 0 && now < clock_after(before, LOG_LIMIT_MS)) {
        return 0;
    }
    if (!atomic_compare_exchange_strong(&limit->logged_at, &before, now)) {
        return 0; /* another thread logs it, and counts this one with it, or with the next */
    }
    *milliseconds = before != 0 ? (now - before) / NANOSECONDS_PER_MILLISECOND : 0; /* several threads at first */
    return atomic_exchange(&limit->unlogged, 0);
}
