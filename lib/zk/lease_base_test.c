/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the time that a lease is counted from. A time is a millisecond here, half a tick is 1000, a step is 10. */
#include "zk/lease_base.h"

#include <criterion/criterion.h>

#define BEGAN 5000
#define HALF_TICK 1000
#define STEP 10

static struct lease_base new_base(void)
{
    struct lease_base base;
    lease_base_begin(&base, BEGAN);
    return base;
}

static void answer(struct lease_base *base, int64_t sent, int64_t answered)
{
    lease_base_answered(base, sent, answered, HALF_TICK, STEP);
}

Test(lease_base, is_the_beginning_of_the_session_before_anything_is_proved)
{
    struct lease_base base = new_base();
    cr_assert_eq(base.since, BEGAN);
    answer(&base, 6000, 6001);
    answer(&base, 6500, 6501);
    cr_assert_eq(base.since, BEGAN);
}

Test(lease_base, is_the_sending_of_a_request_that_was_answered_half_a_tick_before_the_last_but_one)
{
    struct lease_base base = new_base();
    answer(&base, 6000, 6001);
    answer(&base, 7002, 7003);
    cr_assert_eq(base.since, BEGAN, "half a tick after the answer, but nothing followed");
    answer(&base, 7050, 7051);
    cr_assert_eq(base.since, 6000);
}

Test(lease_base, the_answer_counts_and_not_the_sending)
{
    struct lease_base base = new_base();
    answer(&base, 6000, 9000); /* a stall of the link: it may have reached the server just now */
    answer(&base, 7500, 9000);
    answer(&base, 9500, 9501);
    answer(&base, 9600, 9601);
    cr_assert_eq(base.since, BEGAN);
    answer(&base, 10001, 10002);
    answer(&base, 10100, 10101);
    cr_assert_eq(base.since, 7500);
}

Test(lease_base, half_a_tick_or_less_proves_nothing)
{
    struct lease_base base = new_base();
    answer(&base, 6000, 6001);
    answer(&base, 7001, 7002); /* on the tick itself: which was first is not known */
    answer(&base, 7050, 7051);
    cr_assert_eq(base.since, BEGAN);
}

Test(lease_base, requests_that_were_on_their_way_together_do_not_follow_each_other)
{
    struct lease_base base = new_base();
    answer(&base, 6000, 6001);
    answer(&base, 7500, 8000);
    answer(&base, 7999, 8001); /* sent before the answer to the one before arrived */
    cr_assert_eq(base.since, BEGAN);
    answer(&base, 8000, 8002); /* at the same moment: which was first is not known */
    cr_assert_eq(base.since, BEGAN);
    answer(&base, 8001, 8002);
    cr_assert_eq(base.since, 6000);
}

Test(lease_base, client_that_stood_still_counts_its_lease_from_before)
{
    struct lease_base base = new_base();
    for (int64_t t = 6000; t <= 10000; t += 400) {
        answer(&base, t, t + 1);
    }
    cr_assert_eq(base.since, 8400, "the last one answered half a tick before 9600");
    answer(&base, 16400, 16401);
    cr_assert_eq(base.since, 8800, "not later for having stood still");
    answer(&base, 16800, 16801);
    cr_assert_eq(base.since, 10000, "the last one before it stood still");
    answer(&base, 17200, 17201);
    answer(&base, 17600, 17601);
    cr_assert_eq(base.since, 10000);
    answer(&base, 18000, 18001);
    cr_assert_eq(base.since, 16400);
}

Test(lease_base, a_reconnect_counts_from_the_last_answered_request)
{
    struct lease_base base = new_base();
    answer(&base, 6000, 6001);
    answer(&base, 9000, 9500);
    lease_base_reconnected(&base);
    cr_assert_eq(base.since, 9000);
    answer(&base, 10600, 10601); /* what the old server answered proves nothing of the new one */
    answer(&base, 10700, 10701);
    cr_assert_eq(base.since, 9000);
}

Test(lease_base, never_goes_back)
{
    struct lease_base base = new_base();
    answer(&base, 4000, 9000); /* made before the session began */
    answer(&base, 10000, 10001);
    answer(&base, 11002, 11003);
    answer(&base, 11050, 11051);
    cr_assert_eq(base.since, 10000);
    answer(&base, 7000, 12051); /* answered late: never asked, in what the ZooKeeper client does */
    answer(&base, 13100, 13101);
    answer(&base, 13200, 13201);
    cr_assert_geq(base.since, 10000);
}

/* The same rule without a limit to what is kept. */
static int64_t since_by_all(const int64_t sent[], const int64_t answered[], size_t count)
{
    int64_t proved = 0, since = BEGAN;
    for (size_t a = 0; a < count; a++) {
        for (size_t c = 0; c < a; c++) {
            proved = answered[c] < sent[a] && sent[c] > proved ? sent[c] : proved;
        }
    }
    for (size_t r = 0; r < count; r++) {
        since = answered[r] < proved - HALF_TICK && sent[r] > since ? sent[r] : since;
    }
    return since;
}

Test(lease_base, what_is_forgotten_in_a_busy_session_only_makes_it_earlier_and_little)
{
    enum { REQUESTS = 3000, LONGEST_PAUSE = 8, LONGEST_WAY = 100 };
    static int64_t sent[REQUESTS], answered[REQUESTS];
    unsigned random = 1;
    struct lease_base base = new_base();
    int64_t now = BEGAN, last = 0;
    for (size_t i = 0; i < REQUESTS; i++) {
        random = random * 1103515245U + 12345U;
        now += random >> 16U & (LONGEST_PAUSE - 1);
        sent[i] = now;
        answered[i] = now + 1 + (random >> 20U) % LONGEST_WAY;
        answered[i] = answered[i] > last ? answered[i] : last;
        last = answered[i];
        lease_base_answered(&base, sent[i], answered[i], HALF_TICK, HALF_TICK / 12);
        if (i % 100 == 0) {
            int64_t exact = since_by_all(sent, answered, i + 1);
            cr_assert_leq(base.since, exact);
            cr_assert_geq(base.since, exact - 3 * (HALF_TICK / 12 + LONGEST_WAY));
        }
    }
    cr_assert_gt(base.since, BEGAN + HALF_TICK);
}

Test(lease_base, more_than_it_keeps_at_once_loses_the_oldest)
{
    struct lease_base base = new_base();
    for (int64_t i = 0; i < 3 * LEASE_ANSWERS; i++) {
        answer(&base, 6000 + i * STEP, 8000 + i * STEP);
    }
    cr_assert_eq(base.since, BEGAN);
    answer(&base, 20000, 20001);
    answer(&base, 20100, 20101);
    cr_assert_eq(base.since, 6000 + (3 * LEASE_ANSWERS - 1) * STEP);
}

/* A round trip of 300 ms where T is 2000: after three of them and half a tick the base moves on with every probe. */
Test(lease_base, on_a_slow_line_it_moves_on_with_every_probe)
{
    struct lease_base base = new_base();
    const int64_t probe = 83, round_trip = 300;
    int64_t now = BEGAN;
    for (int i = 0; i < 100; i++, now += probe) {
        answer(&base, now, now + round_trip);
    }
    cr_assert(lease_base_is_steady(&base, now + round_trip, 2 * probe));
    cr_assert_geq(base.since, now - HALF_TICK - 3 * round_trip - 3 * probe);
    cr_assert_not(lease_base_is_steady(&base, now + round_trip + 2 * probe, 2 * probe), "nothing came any more");
    lease_base_reconnected(&base);
    cr_assert_not(lease_base_is_steady(&base, now + round_trip, 2 * probe), "proved on another connection");
}

Test(lease_base, rare_probes_are_not_steady)
{
    struct lease_base base = new_base();
    for (int64_t now = BEGAN; now < BEGAN + 40000; now += 4000) {
        answer(&base, now, now + 1);
    }
    cr_assert_not(lease_base_is_steady(&base, base.renewed, 2 * 83));
}
