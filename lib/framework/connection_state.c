/* SPDX-License-Identifier: Apache-2.0 */
/* The published connection state and its listeners. */
#include "framework/connection_state.h"
#include "base/container_of.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

curator_connection_state connection_state_after(curator_connection_state current, bool ever_connected,
                                                enum session_event event)
{
    bool up = current == CURATOR_CONNECTED || current == CURATOR_RECONNECTED;
    switch (event) {
    case SESSION_CONNECTED:
        if (!ever_connected) {
            return CURATOR_CONNECTED;
        }
        return up ? current : CURATOR_RECONNECTED;
    case SESSION_DISCONNECTED:
        return up ? CURATOR_SUSPENDED : current;
    case SESSION_DIED:
        return ever_connected ? CURATOR_LOST : current;
    }
    return current;
}

static struct connection_listener *first_untold(const struct connection_state *state)
{
    struct connection_listener *listener;
    DL_FOREACH (state->listeners, listener) {
        if (listener->round != state->round) {
            return listener;
        }
    }
    return NULL;
}

/* Tells one state and stays queued for the rest, so that what became due in between is told in between. */
static void deliver(struct callback *callback, pthread_mutex_t *mutex)
{
    struct connection_state *state = container_of(callback, struct connection_state, callback);
    curator_connection_state told = state->pending[0];
    state->pending_count--;
    memmove(&state->pending[0], &state->pending[1], state->pending_count * sizeof state->pending[0]);
    if (state->pending_count > 0) {
        callbacks_queue(state->callbacks, callback);
    }
    /* Whatever is added or removed meanwhile, by the listeners themselves too: who has not been told is looked up anew.
     */
    state->round++;
    for (struct connection_listener *next = first_untold(state); next != NULL; next = first_untold(state)) {
        next->round = state->round;
        curator_connection_listener fn = next->fn;
        void *context = next->context;
        pthread_mutex_unlock(mutex);
        fn(state->framework, told, context);
        pthread_mutex_lock(mutex);
    }
}

void connection_state_init(struct connection_state *state, curator_framework *framework, struct callbacks *callbacks)
{
    *state = (struct connection_state){.framework = framework,
                                       .callbacks = callbacks,
                                       .current = CURATOR_CONNECTING,
                                       .callback = {.deliver = deliver}};
}

void connection_state_event(struct connection_state *state, enum session_event event)
{
    curator_connection_state next = connection_state_after(state->current, state->ever_connected, event);
    state->ever_connected = state->ever_connected || event == SESSION_CONNECTED;
    if (next == state->current) {
        return;
    }
    state->current = next;
    if (state->listeners == NULL) {
        return;
    }
    if (state->pending_count == PENDING_STATES) {
        state->pending_count--; /* a listener that is this far behind learns the newest state, and most of the way */
    }
    state->pending[state->pending_count++] = next;
    callbacks_queue(state->callbacks, &state->callback);
}

struct connection_listener *connection_state_find(const struct connection_state *state, curator_connection_listener fn,
                                                  const void *context)
{
    struct connection_listener *listener;
    DL_FOREACH (state->listeners, listener) {
        if (listener->fn == fn && listener->context == context) {
            return listener;
        }
    }
    return NULL;
}

bool connection_state_add(struct connection_state *state, curator_connection_listener fn, void *context)
{
    struct connection_listener *listener = calloc(1, sizeof *listener);
    if (listener == NULL) {
        return false;
    }
    listener->fn = fn;
    listener->context = context;
    DL_APPEND(state->listeners, listener);
    return true;
}

void connection_state_free(struct connection_state *state)
{
    struct connection_listener *listener, *next;
    DL_FOREACH_SAFE (state->listeners, listener, next) {
        DL_DELETE(state->listeners, listener);
        free(listener);
    }
}
