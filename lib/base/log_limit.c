/* SPDX-License-Identifier: Apache-2.0 */
/* Lines that may come often. */
#include "base/log_limit.h"

#include "base/clock.h"

#include <stdbool.h>

unsigned long log_limit_count(struct log_limit *limit, int64_t now, int64_t *milliseconds)
{
    atomic_fetch_add(&limit->unlogged, 1);
    int64_t before = atomic_load(&limit->logged_at);
    int64_t pause_ms = atomic_load(&limit->ended) ? LOG_LIMIT_ANEW_MS : LOG_LIMIT_MS;
    if (before != 0 && now < clock_after(before, pause_ms)) {
        return 0;
    }
    if (!atomic_compare_exchange_strong(&limit->logged_at, &before, now)) {
        return 0; /* another thread logs it, and counts this one with it, or with the next */
    }
    atomic_store(&limit->ended, false);
    *milliseconds = before != 0 ? (now - before) / NANOSECONDS_PER_MILLISECOND : 0; /* several threads at first */
    unsigned long times = atomic_exchange(&limit->unlogged, 0);
    return times > 0 ? times : 1; /* its count was taken back by an end at the same moment */
}

void log_limit_end(struct log_limit *limit)
{
    atomic_store(&limit->unlogged, 0);
    atomic_store(&limit->ended, true);
}
