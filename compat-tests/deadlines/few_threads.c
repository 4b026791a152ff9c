/* SPDX-License-Identifier: Apache-2.0 */
/* The C peer in a process whose number of threads is limited by a file, as RLIMIT_NPROC does. */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static long max_threads(void)
{
    const char *path = getenv("CURATOR_MAX_THREADS");
    FILE *file = path != NULL ? fopen(path, "r") : NULL;
    char line[32] = "";
    if (file != NULL) {
        fgets(line, sizeof line, file);
        fclose(file);
    }
    return line[0] != '\0' ? strtol(line, NULL, 10) : LONG_MAX;
}

/* As the system counts: a thread that has been joined is one until it is gone. */
static long threads_now(void)
{
    struct stat tasks;
    return stat("/proc/self/task", &tasks) == 0 ? (long)tasks.st_nlink - 2 : 0;
}

/* It stands before the C library's, for the ZooKeeper client too. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *context)
{
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
    return threads_now() >= max_threads() ? EAGAIN : real(thread, attributes, run, context);
}
