/* SPDX-License-Identifier: Apache-2.0 */
#include "zk/lease.h"

#include <criterion/criterion.h>

#define MS INT64_C(1000000)
#define START (1000 * MS) /* when the session is asked for */

/* T and what follows from it, in milliseconds from the last proof, answer or look. */
struct worked {
    int64_t timeout, secure, fresh, unresponsive, idle, held, awaited;
};

static const struct worked worked_table[] = {
    {.timeout = 4000, .secure = 2500, .fresh = 333, .unresponsive = 1333, .idle = 666, .held = 166, .awaited = 166},
    {.timeout = 10000, .secure = 7750, .fresh = 833, .unresponsive = 3333, .idle = 1666, .held = 416, .awaited = 250},
    {.timeout = 30000,
     .secure = 25250,
     .fresh = 2500,
     .unresponsive = 10000,
     .idle = 5000,
     .held = 1250,
     .awaited = 250},
    {.timeout = 40000,
     .secure = 34000,
     .fresh = 3333,
     .unresponsive = 13333,
     .idle = 6666,
     .held = 1666,
     .awaited = 250},
};

static struct lease begun(const struct worked *worked)
{
    struct lease lease;
    lease_begin(&lease, START, worked->timeout * MS);
    return lease;
}

static struct lease connected(const struct worked *worked)
{
    struct lease lease = begun(worked);
    lease_connected(&lease, START, worked->timeout * MS, false);
    return lease;
}

/* A test for each row of the table. */
#define WORKED_TEST(name)                                                                                              \
    static void name(const struct worked *worked);                                                                     \
    Test(lease, name)                                                                                                  \
    {                                                                                                                  \
        for (size_t i = 0; i < sizeof worked_table / sizeof worked_table[0]; i++) {                                    \
            name(&worked_table[i]);                                                                                    \
        }                                                                                                              \
    }                                                                                                                  \
    static void name(const struct worked *worked)

/* Within the millisecond: the table leaves out fractions. */
static void assert_at(const struct worked *worked, const char *what, int64_t time, int64_t milliseconds)
{
    cr_assert(time - START >= milliseconds * MS && time - START < (milliseconds + 1) * MS,
              "T = %lld ms: %s after %lld ns, not %lld ms", (long long)worked->timeout, what, (long long)(time - START),
              (long long)milliseconds);
}

WORKED_TEST(lasts_a_session_timeout_from_the_request_for_the_session)
{
    struct lease lease = begun(worked);
    assert_at(worked, "end", lease_end(&lease), worked->timeout);
}

Test(lease, takes_the_timeout_that_the_server_grants)
{
    struct lease lease = begun(&worked_table[1]);
    lease_connected(&lease, START + 5 * MS, 4000 * MS, false);
    cr_assert_eq(lease_end(&lease), START + 4000 * MS);
    cr_assert_eq(lease_unresponsive_at(&lease), START + 5 * MS + 4000 * MS / 3);
}

WORKED_TEST(is_secure_until_half_a_tick_and_three_probes_before_its_end)
{
    struct lease lease = begun(worked);
    cr_assert(lease_is_secure(&lease, START + worked->secure * MS - 1));
    cr_assert_not(lease_is_secure(&lease, START + (worked->secure + 1) * MS));
}

WORKED_TEST(is_fresh_a_twelfth_of_the_timeout_after_a_request_that_was_answered)
{
    struct lease lease = connected(worked);
    lease_answered(&lease, START, START + 200 * MS); /* counted from the request */
    cr_assert(lease_is_fresh(&lease, START + worked->fresh * MS - 1));
    cr_assert_not(lease_is_fresh(&lease, START + (worked->fresh + 1) * MS));
}

WORKED_TEST(asks_as_often_as_it_is_needed)
{
    struct lease lease = connected(worked);
    lease.probed = START;
    assert_at(worked, "idle", lease_next_probe(&lease, LEASE_IDLE), worked->idle);
    assert_at(worked, "held", lease_next_probe(&lease, LEASE_HELD), worked->held);
    assert_at(worked, "awaited", lease_next_probe(&lease, LEASE_AWAITED), worked->awaited);
    assert_at(worked, "unresponsive", lease_next_probe(&lease, LEASE_UNRESPONSIVE), worked->awaited);
}

Test(lease, asks_at_once_after_a_reconnect_that_nobody_may_use_before_the_answer)
{
    struct lease lease = connected(&worked_table[0]);
    lease.probed = START + 100 * MS;
    lease_connected(&lease, START + 3000 * MS, 4000 * MS, true);
    cr_assert_eq(lease_next_probe(&lease, LEASE_UNRESPONSIVE), START + 3000 * MS);
    lease.probed = START + 3000 * MS;
    cr_assert_gt(lease_next_probe(&lease, LEASE_UNRESPONSIVE), START + 3000 * MS);
}

WORKED_TEST(counts_as_unresponsive_a_third_of_the_timeout_after_the_last_answered_request)
{
    struct lease lease = connected(worked);
    assert_at(worked, "unresponsive", lease_unresponsive_at(&lease), worked->unresponsive);
    lease_answered(&lease, START + 50 * MS, START + 60 * MS);
    assert_at(worked, "unresponsive after an answer", lease_unresponsive_at(&lease), worked->unresponsive + 50);
}

Test(lease, of_a_reconnected_session_counts_from_the_last_answered_request)
{
    struct lease lease = connected(&worked_table[1]);
    lease_answered(&lease, START + 700 * MS, START + 701 * MS);
    cr_assert_eq(lease_end(&lease), START + 10000 * MS, "one answer proves nothing");
    lease_connected(&lease, START + 2000 * MS, 10000 * MS, true);
    cr_assert_eq(lease_end(&lease), START + 10700 * MS);
}

/* Probes are sent when they are due, and answered a round trip later. */
static int64_t probe_for(struct lease *lease, enum lease_demand demand, int64_t round_trip, int64_t from, int64_t until)
{
    int64_t now = from;
    while (now < until) {
        int64_t due = lease_next_probe(lease, demand);
        now = due > now ? due : now;
        lease->probed = now;
        now += round_trip;
        lease_answered(lease, lease->probed, now);
    }
    return now;
}

WORKED_TEST(that_is_held_is_secure_after_each_answer)
{
    struct lease lease = connected(worked);
    for (int64_t now = START; now < START + 3 * worked->timeout * MS;) {
        now = probe_for(&lease, LEASE_HELD, 2 * MS, now, now + 1);
        cr_assert(lease_is_secure(&lease, now), "T = %lld ms, after %lld ns", (long long)worked->timeout,
                  (long long)(now - START));
    }
}

WORKED_TEST(of_an_idle_session_is_secure_before_each_probe)
{
    struct lease lease = connected(worked);
    int64_t now = START;
    while (now < START + 5 * worked->timeout * MS) {
        now = probe_for(&lease, LEASE_IDLE, 2 * MS, now, now + 1);
        cr_assert(lease_is_secure(&lease, lease_next_probe(&lease, LEASE_IDLE) - 1), "T = %lld ms, after %lld ns",
                  (long long)worked->timeout, (long long)(now - START));
    }
}

/* A follower that has lost its leader answers nothing that counts. */
WORKED_TEST(that_is_not_answered_any_more_is_insecure_before_it_ends)
{
    struct lease lease = connected(worked);
    int64_t now = probe_for(&lease, LEASE_HELD, 2 * MS, START, START + 2 * worked->timeout * MS);
    int64_t end = lease_end(&lease);
    cr_assert_gt(end, now + worked->timeout * MS / 2);
    cr_assert_leq(end, now + worked->timeout * MS, "the leader may have heard of it %lld ms ago",
                  (long long)worked->timeout);
    cr_assert_not(lease_is_secure(&lease, end - worked->timeout * MS / 8));
    cr_assert_lt(lease_unresponsive_at(&lease), end);
}

#define QUARTER(worked) ((worked)->timeout / 4 * MS)

WORKED_TEST(of_an_idle_session_outlasts_a_quarter_of_the_timeout_before_each_probe)
{
    struct lease lease = connected(worked);
    int64_t now = START;
    while (now < START + 5 * worked->timeout * MS) {
        now = probe_for(&lease, LEASE_IDLE, 2 * MS, now, now + 1);
        cr_assert(lease_outlasts(&lease, lease_next_probe(&lease, LEASE_IDLE) - 1, QUARTER(worked)),
                  "T = %lld ms, after %lld ns", (long long)worked->timeout, (long long)(now - START));
    }
}

/* From the grant in an idle session, at its worst moment, on. */
WORKED_TEST(that_is_held_always_has_a_third_of_the_timeout_left)
{
    struct lease lease = connected(worked);
    (void)probe_for(&lease, LEASE_IDLE, 2 * MS, START, START + 3 * worked->timeout * MS);
    int64_t now = lease_next_probe(&lease, LEASE_IDLE) - 1;
    int64_t until = now + 3 * worked->timeout * MS;
    while (now < until) {
        int64_t due = lease_next_probe(&lease, LEASE_HELD);
        now = due > now ? due : now;
        cr_assert_gt(lease_end(&lease) - now, worked->timeout * MS / 3, "T = %lld ms: %lld ns left",
                     (long long)worked->timeout, (long long)(lease_end(&lease) - now));
        now = probe_for(&lease, LEASE_HELD, 2 * MS, now, now + 1);
    }
}

WORKED_TEST(after_a_reconnect_outlasts_the_margin_if_a_whole_proof_fits_before_it)
{
    struct lease lease = connected(worked);
    lease_answered(&lease, START, START + MS);
    lease_connected(&lease, START + 2 * MS, worked->timeout * MS, true);
    int64_t half_tick = worked->timeout / 4 < 1000 ? worked->timeout / 4 : 1000;
    int64_t last = START + (worked->timeout - half_tick - worked->timeout / 8) * MS - QUARTER(worked);
    cr_assert(lease_outlasts(&lease, last - MS, QUARTER(worked)));
    cr_assert_not(lease_outlasts(&lease, last + MS, QUARTER(worked)));
}

Test(lease, of_a_slow_line_is_not_waited_for_once_each_probe_renews_it)
{
    const struct worked *worked = &worked_table[0];
    struct lease lease = connected(worked);
    int64_t now = probe_for(&lease, LEASE_AWAITED, 20 * MS, START, START + 3 * worked->timeout * MS);
    cr_assert(lease_outlasts(&lease, now, lease_end(&lease) - now + MS), "a longer margin is never reached");
}
