/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the library gets from the C library in a simulated process: threads, conditions, mutexes, clocks, randomness,
 * and no look at descriptors. The linker puts these in place of the real ones (--wrap), so nothing of the library
 * itself is replaced. All of it is called by tasks only.
 */
#include "task.h"

#include "draw.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>

#define NANOSECONDS_PER_SECOND INT64_C(1000000000)

int __real_pthread_mutex_unlock(pthread_mutex_t *mutex);

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex);
int __wrap_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex);
int __wrap_pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until);
int __wrap_pthread_cond_signal(pthread_cond_t *condition);
int __wrap_pthread_cond_broadcast(pthread_cond_t *condition);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *context);
int __wrap_pthread_join(pthread_t thread, void **result);
int __wrap_pthread_detach(pthread_t thread);
pthread_t __wrap_pthread_self(void);
int __wrap_clock_gettime(clockid_t id, struct timespec *time);
int __wrap_nanosleep(const struct timespec *wanted, struct timespec *left);
ssize_t __wrap_getrandom(void *buffer, size_t size, unsigned flags);
long __wrap_syscall(long number, ...);
int __wrap_open(const char *path, int flags, ...);
DIR *__wrap_opendir(const char *path);

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
    while (pthread_mutex_trylock(mutex) != 0) {
        task_wait((struct wait){.mutex = mutex});
    }
    return 0;
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    __real_pthread_mutex_unlock(mutex);
    if (task_preempted != NULL && task_preempted()) {
        task_wait((struct wait){.preempted = true});
    }
    return 0;
}

static int wait_until(pthread_cond_t *condition, pthread_mutex_t *mutex, int64_t until)
{
    __real_pthread_mutex_unlock(mutex);
    task_wait((struct wait){.condition = condition, .until = until});
    __wrap_pthread_mutex_lock(mutex);
    return time_now() >= until ? ETIMEDOUT : 0;
}

int __wrap_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    return wait_until(condition, mutex, FOREVER);
}

int __wrap_pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until)
{
    return wait_until(condition, mutex, until->tv_sec * NANOSECONDS_PER_SECOND + until->tv_nsec);
}

int __wrap_pthread_cond_signal(pthread_cond_t *condition)
{
    task_signal(condition, false);
    return 0;
}

int __wrap_pthread_cond_broadcast(pthread_cond_t *condition)
{
    task_signal(condition, true);
    return 0;
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *context)
{
    (void)attributes;
    *thread = task_number(task_start(run, context));
    return 0;
}

int __wrap_pthread_join(pthread_t thread, void **result)
{
    struct task *task = task_by_number(thread);
    if (!task_finished(task)) {
        task_wait((struct wait){.task = task});
    }
    if (result != NULL) {
        *result = task_result(task);
    }
    task_free(task);
    return 0;
}

/* Its place is not used again in this run. */
int __wrap_pthread_detach(pthread_t thread)
{
    (void)thread;
    return 0;
}

pthread_t __wrap_pthread_self(void)
{
    return task_number(task_current());
}

int __wrap_clock_gettime(clockid_t id, struct timespec *time)
{
    int64_t now = time_now() + (id == CLOCK_BOOTTIME ? time_slept() : 0);
    assert(id == CLOCK_MONOTONIC || id == CLOCK_BOOTTIME);
    *time = (struct timespec){.tv_sec = now / NANOSECONDS_PER_SECOND, .tv_nsec = now % NANOSECONDS_PER_SECOND};
    return 0;
}

int __wrap_nanosleep(const struct timespec *wanted, struct timespec *left)
{
    (void)left;
    task_wait((struct wait){.until = time_now() + wanted->tv_sec * NANOSECONDS_PER_SECOND + wanted->tv_nsec});
    return 0;
}

ssize_t __wrap_getrandom(void *buffer, size_t size, unsigned flags)
{
    (void)flags;
    unsigned char *bytes = buffer;
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (unsigned char)draw_for_library();
    }
    return (ssize_t)size;
}

long __wrap_syscall(long number, ...)
{
    if (number == SYS_gettid) {
        return (long)task_number(task_current());
    }
    errno = ESRCH; /* a thread that was joined is gone at once */
    return -1;
}

/* The files of /proc by which the library finds the ZooKeeper client's threads and descriptors: not here. */
int __wrap_open(const char *path, int flags, ...)
{
    (void)path;
    (void)flags;
    errno = ENOENT;
    return -1;
}

DIR *__wrap_opendir(const char *path)
{
    (void)path;
    errno = ENOENT;
    return NULL;
}
