/* SPDX-License-Identifier: Apache-2.0 */
/* The thread that does what is due. */
#include "client/upkeep.h"

#include "client/clock.h"

#include <signal.h>
#include <utlist.h>

int thread_start(pthread_t *thread, void *(*run)(void *), void *context)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int rc = pthread_create(thread, NULL, run, context);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc;
}

/* The list is kept in the order in which tasks are due. From its end, where most of them belong. */
static void insert(struct upkeep *upkeep, struct task *task)
{
    struct task *before = upkeep->tasks != NULL ? upkeep->tasks->prev : NULL; /* the last one */
    while (before != NULL && before->due > task->due) {
        before = before == upkeep->tasks ? NULL : before->prev;
    }
    if (before == NULL) {
        DL_PREPEND(upkeep->tasks, task);
    } else {
        DL_APPEND_ELEM(upkeep->tasks, before, task);
    }
}

/* One pass: what becomes due while it runs waits for the next one. */
static void run_due(struct upkeep *upkeep)
{
    int64_t now = clock_now();
    while (!upkeep->stopping && upkeep->tasks != NULL && upkeep->tasks->due <= now) {
        struct task *task = upkeep->tasks;
        upkeep_cancel(upkeep, task);
        task->run(task);
    }
}

static void *run_upkeep(void *context)
{
    struct upkeep *upkeep = context;
    pthread_mutex_lock(upkeep->mutex);
    while (!upkeep->stopping) {
        run_due(upkeep);
        if (upkeep->stopping) {
            break; /* said while a task had let go of the mutex, when nobody waited for the signal */
        }
        /* Whoever schedules something earlier holds the mutex, sees wakes_at and signals: no wake-up is missed. The
         * wait gives the mutex up between two passes, also when something is due already. */
        upkeep->wakes_at = upkeep->tasks != NULL ? upkeep->tasks->due : NEVER;
        if (upkeep->called_for > clock_now() && upkeep->called_for < upkeep->wakes_at) {
            upkeep->wakes_at =
                upkeep->called_for; /* what it was woken for was cancelled; the like will soon come again */
        }
        condition_wait_until(&upkeep->changed, upkeep->mutex, upkeep->wakes_at);
        upkeep->wakes_at = 0;
    }
    pthread_mutex_unlock(upkeep->mutex);
    return NULL;
}

int upkeep_start(struct upkeep *upkeep, pthread_mutex_t *mutex)
{
    *upkeep = (struct upkeep){.mutex = mutex};
    int rc = condition_init(&upkeep->changed);
    if (rc != 0) {
        return rc;
    }
    rc = thread_start(&upkeep->thread, run_upkeep, upkeep);
    if (rc != 0) {
        pthread_cond_destroy(&upkeep->changed);
        return rc;
    }
    upkeep->started = true;
    return 0;
}

void upkeep_stop(struct upkeep *upkeep)
{
    if (!upkeep->started) {
        return;
    }
    pthread_mutex_lock(upkeep->mutex);
    upkeep->stopping = true;
    pthread_cond_signal(&upkeep->changed);
    pthread_mutex_unlock(upkeep->mutex);
    pthread_join(upkeep->thread, NULL);
    pthread_cond_destroy(&upkeep->changed);
    upkeep->started = false;
}

void upkeep_schedule(struct upkeep *upkeep, struct task *task, int64_t due)
{
    int64_t now = clock_now();
    due = due < now ? now : due; /* the past is now: behind what is due already, so that nothing starves */
    if (task->scheduled && task->due <= due) {
        return;
    }
    upkeep_cancel(upkeep, task);
    task->scheduled = true;
    task->due = due;
    insert(upkeep, task);
    if (task->due < upkeep->wakes_at) {
        upkeep->wakes_at = 0;
        upkeep->called_for = task->due;
        pthread_cond_signal(&upkeep->changed);
    }
}

void upkeep_cancel(struct upkeep *upkeep, struct task *task)
{
    if (task->scheduled) {
        DL_DELETE(upkeep->tasks, task);
        task->scheduled = false;
    }
}
