/* SPDX-License-Identifier: Apache-2.0 */
/* What a retry policy answers when a request has failed in a way that can pass. */
#include "client/retry_policy.h"

#include "base/error.h"

#include <stddef.h>

enum { BACKOFF_MAX_RETRIES = 29 };

curator_retry_policy curator_retry_exponential_backoff(int64_t base_ms, int max_retries)
{
    return curator_retry_bounded_exponential_backoff(base_ms, INT32_MAX, max_retries);
}

curator_retry_policy curator_retry_bounded_exponential_backoff(int64_t base_ms, int64_t max_sleep_ms, int max_retries)
{
    return (curator_retry_policy){
        .kind = CURATOR_RETRY_EXPONENTIAL_BACKOFF,
        .max_retries = max_retries,
        .sleep_ms = base_ms,
        .max_sleep_ms = max_sleep_ms,
    };
}

curator_retry_policy curator_retry_n_times(int n, int64_t sleep_ms)
{
    return (curator_retry_policy){.kind = CURATOR_RETRY_N_TIMES, .max_retries = n, .sleep_ms = sleep_ms};
}

curator_retry_policy curator_retry_one_time(int64_t sleep_ms)
{
    return curator_retry_n_times(1, sleep_ms);
}

curator_retry_policy curator_retry_forever(int64_t sleep_ms)
{
    return (curator_retry_policy){.kind = CURATOR_RETRY_FOREVER, .sleep_ms = sleep_ms};
}

curator_retry_policy curator_retry_until_elapsed(int64_t max_elapsed_ms, int64_t sleep_ms)
{
    return (curator_retry_policy){
        .kind = CURATOR_RETRY_UNTIL_ELAPSED,
        .sleep_ms = sleep_ms,
        .max_elapsed_ms = max_elapsed_ms,
    };
}

curator_retry_policy curator_retry_custom(curator_retry_fn fn, void *context)
{
    return (curator_retry_policy){.kind = CURATOR_RETRY_CUSTOM, .fn = fn, .context = context};
}

static struct retry_answer answer(bool allowed, int64_t sleep_ms)
{
    return (struct retry_answer){.allowed = allowed, .sleep_ms = allowed && sleep_ms > 0 ? sleep_ms : 0};
}

static struct retry_answer backoff(const curator_retry_policy *policy, int retry_count, uint32_t random)
{
    if (retry_count >= policy->max_retries || retry_count >= BACKOFF_MAX_RETRIES) {
        return answer(false, 0);
    }
    int doublings = retry_count > 0 ? retry_count + 1 : 1;
    int64_t below = (int64_t)1 << doublings;
    int64_t factor = random % below;
    if (factor == 0) {
        factor = 1;
    }
    int64_t base = policy->sleep_ms > 0 ? policy->sleep_ms : 0;
    bool too_long = base > policy->max_sleep_ms / factor; /* the product itself could overflow */
    return answer(true, too_long ? policy->max_sleep_ms : base * factor);
}

struct retry_answer retry_policy_allow(const curator_retry_policy *policy, int retry_count, int64_t elapsed_ms,
                                       uint32_t random)
{
    switch (policy->kind) {
    case CURATOR_RETRY_EXPONENTIAL_BACKOFF:
        return backoff(policy, retry_count, random);
    case CURATOR_RETRY_N_TIMES:
        return answer(retry_count < policy->max_retries, policy->sleep_ms);
    case CURATOR_RETRY_FOREVER:
        return answer(true, policy->sleep_ms);
    case CURATOR_RETRY_UNTIL_ELAPSED:
        return answer(elapsed_ms < policy->max_elapsed_ms, policy->sleep_ms);
    case CURATOR_RETRY_CUSTOM: {
        int64_t sleep_ms = 0;
        bool allowed = policy->fn != NULL && policy->fn(retry_count, elapsed_ms, &sleep_ms, policy->context);
        return answer(allowed, sleep_ms);
    }
    }
    return answer(false, 0);
}

static curator_status refuse_negative(const char *name, int64_t number)
{
    return fail(CURATOR_INVALID_ARGUMENT, "retry policy is not valid: %s is negative (%lld)", name, (long long)number);
}

curator_status retry_policy_validate(const curator_retry_policy *policy)
{
    if (policy == NULL) {
        return fail(CURATOR_INVALID_ARGUMENT, "retry policy is NULL");
    }
    if (policy->kind < CURATOR_RETRY_EXPONENTIAL_BACKOFF || policy->kind > CURATOR_RETRY_CUSTOM) {
        return fail(CURATOR_INVALID_ARGUMENT, "retry policy is not valid: unknown kind %d", (int)policy->kind);
    }
    if (policy->reserved[0] != 0 || policy->reserved[1] != 0) {
        return fail(CURATOR_INVALID_ARGUMENT, "retry policy is not valid: its reserved space is not zero; it was not "
                                              "initialised as a whole, or is one of a newer library");
    }
    if (policy->kind == CURATOR_RETRY_CUSTOM) {
        return policy->fn != NULL ? CURATOR_OK
                                  : fail(CURATOR_INVALID_ARGUMENT, "retry policy is not valid: its function is NULL");
    }
    if (policy->max_retries < 0) {
        return refuse_negative("the number of retries", policy->max_retries);
    }
    if (policy->sleep_ms < 0) {
        return refuse_negative("the pause in ms", policy->sleep_ms);
    }
    if (policy->max_sleep_ms < 0) {
        return refuse_negative("the longest pause in ms", policy->max_sleep_ms);
    }
    if (policy->max_elapsed_ms < 0) {
        return refuse_negative("the time in ms until it gives up", policy->max_elapsed_ms);
    }
    if (policy->kind == CURATOR_RETRY_FOREVER && policy->sleep_ms == 0) {
        return fail(CURATOR_INVALID_ARGUMENT, "retry policy is not valid: retrying forever wants a pause above 0 ms");
    }
    return CURATOR_OK;
}
