/* SPDX-License-Identifier: Apache-2.0 */
/** \file
 * How often, and after which pause, a call is tried again after a failure that can pass.
 *
 * Such a failure is: no connection, an answer that did not come, a session that ended, a node that vanished. A refusal
 * (CURATOR_NO_AUTH, a wrong argument) is never tried again.
 *
 * - A policy is a plain value. ::curator_framework_options takes a pointer to one and copies it.
 * - A call has **one** budget. However many of its requests and attempts fail, the policy is asked as if they were one.
 *   A contender that has queued up behind somebody begins with a fresh budget.
 * - A call first waits `connection_timeout_ms` for a connection; then the policy is asked. No pause outlasts the
 *   deadline of the call.
 * - The first retry of a call does not wait while there is a connection, and ends its pause when there is one again.
 * - Waiting in the queue during a disconnect uses up nothing, as long as the session lives.
 *
 * The functions below only fill in a value: they cannot fail. Numbers that make no sense (a negative one, a pause of 0
 * without end, a NULL function) are refused by curator_framework_open() with CURATOR_INVALID_ARGUMENT.
 *
 * \code
 * #include <curator/curator.h>
 *
 * // Patient during the first minute of a call, then not at all.
 * static bool patient_minute(int retry_count, int64_t elapsed_ms, int64_t *sleep_ms, void *context)
 * {
 *     (void)context;
 *     *sleep_ms = retry_count < 5 ? 200 : 2000;
 *     return elapsed_ms < 60000;
 * }
 *
 * curator_status open_patient(curator_framework **client, const char *servers)
 * {
 *     const curator_retry_policy policy = curator_retry_custom(patient_minute, NULL);
 *     return curator_framework_open(client,
 *                                   &(curator_framework_options){.connect_string = servers, .retry_policy = &policy});
 * }
 * \endcode
 *
 * \ports org.apache.curator.RetryPolicy and org.apache.curator.retry.*
 */
#ifndef CURATOR_RETRY_H
#define CURATOR_RETRY_H

#include <curator/api.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A policy of your own, for curator_retry_custom(): decides whether a call tries again.
 *
 * It runs on the thread of the blocked call, with no library lock held. It must not block and must not call the
 * library.
 *
 * \param retry_count 0 at the first question of a call, then one more at each
 * \param elapsed_ms  milliseconds since the call began
 * \param sleep_ms    out: the pause before the next try, in milliseconds; below 0 counts as 0
 * \param context     what curator_retry_custom() was given
 * \return false to give up
 */
typedef bool (*curator_retry_fn)(int retry_count, int64_t elapsed_ms, int64_t *sleep_ms, void *context);

/** What a policy is. You need it only to recognise one. */
typedef enum curator_retry_kind {
    CURATOR_RETRY_EXPONENTIAL_BACKOFF = 1, /**< With or without a bound of the pauses. */
    CURATOR_RETRY_N_TIMES,                 /**< A fixed number of retries. */
    CURATOR_RETRY_FOREVER,                 /**< Retries without end. */
    CURATOR_RETRY_UNTIL_ELAPSED,           /**< Retries until a time has passed. */
    CURATOR_RETRY_CUSTOM                   /**< A function of the user. */
} curator_retry_kind;

/** A retry policy, returned by the functions below. Its members are read by the library only. */
typedef struct curator_retry_policy {
    curator_retry_kind kind; /**< What it is. */
    int max_retries;         /**< Exponential backoff, n times: so many retries at most. */
    int64_t sleep_ms;        /**< The pause, or the base of the pauses, in milliseconds. */
    int64_t max_sleep_ms;    /**< Exponential backoff: the longest pause, in milliseconds. */
    int64_t max_elapsed_ms;  /**< Until elapsed: the time, in milliseconds since the call began. */
    curator_retry_fn fn;     /**< Custom: the function. */
    void *context;           /**< Custom: what the function is called with. */
    uint64_t reserved[2];    /**< Room for policies to come: zero. */
} curator_retry_policy;

/**
 * Returns a policy of random pauses that grow from retry to retry.
 *
 * The pause before the n-th retry, n from 0, is base_ms times a random whole number from 1 to 2^(n+1) - 1, of which 1
 * is twice as likely as the others. No pause is longer than 2,147,483,647 ms. The default policy of a framework is
 * `curator_retry_exponential_backoff(1000, 3)`.
 *
 * \param base_ms     milliseconds, not negative
 * \param max_retries at most so many retries, not negative; never more than 29 are made
 * \return the policy
 * \blocks no
 * \threads any
 * \ports ExponentialBackoffRetry
 */
CURATOR_API curator_retry_policy curator_retry_exponential_backoff(int64_t base_ms, int max_retries);

/**
 * Returns a policy of random pauses that grow from retry to retry up to a bound.
 *
 * As curator_retry_exponential_backoff(), with no pause longer than max_sleep_ms.
 *
 * \param base_ms      milliseconds, not negative
 * \param max_sleep_ms milliseconds, not negative
 * \param max_retries  at most so many retries, not negative; never more than 29 are made
 * \return the policy
 * \blocks no
 * \threads any
 * \ports BoundedExponentialBackoffRetry
 */
CURATOR_API curator_retry_policy curator_retry_bounded_exponential_backoff(int64_t base_ms, int64_t max_sleep_ms,
                                                                           int max_retries);

/**
 * Returns a policy of n retries with the same pause before each.
 *
 * \param n        so many retries; 0 never retries
 * \param sleep_ms milliseconds, not negative
 * \return the policy
 * \blocks no
 * \threads any
 * \ports RetryNTimes
 */
CURATOR_API curator_retry_policy curator_retry_n_times(int n, int64_t sleep_ms);

/**
 * Returns a policy of one retry.
 *
 * \param sleep_ms the pause before it in milliseconds, not negative
 * \return the policy
 * \blocks no
 * \threads any
 * \ports RetryOneTime
 */
CURATOR_API curator_retry_policy curator_retry_one_time(int64_t sleep_ms);

/**
 * Returns a policy of retries without end.
 *
 * Deadlines, interrupts and the closing of the framework still end a call.
 *
 * \param sleep_ms the pause before each in milliseconds, above 0
 * \return the policy
 * \blocks no
 * \threads any
 * \ports RetryForever
 */
CURATOR_API curator_retry_policy curator_retry_forever(int64_t sleep_ms);

/**
 * Returns a policy of retries until a time has passed.
 *
 * \param max_elapsed_ms no retry later than so many milliseconds after the call began; not negative
 * \param sleep_ms       the pause before each in milliseconds, not negative
 * \return the policy
 * \blocks no
 * \threads any
 * \ports RetryUntilElapsed, without its last pause
 */
CURATOR_API curator_retry_policy curator_retry_until_elapsed(int64_t max_elapsed_ms, int64_t sleep_ms);

/**
 * Returns a policy that asks a function of yours.
 *
 * \param fn      the function; must stay callable as long as the framework lives
 * \param context what fn is called with; must live as long as the framework
 * \return the policy
 * \blocks no
 * \threads any
 * \ports an own implementation of RetryPolicy
 */
CURATOR_API curator_retry_policy curator_retry_custom(curator_retry_fn fn, void *context);

#ifdef __cplusplus
}
#endif

#endif
