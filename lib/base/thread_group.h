/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that end by themselves and are joined afterwards. Joining needs no memory: it is allocated before the thread
 * starts. The caller holds the mutex of the group.
 */
#ifndef CURATOR_BASE_THREAD_GROUP_H
#define CURATOR_BASE_THREAD_GROUP_H

#include "base/timer_thread.h"

struct group_thread;

/* Guarded by the mutex of its timers. */
struct thread_group {
    struct timers *timers;
    struct group_thread *running;
    struct group_thread *ended; /* about to end; have to be joined */
    struct timer join;          /* joins them */
};

void thread_group_init(struct thread_group *group, struct timers *timers);

/* 0 or an errno value. The thread receives none of the program's signals. */
int thread_group_start(struct thread_group *group, void *(*run)(void *context), void *context);

/*
 * On such a thread: all it still does is to release its locks and end. A thread that never calls this detaches itself.
 */
void thread_group_leave(struct thread_group *group);

/* Joins the threads that have left. Releases the mutex meanwhile. */
void thread_group_join(struct thread_group *group);

/* Frees what belongs to the threads that have detached themselves. */
void thread_group_free(struct thread_group *group);

#endif
