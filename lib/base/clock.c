/* SPDX-License-Identifier: Apache-2.0 */
/* The two clocks and the timed wait. */
#include "base/clock.h"

#include <time.h>

#define NANOSECONDS_PER_SECOND INT64_C(1000000000)
#define LONGEST_LEASE_WAIT (500 * NANOSECONDS_PER_MILLISECOND)

static int64_t read_clock(clockid_t id)
{
    struct timespec now;
    clock_gettime(id, &now);
    return (int64_t)now.tv_sec * NANOSECONDS_PER_SECOND + now.tv_nsec;
}

int64_t clock_now(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

int64_t clock_lease_now(void)
{
    return read_clock(CLOCK_BOOTTIME);
}

int64_t clock_for_lease(int64_t lease_time)
{
    if (lease_time == NEVER) {
        return NEVER;
    }
    int64_t wait = lease_time - clock_lease_now();
    return clock_now() + (wait < LONGEST_LEASE_WAIT ? wait : LONGEST_LEASE_WAIT);
}

int64_t clock_after(int64_t start, int64_t milliseconds)
{
    if (start == NEVER || milliseconds >= (NEVER - start) / NANOSECONDS_PER_MILLISECOND) {
        return NEVER;
    }
    return start + milliseconds * NANOSECONDS_PER_MILLISECOND;
}

int condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    int rc = pthread_condattr_init(&attributes);
    if (rc != 0) {
        return rc;
    }
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    rc = pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
    return rc;
}

void condition_wait_until(pthread_cond_t *condition, pthread_mutex_t *mutex, int64_t deadline)
{
    if (deadline == NEVER) {
        pthread_cond_wait(condition, mutex);
        return;
    }
    struct timespec until = {.tv_sec = (time_t)(deadline / NANOSECONDS_PER_SECOND),
                             .tv_nsec = (long)(deadline % NANOSECONDS_PER_SECOND)};
    pthread_cond_timedwait(condition, mutex, &until);
}
