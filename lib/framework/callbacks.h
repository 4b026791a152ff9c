/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread that runs the user's callbacks, one after the other, in the order in which they became due. It holds no
 * lock while it does, and nothing else waits for it.
 */
#ifndef CURATOR_FRAMEWORK_CALLBACKS_H
#define CURATOR_FRAMEWORK_CALLBACKS_H

#include <pthread.h>
#include <stdbool.h>

/* Something to tell; embedded in who tells it. Guarded by the client's mutex. */
struct callback {
    struct callback *prev, *next;
    void (*deliver)(struct callback *callback, pthread_mutex_t *mutex); /* with the mutex held; releases it meanwhile */
    bool queued;
};

/* Guarded by the mutex it was started with. */
struct callbacks {
    pthread_mutex_t *mutex;
    pthread_cond_t changed; /* something was queued, or one has run */
    pthread_t thread;
    struct callback *queue;
    struct callback *running;
    bool started, stopping;
};

/* 0 or an errno value. */
int callbacks_start(struct callbacks *callbacks, pthread_mutex_t *mutex);

/* Delivers what is queued, ends the thread and waits for it. Without the mutex, and not on that thread. */
void callbacks_stop(struct callbacks *callbacks);

/* With the mutex held. Queued already: stays where it is. */
void callbacks_queue(struct callbacks *callbacks, struct callback *callback);

/* With the mutex held: it is not queued and does not run when this returns, except on the calling thread itself. */
void callbacks_withdraw(struct callbacks *callbacks, struct callback *callback);

/* Waits, with the mutex held, until the one running now, if any, is done; not on the thread itself. */
void callbacks_await_current(struct callbacks *callbacks);

bool callbacks_on_thread(const struct callbacks *callbacks);

#endif
