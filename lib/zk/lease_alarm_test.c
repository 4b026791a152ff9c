/* SPDX-License-Identifier: Apache-2.0 */
/* A time is a nanosecond here. T is 4 ms. */
#include "zk/lease_alarm.h"

#include "base/clock.h"
#include "base/container_of.h"

#include <criterion/criterion.h>
#include <utlist.h>

#define T INT64_C(4000000)
#define BEGAN INT64_C(1000)

struct counted {
    struct lease_alarm alarm;
    int calls;
};

static void count(struct lease_alarm *alarm)
{
    container_of(alarm, struct counted, alarm)->calls++;
}

static struct lease new_lease(void)
{
    struct lease lease;
    lease_begin(&lease, BEGAN, T);
    return lease;
}

static bool any_raised;

static int64_t check(struct lease_alarm *alarms, const struct lease *lease, int64_t now)
{
    return lease_alarms_check(alarms, lease, now, &any_raised);
}

Test(lease_alarm, is_raised_once_when_the_margin_is_left)
{
    struct lease lease = new_lease();
    struct counted one = {.alarm = {.margin = 1000, .fn = count}};
    struct lease_alarm *alarms = NULL;
    DL_APPEND(alarms, &one.alarm);
    int64_t at = BEGAN + T - 1000;
    cr_assert_eq(check(alarms, &lease, at - 1), at);
    cr_assert_eq(one.calls, 0);
    cr_assert_not(any_raised);
    cr_assert_eq(check(alarms, &lease, at), NEVER);
    cr_assert_eq(one.calls, 1);
    check(alarms, &lease, at + 500);
    cr_assert_eq(one.calls, 1);
    cr_assert(any_raised);
}

Test(lease_alarm, is_raised_again_only_after_a_renewal_that_leaves_more_than_the_margin)
{
    struct lease lease = new_lease();
    struct counted one = {.alarm = {.margin = 1000, .fn = count}};
    struct lease_alarm *alarms = NULL;
    DL_APPEND(alarms, &one.alarm);
    int64_t end = lease_end(&lease);
    check(alarms, &lease, end - 900);
    lease.base.since += 50; /* a renewal that is not enough */
    check(alarms, &lease, end - 890);
    cr_assert_eq(one.calls, 1);
    lease.base.since += 1000;
    int64_t at = lease_end(&lease) - 1000;
    cr_assert_eq(check(alarms, &lease, end - 800), at);
    cr_assert_eq(one.calls, 1);
    cr_assert_not(any_raised);
    check(alarms, &lease, at);
    cr_assert_eq(one.calls, 2);
}

Test(lease_alarm, each_has_its_own_margin)
{
    struct lease lease = new_lease();
    struct counted early = {.alarm = {.margin = 2000, .fn = count}};
    struct counted late = {.alarm = {.margin = 1000, .fn = count}};
    struct lease_alarm *alarms = NULL;
    DL_APPEND(alarms, &early.alarm);
    DL_APPEND(alarms, &late.alarm);
    int64_t end = lease_end(&lease);
    cr_assert_eq(check(alarms, &lease, end - 3000), end - 2000);
    cr_assert_eq(check(alarms, &lease, end - 1500), end - 1000);
    cr_assert_eq(early.calls, 1);
    cr_assert_eq(late.calls, 0);
    cr_assert(any_raised);
}
