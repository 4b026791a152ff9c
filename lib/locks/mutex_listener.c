/* SPDX-License-Identifier: Apache-2.0 */
/* The user's functions for what happens to a mutex. */
#include "locks/mutex_listener.h"

#include "base/container_of.h"
#include "base/error.h"
#include "locks/mutex_object.h"

#include <stddef.h>
#include <stdlib.h>

static void mutex_listener_deliver(struct callback *callback, pthread_mutex_t *lock)
{
    struct mutex_listener *listener = container_of(callback, struct mutex_listener, callback);
    curator_mutex *mutex = listener->mutex;
    void (*fn)(curator_mutex *, void *) = listener->fn;
    void *context = listener->context;
    if (fn == NULL || (listener->wanted != NULL && !listener->wanted(listener))) {
        return;
    }
    pthread_mutex_unlock(lock);
    fn(mutex, context); /* which may destroy the mutex */
    pthread_mutex_lock(lock);
}

struct mutex_listener *mutex_listener(curator_mutex *mutex, enum mutex_event event)
{
    if (mutex->listeners == NULL) {
        mutex->listeners = calloc(MUTEX_EVENTS, sizeof *mutex->listeners);
        for (size_t i = 0; mutex->listeners != NULL && i < MUTEX_EVENTS; i++) {
            mutex->listeners[i] =
                (struct mutex_listener){.callback = {.deliver = mutex_listener_deliver}, .mutex = mutex};
        }
    }
    return mutex->listeners != NULL ? &mutex->listeners[event] : NULL;
}

bool mutex_has_listener(const curator_mutex *mutex, enum mutex_event event)
{
    return mutex->listeners != NULL && mutex->listeners[event].fn != NULL;
}

void mutex_notify(curator_mutex *mutex, enum mutex_event event)
{
    if (mutex_has_listener(mutex, event)) {
        callbacks_queue(&mutex->framework->callbacks, &mutex->listeners[event].callback);
    }
}

void mutex_silence_listeners(curator_mutex *mutex)
{
    for (size_t i = 0; mutex->listeners != NULL && i < MUTEX_EVENTS; i++) {
        mutex->listeners[i].fn = NULL;
    }
}

void mutex_withdraw_listeners(curator_mutex *mutex)
{
    for (size_t i = 0; mutex->listeners != NULL && i < MUTEX_EVENTS; i++) {
        callbacks_withdraw(&mutex->framework->callbacks, &mutex->listeners[i].callback);
    }
}

static curator_status mutex_listen(struct curator_mutex *mutex, enum mutex_event event,
                                   void (*fn)(curator_mutex *, void *), void *context, const char *caller)
{
    curator_status status = mutex_enter_open(mutex, caller);
    if (status != CURATOR_OK) {
        return status;
    }
    struct mutex_listener *listener = mutex_listener(mutex, event);
    if (listener != NULL) {
        listener->fn = fn;
        listener->context = context;
    } else {
        status = fail(CURATOR_NO_MEMORY, "%s %s: no memory for the function", caller, mutex->path);
    }
    framework_unlock(mutex->framework);
    return status;
}

curator_status curator_mutex_on_lost(curator_mutex *mutex, void (*fn)(curator_mutex *, void *), void *context)
{
    return mutex_listen(mutex, MUTEX_LOST, fn, context, __func__);
}

curator_status curator_mutex_make_revocable(curator_mutex *mutex, void (*fn)(curator_mutex *, void *), void *context)
{
    return mutex_listen(mutex, MUTEX_REVOKED, fn, context, __func__);
}
