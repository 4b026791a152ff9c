/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread that runs timers when they are due. No user code and nothing that blocks runs on it, so nothing can make
 * it late.
 */
#ifndef CURATOR_BASE_TIMER_THREAD_H
#define CURATOR_BASE_TIMER_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Something to do at a time. Embedded in what it belongs to; guarded by the mutex of the timers. */
struct timer {
    struct timer *prev, *next;
    void (*run)(
        struct timer *timer); /* with the mutex held, which it may release; may schedule itself, may free itself */
    int64_t due;
    bool scheduled;
};

/* Guarded by the mutex it was started with. */
struct timers {
    pthread_mutex_t *mutex;
    pthread_cond_t changed;
    pthread_t thread;
    struct timer *timers_due; /* in the order in which they are due */
    int64_t wakes_at;         /* when the thread looks again if nobody wakes it */
    int64_t called_for;       /* the time of the timer that it was last woken for */
    bool started, stopping;
};

/* 0 or an errno value. */
int timer_thread_start(struct timers *timers, pthread_mutex_t *mutex);

/* Ends the thread and waits for it; timers still scheduled do not run. The mutex must not be held. */
void timer_thread_stop(struct timers *timers);

/* With the mutex held. A timer already scheduled for an earlier time keeps that. */
void timer_schedule(struct timers *timers, struct timer *timer, int64_t due);
void timer_cancel(struct timers *timers, struct timer *timer);

#endif
