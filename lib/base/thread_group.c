/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that end by themselves and are joined afterwards. */
#include "base/thread_group.h"

#include "base/container_of.h"
#include "base/thread.h"

#include <errno.h>
#include <stdlib.h>
#include <utlist.h>

struct group_thread {
    struct group_thread *prev, *next; /* group->running, then group->ended */
    pthread_t thread;                 /* set before the mutex is released, which the thread takes to leave */
};

static void join_on_timer(struct timer *timer)
{
    thread_group_join(container_of(timer, struct thread_group, join));
}

void thread_group_init(struct thread_group *group, struct timers *timers)
{
    *group = (struct thread_group){.timers = timers, .join = {.run = join_on_timer}};
}

int thread_group_start(struct thread_group *group, void *(*run)(void *), void *context)
{
    struct group_thread *thread = malloc(sizeof *thread);
    if (thread == NULL) {
        return ENOMEM;
    }
    int rc = thread_start(&thread->thread, run, context);
    if (rc != 0) {
        free(thread);
        return rc;
    }
    DL_APPEND(group->running, thread);
    return 0;
}

void thread_group_leave(struct thread_group *group)
{
    struct group_thread *thread, *next;
    DL_FOREACH_SAFE (group->running, thread, next) {
        if (pthread_equal(thread->thread, pthread_self()) != 0) {
            DL_DELETE(group->running, thread);
            DL_APPEND(group->ended, thread);
            timer_schedule(group->timers, &group->join, 0);
        }
    }
}

static void free_group_threads(struct group_thread *threads)
{
    struct group_thread *thread, *next;
    DL_FOREACH_SAFE (threads, thread, next) {
        free(thread);
    }
}

void thread_group_join(struct thread_group *group)
{
    struct group_thread *ended = group->ended;
    group->ended = NULL;
    pthread_mutex_unlock(group->timers->mutex);
    struct group_thread *thread;
    DL_FOREACH (ended, thread) {
        pthread_join(thread->thread, NULL);
    }
    free_group_threads(ended);
    pthread_mutex_lock(group->timers->mutex);
}

void thread_group_free(struct thread_group *group)
{
    free_group_threads(group->running);
    group->running = NULL;
}
