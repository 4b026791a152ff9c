/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the retry policies: Curator's numbers. */
#include "client/retry_policy.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <string.h>

static void assert_allows(curator_retry_policy policy, int retry_count, int64_t elapsed_ms, uint32_t random,
                          int64_t sleep_ms)
{
    struct retry_answer answer = retry_policy_allow(&policy, retry_count, elapsed_ms, random);
    cr_assert(answer.allowed, "retry %d after %lld ms", retry_count, (long long)elapsed_ms);
    cr_assert_eq(answer.sleep_ms, sleep_ms, "%lld ms", (long long)answer.sleep_ms);
}

static void assert_gives_up(curator_retry_policy policy, int retry_count, int64_t elapsed_ms)
{
    struct retry_answer answer = retry_policy_allow(&policy, retry_count, elapsed_ms, 12345);
    cr_assert(!answer.allowed, "retry %d after %lld ms", retry_count, (long long)elapsed_ms);
    cr_assert_eq(answer.sleep_ms, 0);
}

static void assert_refused(curator_retry_policy policy, const char *words)
{
    cr_assert_eq(retry_policy_validate(&policy), CURATOR_INVALID_ARGUMENT);
    cr_assert(strstr(curator_last_error(), words) != NULL, "%s", curator_last_error());
}

Test(retry_policy, backs_off_by_a_random_multiple_below_the_next_power_of_two)
{
    curator_retry_policy policy = curator_retry_exponential_backoff(100, 29);
    for (int n = 0; n < 29; n++) {
        int64_t below = (int64_t)1 << (n + 1);
        int64_t longest = (below - 1) * 100 < INT32_MAX ? (below - 1) * 100 : INT32_MAX;
        assert_allows(policy, n, 0, UINT32_MAX, longest);
        assert_allows(policy, n, 0, 1, 100);
    }
    assert_allows(policy, 2, 0, 5, 500);
    assert_allows(policy, 2, 0, 8 + 5, 500);
}

Test(retry_policy, never_multiplies_by_zero)
{
    curator_retry_policy policy = curator_retry_exponential_backoff(100, 3);
    assert_allows(policy, 0, 0, 0, 100);
    assert_allows(policy, 2, 0, 8, 100);
}

Test(retry_policy, gives_up_when_the_retries_are_used_up)
{
    assert_allows(curator_retry_exponential_backoff(1000, 3), 2, INT64_MAX, 1, 1000);
    assert_gives_up(curator_retry_exponential_backoff(1000, 3), 3, 0);
    assert_gives_up(curator_retry_exponential_backoff(1000, 0), 0, 0);
}

Test(retry_policy, backs_off_29_times_at_most)
{
    assert_allows(curator_retry_exponential_backoff(1, INT_MAX), 28, 0, 1, 1);
    assert_gives_up(curator_retry_exponential_backoff(1, INT_MAX), 29, 0);
    assert_gives_up(curator_retry_bounded_exponential_backoff(1, 10, 1000), 29, 0);
}

Test(retry_policy, backs_off_no_longer_than_its_bound)
{
    curator_retry_policy policy = curator_retry_bounded_exponential_backoff(100, 250, 10);
    assert_allows(policy, 1, 0, 2, 200);
    assert_allows(policy, 1, 0, 3, 250);
    assert_allows(curator_retry_bounded_exponential_backoff(100, 50, 10), 0, 0, 0, 50);
}

Test(retry_policy, sleeps_at_most_what_java_can_count)
{
    assert_allows(curator_retry_exponential_backoff(INT64_MAX, 29), 28, 0, UINT32_MAX, INT32_MAX);
    assert_allows(curator_retry_exponential_backoff((int64_t)INT32_MAX + 1, 29), 0, 0, 0, INT32_MAX);
}

Test(retry_policy, never_overflows)
{
    static const int64_t numbers[] = {INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT32_MAX, INT64_MAX - 1, INT64_MAX};
    static const int counts[] = {INT_MIN, -1, 0, 1, 28, 29, INT_MAX};
    static const uint32_t randoms[] = {0, 1, 0x20000000, UINT32_MAX};
    const size_t combinations = 8 * 8 * 7 * 7 * 4 * 4;
    for (size_t i = 0; i < combinations; i++) {
        size_t rest = i;
        curator_retry_policy policy = {.kind = (curator_retry_kind)(rest % 4 + 1)};
        rest /= 4;
        uint32_t random = randoms[rest % 4];
        rest /= 4;
        policy.max_retries = counts[rest % 7];
        rest /= 7;
        int retry_count = counts[rest % 7];
        rest /= 7;
        policy.sleep_ms = numbers[rest % 8];
        rest /= 8;
        policy.max_sleep_ms = policy.max_elapsed_ms = numbers[rest];
        struct retry_answer answer = retry_policy_allow(&policy, retry_count, INT64_MAX, random);
        cr_assert_geq(answer.sleep_ms, 0);
    }
}

Test(retry_policy, retries_n_times)
{
    assert_allows(curator_retry_n_times(2, 70), 1, INT64_MAX, 9, 70);
    assert_gives_up(curator_retry_n_times(2, 70), 2, 0);
    assert_gives_up(curator_retry_n_times(0, 70), 0, 0);
}

Test(retry_policy, retries_one_time)
{
    assert_allows(curator_retry_one_time(70), 0, 0, 9, 70);
    assert_gives_up(curator_retry_one_time(70), 1, 0);
}

Test(retry_policy, retries_forever)
{
    assert_allows(curator_retry_forever(70), INT_MAX, INT64_MAX, 9, 70);
}

Test(retry_policy, retries_until_the_time_has_elapsed)
{
    assert_allows(curator_retry_until_elapsed(1000, 70), 500, 999, 9, 70);
    assert_gives_up(curator_retry_until_elapsed(1000, 70), 0, 1000);
    assert_gives_up(curator_retry_until_elapsed(0, 70), 0, 0);
}

static bool allow_three(int retry_count, int64_t elapsed_ms, int64_t *sleep_ms, void *context)
{
    *(int64_t *)context = elapsed_ms;
    *sleep_ms = retry_count * 10;
    return retry_count < 3;
}

static bool sleep_backwards(int retry_count, int64_t elapsed_ms, int64_t *sleep_ms, void *context)
{
    (void)retry_count;
    (void)elapsed_ms;
    (void)context;
    *sleep_ms = -1;
    return true;
}

Test(retry_policy, asks_a_function_of_the_user)
{
    int64_t elapsed_ms = 0;
    curator_retry_policy policy = curator_retry_custom(allow_three, &elapsed_ms);
    assert_allows(policy, 2, 77, 9, 20);
    cr_assert_eq(elapsed_ms, 77);
    assert_gives_up(policy, 3, 77);
    assert_allows(curator_retry_custom(sleep_backwards, NULL), 0, 0, 0, 0);
}

Test(retry_policy, accepts_what_the_constructors_make)
{
    curator_retry_policy policies[] = {curator_retry_exponential_backoff(1000, 3),
                                       curator_retry_bounded_exponential_backoff(0, 0, 0),
                                       curator_retry_n_times(0, 0),
                                       curator_retry_one_time(0),
                                       curator_retry_forever(1),
                                       curator_retry_until_elapsed(0, 0),
                                       curator_retry_custom(sleep_backwards, NULL)};
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        cr_assert_eq(retry_policy_validate(&policies[i]), CURATOR_OK);
    }
}

Test(retry_policy, refuses_negative_numbers)
{
    assert_refused(curator_retry_exponential_backoff(-1, 3), "pause in ms is negative (-1)");
    assert_refused(curator_retry_exponential_backoff(1, -3), "number of retries is negative (-3)");
    assert_refused(curator_retry_bounded_exponential_backoff(1, INT64_MIN, 3), "longest pause");
    assert_refused(curator_retry_n_times(-1, 1), "number of retries");
    assert_refused(curator_retry_one_time(-1), "pause in ms");
    assert_refused(curator_retry_forever(-1), "pause in ms");
    assert_refused(curator_retry_until_elapsed(-1, 1), "gives up");
}

Test(retry_policy, refuses_what_could_not_work)
{
    assert_refused(curator_retry_forever(0), "forever");
    assert_refused(curator_retry_custom(NULL, NULL), "its function is NULL");
    assert_refused((curator_retry_policy){.kind = (curator_retry_kind)0}, "unknown kind 0");
    assert_refused((curator_retry_policy){.kind = (curator_retry_kind)6}, "unknown kind 6");
    cr_assert_eq(retry_policy_validate(NULL), CURATOR_INVALID_ARGUMENT);
    assert_gives_up((curator_retry_policy){.kind = (curator_retry_kind)6}, 0, 0);
    assert_gives_up(curator_retry_custom(NULL, NULL), 0, 0);
}
