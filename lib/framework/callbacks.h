/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread that runs the user's callbacks, one after the other, in the order in which they became due. It holds no
 * lock while it does, and nothing else waits for it. Everything here is guarded by the mutex that it was started with:
 * client->mutex. The caller holds it, unless a function says otherwise.
 */
#ifndef CURATOR_FRAMEWORK_CALLBACKS_H
#define CURATOR_FRAMEWORK_CALLBACKS_H

#include <pthread.h>
#include <stdbool.h>

/* Something to tell the user; embedded in what it is about. */
struct callback {
    struct callback *prev, *next;
    /* Called with the mutex held, which it releases while the user's code runs. */
    void (*deliver)(struct callback *callback, pthread_mutex_t *mutex);
    unsigned due; /* how often it is yet to be delivered; it is in the queue unless that is 0 */
};

struct callbacks {
    pthread_mutex_t *mutex;
    pthread_cond_t changed; /* something was queued, or one has run */
    pthread_cond_t *idle;   /* signalled when callbacks_are_idle(); NULL: nobody waits for that */
    pthread_t thread;
    struct callback *queue;
    struct callback *running;
    bool started, stopping;
};

/* Without the mutex. 0 or an errno value. */
int callbacks_start(struct callbacks *callbacks, pthread_mutex_t *mutex, pthread_cond_t *idle);

/* Without the mutex, and not on that thread: delivers what is queued, ends the thread and waits for it. */
void callbacks_stop(struct callbacks *callbacks);

/* It will be delivered once more. In the queue already: it keeps its place, and is appended again after its turn. */
void callbacks_queue(struct callbacks *callbacks, struct callback *callback);

/* Afterwards it is not queued and does not run, except on the calling thread itself. */
void callbacks_withdraw(struct callbacks *callbacks, struct callback *callback);

/* Waits until the one that runs now, if any, is done; returns at once on the thread itself. */
void callbacks_await_current(struct callbacks *callbacks);

/* Nothing is queued, and nothing runs. */
bool callbacks_are_idle(const struct callbacks *callbacks);

bool callbacks_on_thread(const struct callbacks *callbacks);

#endif
