/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Retry policies: how often, and after which pause, a call is tried again after a failure that can pass.
 * Ports org.apache.curator.RetryPolicy and org.apache.curator.retry.*.
 *
 * A policy is a plain value; options take a pointer to one and copy it. A call has one budget: however many of its
 * requests fail, the policy is asked as if they were one. No pause outlasts the call's deadline.
 * Negative numbers are refused by curator_framework_open() with CURATOR_INVALID_ARGUMENT.
 */
#ifndef CURATOR_RETRY_H
#define CURATOR_RETRY_H

#include <curator/api.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Decides whether to try again: retry_count is 0 at the first question of a call, elapsed_ms the time since the call
 * began. Returns false to give up; otherwise sets *sleep_ms to the pause before the next try. Called on the thread of
 * the blocked call with no library lock held; it must not block and not call the library.
 */
typedef bool (*curator_retry_fn)(int retry_count, int64_t elapsed_ms, int64_t *sleep_ms, void *context);

typedef enum curator_retry_kind {
    CURATOR_RETRY_EXPONENTIAL_BACKOFF = 1,
    CURATOR_RETRY_N_TIMES,
    CURATOR_RETRY_FOREVER,
    CURATOR_RETRY_UNTIL_ELAPSED,
    CURATOR_RETRY_CUSTOM
} curator_retry_kind;

/* Made by the functions below; its members are read by the library only. */
typedef struct curator_retry_policy {
    curator_retry_kind kind;
    int max_retries;
    int64_t sleep_ms;
    int64_t max_sleep_ms;
    int64_t max_elapsed_ms;
    curator_retry_fn fn;
    void *context;
} curator_retry_policy;

/*
 * Pauses of base_ms times a random whole number from 1 to 2^(n+1) - 1 at the n-th retry (n from 0; 1 twice as likely as
 * the others), at most max_retries of them, and never more than 29. Ports ExponentialBackoffRetry.
 */
CURATOR_API curator_retry_policy curator_retry_exponential_backoff(int64_t base_ms, int max_retries);

/* The same with no pause longer than max_sleep_ms. Ports BoundedExponentialBackoffRetry. */
CURATOR_API curator_retry_policy curator_retry_bounded_exponential_backoff(int64_t base_ms, int64_t max_sleep_ms,
                                                                           int max_retries);

/* n retries, each after sleep_ms. Ports RetryNTimes. */
CURATOR_API curator_retry_policy curator_retry_n_times(int n, int64_t sleep_ms);

/* One retry after sleep_ms. Ports RetryOneTime. */
CURATOR_API curator_retry_policy curator_retry_one_time(int64_t sleep_ms);

/* Retries without end, each after sleep_ms, which must be above 0. Ports RetryForever. */
CURATOR_API curator_retry_policy curator_retry_forever(int64_t sleep_ms);

/* Retries, each after sleep_ms, until max_elapsed_ms have passed since the call began. Ports RetryUntilElapsed. */
CURATOR_API curator_retry_policy curator_retry_until_elapsed(int64_t max_elapsed_ms, int64_t sleep_ms);

/* Asks fn, which is called with context. Ports an own implementation of RetryPolicy. */
CURATOR_API curator_retry_policy curator_retry_custom(curator_retry_fn fn, void *context);

#ifdef __cplusplus
}
#endif

#endif
