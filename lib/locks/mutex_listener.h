/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The user's functions for what happens to a mutex. They are made for the first one that the user sets, as most locks
 * of a process that has many have none. Caller holds client->mutex.
 */
#ifndef CURATOR_LOCKS_MUTEX_LISTENER_H
#define CURATOR_LOCKS_MUTEX_LISTENER_H

#include "framework/callbacks.h"

#include <curator/mutex.h>

/* What a user can ask to be told of. */
enum mutex_event { MUTEX_LOST, MUTEX_REVOKED, MUTEX_ENDANGERED, MUTEX_EVENTS };

/* A function of the user's that is called once for each time that something has happened to the mutex. */
struct mutex_listener {
    struct callback callback;
    curator_mutex *mutex;
    void (*fn)(curator_mutex *mutex, void *context); /* NULL: none */
    void *context;
    bool (*wanted)(struct mutex_listener *listener); /* asked right before the call; NULL: it is */
};

/* The listener for an event; NULL: out of memory. */
struct mutex_listener *mutex_listener(curator_mutex *mutex, enum mutex_event event);

/* Whether there is a function for it. Without one for MUTEX_REVOKED the lock is not revocable. */
bool mutex_has_listener(const curator_mutex *mutex, enum mutex_event event);

/* Has the function for it, if there is one, called once more, on the thread for callbacks. */
void mutex_notify(curator_mutex *mutex, enum mutex_event event);

/* From here on no function is called any more. */
void mutex_silence_listeners(curator_mutex *mutex);

/* Waits for a call that is running, unless on its thread. */
void mutex_withdraw_listeners(curator_mutex *mutex);

#endif
