/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The C peer on a machine whose clocks and timed waits run FASTER times as fast as others: of what happens in a minute
 * there, a test sees the end after some seconds. The servers and the link are as fast as ever.
 */
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define FASTER 5 /* logs/outage_test.py has it too */
#define SECOND_NS INT64_C(1000000000)

/* These clocks count from the boot or less far back, so the products fit. */
static bool is_fast(clockid_t id)
{
    return id == CLOCK_MONOTONIC || id == CLOCK_BOOTTIME;
}

static int64_t nanoseconds(const struct timespec *time)
{
    return (int64_t)time->tv_sec * SECOND_NS + time->tv_nsec;
}

static struct timespec timespec_of(int64_t nanoseconds)
{
    return (struct timespec){.tv_sec = nanoseconds / SECOND_NS, .tv_nsec = nanoseconds % SECOND_NS};
}

/* These stand before the C library's. */
int clock_gettime(clockid_t id, struct timespec *now)
{
    long rc = syscall(SYS_clock_gettime, id, now);
    if (rc == 0 && is_fast(id)) {
        *now = timespec_of(nanoseconds(now) * FASTER);
    }
    return (int)rc;
}

/* All conditions with a time limit are of the library, which has them count by CLOCK_MONOTONIC. */
int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until)
{
    int (*wait)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *) = NULL;
    struct timespec slow = timespec_of(nanoseconds(until) / FASTER);
    *(void **)&wait = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
    return wait(condition, mutex, &slow);
}

int poll(struct pollfd *descriptors, nfds_t count, int timeout_ms)
{
    struct timespec timeout = timespec_of(timeout_ms * SECOND_NS / 1000 / FASTER);
    return ppoll(descriptors, count, timeout_ms < 0 ? NULL : &timeout, NULL);
}
