/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of lines that may come often. */
#include "base/log_limit.h"

#include "base/clock.h"

#include <criterion/criterion.h>

#define START (7 * NANOSECONDS_PER_MILLISECOND)

static unsigned long count_at(struct log_limit *limit, int64_t after_ms, int64_t *milliseconds)
{
    return log_limit_count(limit, clock_after(START, after_ms), milliseconds);
}

Test(log_limit, the_first_is_logged_at_once_and_the_rest_is_counted)
{
    struct log_limit limit = {0};
    int64_t milliseconds;
    cr_assert_eq(count_at(&limit, 0, &milliseconds), 1);
    for (int i = 1; i < 57; i++) {
        cr_assert_eq(count_at(&limit, i * 100, &milliseconds), 0);
    }
    cr_assert_eq(count_at(&limit, LOG_LIMIT_MS - 1, &milliseconds), 0);
    cr_assert_eq(count_at(&limit, LOG_LIMIT_MS, &milliseconds), 58);
    cr_assert_eq(milliseconds, LOG_LIMIT_MS);
    cr_assert_eq(count_at(&limit, LOG_LIMIT_MS + 1, &milliseconds), 0);
}

Test(log_limit, what_comes_rarely_is_logged_each_time)
{
    struct log_limit limit = {0};
    int64_t milliseconds;
    for (int i = 0; i < 5; i++) {
        cr_assert_eq(count_at(&limit, i * (int64_t)LOG_LIMIT_MS, &milliseconds), 1);
    }
}

Test(log_limit, a_second_outage_is_logged_at_once_and_counted_from_zero)
{
    struct log_limit limit = {0};
    int64_t milliseconds;
    cr_assert_eq(count_at(&limit, 0, &milliseconds), 1);
    cr_assert_eq(count_at(&limit, 100, &milliseconds), 0);
    log_limit_end(&limit);
    cr_assert_eq(count_at(&limit, LOG_LIMIT_ANEW_MS, &milliseconds), 1);
    cr_assert_eq(count_at(&limit, 2 * LOG_LIMIT_ANEW_MS, &milliseconds), 0);
    cr_assert_eq(count_at(&limit, LOG_LIMIT_ANEW_MS + LOG_LIMIT_MS, &milliseconds), 2);
}

Test(log_limit, outages_that_follow_closely_are_not_all_logged)
{
    struct log_limit limit = {0};
    int64_t milliseconds;
    int logged = 0;
    for (int64_t after_ms = 0; after_ms < LOG_LIMIT_MS; after_ms += 100) {
        logged += count_at(&limit, after_ms, &milliseconds) > 0 ? 1 : 0;
        log_limit_end(&limit);
    }
    cr_assert_eq(logged, LOG_LIMIT_MS / LOG_LIMIT_ANEW_MS);
}

Test(log_limit, lines_that_came_first_at_the_same_moment_came_in_no_time)
{
    struct log_limit limit = {.unlogged = 1}; /* another thread has counted its line, and not got further */
    int64_t milliseconds;
    cr_assert_eq(count_at(&limit, 0, &milliseconds), 2);
    cr_assert_eq(milliseconds, 0, "not since the clock began");
}
