/* SPDX-License-Identifier: Apache-2.0 */
/* The thread that runs the user's callbacks. */
#include "framework/callbacks.h"

#include "base/cancellation.h"
#include "base/clock.h"
#include "base/thread.h"
#include "base/timer_thread.h"

#include <utlist.h>

static _Thread_local const struct callbacks *callbacks_of_this_thread;

static void callbacks_signal_idle(struct callbacks *callbacks)
{
    if (callbacks->idle != NULL && callbacks_are_idle(callbacks)) {
        pthread_cond_broadcast(callbacks->idle);
    }
}

static void *run_callbacks(void *context)
{
    struct callbacks *callbacks = context;
    callbacks_of_this_thread = callbacks;
    cancellation_off(); /* the user's code runs here, and can learn this thread's id */
    pthread_mutex_lock(callbacks->mutex);
    for (;;) {
        struct callback *callback = callbacks->queue;
        if (callback == NULL && callbacks->stopping) {
            break;
        }
        if (callback == NULL) {
            pthread_cond_wait(&callbacks->changed, callbacks->mutex);
            continue;
        }
        DL_DELETE(callbacks->queue, callback);
        if (--callback->due > 0) {
            DL_APPEND(callbacks->queue, callback);
        }
        callbacks->running = callback;
        callback->deliver(callback, callbacks->mutex); /* the callback's memory may be gone afterwards */
        callbacks->running = NULL;
        pthread_cond_broadcast(&callbacks->changed);
        callbacks_signal_idle(callbacks);
    }
    pthread_mutex_unlock(callbacks->mutex);
    return NULL;
}

int callbacks_start(struct callbacks *callbacks, pthread_mutex_t *mutex, pthread_cond_t *idle)
{
    *callbacks = (struct callbacks){.mutex = mutex, .idle = idle};
    int rc = condition_init(&callbacks->changed);
    if (rc != 0) {
        return rc;
    }
    pthread_mutex_lock(mutex); /* so that the thread finds the members set below */
    rc = thread_start(&callbacks->thread, run_callbacks, callbacks);
    callbacks->started = rc == 0;
    pthread_mutex_unlock(mutex);
    if (rc != 0) {
        pthread_cond_destroy(&callbacks->changed);
    }
    return rc;
}

void callbacks_stop(struct callbacks *callbacks)
{
    if (!callbacks->started) {
        return;
    }
    pthread_mutex_lock(callbacks->mutex);
    callbacks->stopping = true;
    pthread_cond_broadcast(&callbacks->changed);
    pthread_mutex_unlock(callbacks->mutex);
    pthread_join(callbacks->thread, NULL);
    pthread_cond_destroy(&callbacks->changed);
    callbacks->started = false;
}

void callbacks_queue(struct callbacks *callbacks, struct callback *callback)
{
    if (callback->due++ == 0) {
        DL_APPEND(callbacks->queue, callback);
        pthread_cond_broadcast(&callbacks->changed);
    }
}

void callbacks_withdraw(struct callbacks *callbacks, struct callback *callback)
{
    if (callback->due > 0) {
        DL_DELETE(callbacks->queue, callback);
        callback->due = 0;
        callbacks_signal_idle(callbacks);
    }
    while (callbacks->running == callback && !callbacks_on_thread(callbacks)) {
        pthread_cond_wait(&callbacks->changed, callbacks->mutex);
    }
}

void callbacks_await_current(struct callbacks *callbacks)
{
    const struct callback *running = callbacks->running;
    while (running != NULL && callbacks->running == running && !callbacks_on_thread(callbacks)) {
        pthread_cond_wait(&callbacks->changed, callbacks->mutex);
    }
}

bool callbacks_are_idle(const struct callbacks *callbacks)
{
    return callbacks->queue == NULL && callbacks->running == NULL;
}

bool callbacks_on_thread(const struct callbacks *callbacks)
{
    return callbacks_of_this_thread == callbacks; /* without a lock: also asked while another thread closes */
}
