/* SPDX-License-Identifier: Apache-2.0 */
/* The thread that runs timers when they are due. */
#include "base/timer_thread.h"

#include "base/clock.h"
#include "base/thread.h"

#include <utlist.h>

/* The list is kept in the order in which timers are due. Searched from its end, where most of them belong. */
static void insert_timer(struct timers *timers, struct timer *timer)
{
    struct timer *before = timers->timers_due != NULL ? timers->timers_due->prev : NULL; /* the last one */
    while (before != NULL && before->due > timer->due) {
        before = before == timers->timers_due ? NULL : before->prev;
    }
    if (before == NULL) {
        DL_PREPEND(timers->timers_due, timer);
    } else {
        DL_APPEND_ELEM(timers->timers_due, before, timer);
    }
}

/* One pass: what becomes due while it runs waits for the next one. */
static void run_due(struct timers *timers)
{
    int64_t now = clock_now();
    while (!timers->stopping && timers->timers_due != NULL && timers->timers_due->due <= now) {
        struct timer *timer = timers->timers_due;
        timer_cancel(timers, timer);
        timer->run(timer);
    }
}

static void *run_timers(void *context)
{
    struct timers *timers = context;
    pthread_mutex_lock(timers->mutex);
    while (!timers->stopping) {
        run_due(timers);
        if (timers->stopping) {
            break; /* set while a timer had released the mutex, when nobody waited for the signal */
        }
        /* Whoever schedules something earlier holds the mutex, sees wakes_at and signals: no wake-up is missed. The
         * wait gives the mutex up between two passes, also when something is due already. */
        timers->wakes_at = timers->timers_due != NULL ? timers->timers_due->due : NEVER;
        if (timers->called_for > clock_now() && timers->called_for < timers->wakes_at) {
            timers->wakes_at =
                timers->called_for; /* what it was woken for was cancelled; the like will soon come again */
        }
        condition_wait_until(&timers->changed, timers->mutex, timers->wakes_at);
        timers->wakes_at = 0;
    }
    pthread_mutex_unlock(timers->mutex);
    return NULL;
}

int timer_thread_start(struct timers *timers, pthread_mutex_t *mutex)
{
    *timers = (struct timers){.mutex = mutex};
    int rc = condition_init(&timers->changed);
    if (rc != 0) {
        return rc;
    }
    rc = thread_start(&timers->thread, run_timers, timers);
    if (rc != 0) {
        pthread_cond_destroy(&timers->changed);
        return rc;
    }
    timers->started = true;
    return 0;
}

void timer_thread_stop(struct timers *timers)
{
    if (!timers->started) {
        return;
    }
    pthread_mutex_lock(timers->mutex);
    timers->stopping = true;
    pthread_cond_signal(&timers->changed);
    pthread_mutex_unlock(timers->mutex);
    pthread_join(timers->thread, NULL);
    pthread_cond_destroy(&timers->changed);
    timers->started = false;
}

void timer_schedule(struct timers *timers, struct timer *timer, int64_t due)
{
    int64_t now = clock_now();
    due = due < now ? now : due; /* the past is now: behind what is due already, so that nothing starves */
    if (timer->scheduled && timer->due <= due) {
        return;
    }
    timer_cancel(timers, timer);
    timer->scheduled = true;
    timer->due = due;
    insert_timer(timers, timer);
    if (timer->due < timers->wakes_at) {
        timers->wakes_at = 0;
        timers->called_for = timer->due;
        pthread_cond_signal(&timers->changed);
    }
}

void timer_cancel(struct timers *timers, struct timer *timer)
{
    if (timer->scheduled) {
        DL_DELETE(timers->timers_due, timer);
        timer->scheduled = false;
    }
}
