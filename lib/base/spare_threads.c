/* SPDX-License-Identifier: Apache-2.0 */
/* Whether threads can be started. */
#include "base/spare_threads.h"

#include "base/clock.h"
#include "base/thread.h"

#include <errno.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#define GONE_WITHIN_MS 100
#define PAUSE_NS 50000

struct spare_thread {
    pthread_t thread;
    pthread_mutex_t *gate; /* held by who started it, until all are started */
    pid_t id;
};

static void *wait_at_gate(void *context)
{
    struct spare_thread *spare = context;
    spare->id = (pid_t)syscall(SYS_gettid);
    pthread_mutex_lock(spare->gate);
    pthread_mutex_unlock(spare->gate);
    return NULL;
}

/* A thread counts against the limits for a moment after it has been joined. */
static int wait_until_gone(pid_t id)
{
    int64_t until = clock_after(clock_now(), GONE_WITHIN_MS);
    while (syscall(SYS_tgkill, getpid(), id, 0) == 0) {
        if (clock_now() >= until) {
            return EAGAIN;
        }
        nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
    }
    return 0;
}

/* The memory of their stacks stays in the C library's reserve, for the next ones. */
int spare_threads_try(int count)
{
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    struct spare_thread spares[MAX_SPARE_THREADS];
    int rc = 0, started = 0;
    pthread_mutex_lock(&gate);
    while (rc == 0 && started < count) {
        spares[started].gate = &gate;
        rc = thread_start(&spares[started].thread, wait_at_gate, &spares[started]);
        started += rc == 0 ? 1 : 0;
    }
    pthread_mutex_unlock(&gate);
    for (int i = 0; i < started; i++) {
        pthread_join(spares[i].thread, NULL);
    }
    for (int i = 0; i < started && rc == 0; i++) {
        rc = wait_until_gone(spares[i].id);
    }
    pthread_mutex_destroy(&gate);
    return rc;
}
