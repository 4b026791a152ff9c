/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of deadlines. */
#include "base/clock.h"

#include <criterion/criterion.h>

Test(clock, a_deadline_too_far_away_to_count_is_never)
{
    cr_assert_eq(clock_after(0, 5), 5 * NANOSECONDS_PER_MILLISECOND);
    cr_assert_eq(clock_after(clock_now(), INT64_MAX), NEVER);
    cr_assert_eq(clock_after(NEVER, 1), NEVER);
    cr_assert_eq(clock_after(1, INT64_MAX / NANOSECONDS_PER_MILLISECOND), NEVER);
}

Test(clock, goes_forward)
{
    int64_t before = clock_now(), lease_before = clock_lease_now();
    cr_assert_geq(clock_now(), before);
    cr_assert_geq(clock_lease_now(), lease_before);
}

Test(clock, a_timed_wait_ends_at_its_deadline)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition;
    cr_assert_eq(condition_init(&condition), 0);
    int64_t deadline = clock_after(clock_now(), 20);
    pthread_mutex_lock(&mutex);
    while (clock_now() < deadline) {
        condition_wait_until(&condition, &mutex, deadline);
    }
    pthread_mutex_unlock(&mutex);
    cr_assert_geq(clock_now(), deadline);
}

Test(clock, a_wait_for_the_lease_clock_is_short_whatever_it_waits_for)
{
    int64_t half_a_second = 500 * NANOSECONDS_PER_MILLISECOND;
    int64_t before = clock_now();
    cr_assert_eq(clock_for_lease(NEVER), NEVER);
    cr_assert_leq(clock_for_lease(clock_lease_now() - 1), clock_now());
    cr_assert_leq(clock_for_lease(clock_after(clock_lease_now(), 3600000)), clock_now() + half_a_second);
    cr_assert_geq(clock_for_lease(clock_after(clock_lease_now(), 3600000)), before + half_a_second);
}
