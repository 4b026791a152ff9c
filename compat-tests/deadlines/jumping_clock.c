/* SPDX-License-Identifier: Apache-2.0 */
/* The C peer on a machine whose time of day is set an hour forward and back again, ten times a second. */
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define PERIOD_NS 100000000

static long read_clock(clockid_t id, struct timespec *now)
{
    return syscall(SYS_clock_gettime, id, now);
}

static time_t error_now(void)
{
    struct timespec now = {0};
    read_clock(CLOCK_MONOTONIC, &now);
    return now.tv_nsec % PERIOD_NS < PERIOD_NS / 2 ? 3600 : -3600;
}

/* These stand before the C library's. */
int clock_gettime(clockid_t id, struct timespec *now)
{
    long rc = read_clock(id, now);
    if (rc == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) {
        now->tv_sec += error_now();
    }
    return (int)rc;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec precise;
    (void)zone;
    int rc = clock_gettime(CLOCK_REALTIME, &precise);
    *now = (struct timeval){.tv_sec = precise.tv_sec, .tv_usec = precise.tv_nsec / 1000};
    return rc;
}

time_t time(time_t *now)
{
    struct timespec precise = {0};
    clock_gettime(CLOCK_REALTIME, &precise);
    if (now != NULL) {
        *now = precise.tv_sec;
    }
    return precise.tv_sec;
}
