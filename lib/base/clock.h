/* SPDX-License-Identifier: Apache-2.0 */
/* The two clocks and the timed wait. Nothing here follows the wall clock, which can be set. */
#ifndef CURATOR_BASE_CLOCK_H
#define CURATOR_BASE_CLOCK_H

#include <pthread.h>
#include <stdint.h>

#define NANOSECONDS_PER_MILLISECOND INT64_C(1000000)
#define NEVER INT64_MAX

/* For waits and deadlines: what condition variables wait by. */
int64_t clock_now(void);

/* For leases: goes on while the machine sleeps, as the server's clock does. */
int64_t clock_lease_now(void);

/*
 * When to look whether the lease clock has reached a time, as clock_now() or NEVER. Never more than half a second
 * ahead: clock_now() stands still while the machine sleeps, so one long wait would end too late.
 */
int64_t clock_for_lease(int64_t lease_time);

/* start + milliseconds, or NEVER if that is too far away to count. */
int64_t clock_after(int64_t start, int64_t milliseconds);

/* Milliseconds since a clock_now(), for log lines. */
static inline double clock_ms_since(int64_t start)
{
    return (double)(clock_now() - start) / (double)NANOSECONDS_PER_MILLISECOND;
}

static inline int64_t clock_earlier(int64_t one, int64_t other)
{
    return one < other ? one : other;
}

static inline int64_t clock_later(int64_t one, int64_t other)
{
    return one > other ? one : other;
}

int condition_init(pthread_cond_t *condition);

/* Waits until it is signalled, or clock_now() reaches the deadline; may also wake for nothing. */
void condition_wait_until(pthread_cond_t *condition, pthread_mutex_t *mutex, int64_t deadline);

#endif
