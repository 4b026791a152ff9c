/* SPDX-License-Identifier: Apache-2.0 */
/* The published connection state and its listeners. */
#include "framework/connection_state.h"

#include "base/container_of.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

const char *curator_connection_state_string(curator_connection_state state)
{
    switch (state) {
    case CURATOR_CONNECTING:
        return "CONNECTING";
    case CURATOR_CONNECTED:
        return "CONNECTED";
    case CURATOR_SUSPENDED:
        return "SUSPENDED";
    case CURATOR_RECONNECTED:
        return "RECONNECTED";
    case CURATOR_LOST:
        return "LOST";
    }
    return "unknown curator_connection_state";
}

curator_connection_state connection_state_after(curator_connection_state current, bool ever_connected,
                                                enum session_event event)
{
    bool up = current == CURATOR_CONNECTED || current == CURATOR_RECONNECTED;
    switch (event) {
    case SESSION_CONNECTED:
    case SESSION_RESPONSIVE:
        if (!ever_connected) {
            return CURATOR_CONNECTED;
        }
        return up ? current : CURATOR_RECONNECTED;
    case SESSION_DISCONNECTED:
    case SESSION_UNRESPONSIVE:
        return up ? CURATOR_SUSPENDED : current;
    case SESSION_DIED:
        return ever_connected ? CURATOR_LOST : current;
    }
    return current;
}

static struct connection_listener *first_untold(const struct connection_state *state,
                                                const struct pending_state *change)
{
    struct connection_listener *listener;
    DL_FOREACH (state->listeners, listener) {
        if (listener->round != state->round && listener->since < change->number) {
            return listener;
        }
    }
    return NULL;
}

static void remove_pending(struct connection_state *state, size_t first, size_t count)
{
    state->pending_count -= count;
    memmove(&state->pending[first], &state->pending[first + count],
            (state->pending_count - first) * sizeof state->pending[0]);
}

static size_t find_pending(const struct connection_state *state, size_t from, curator_connection_state wanted)
{
    while (from < state->pending_count && state->pending[from].state != wanted) {
        from++;
    }
    return from;
}

/* For a listener that is far behind, interruptions that are over are dropped, and all but one of several lost sessions;
 * it never misses that a session was lost. */
static void make_room(struct connection_state *state)
{
    for (size_t i = 0; i + 1 < state->pending_count; i++) {
        if (state->pending[i].state == CURATOR_SUSPENDED && state->pending[i + 1].state == CURATOR_RECONNECTED) {
            remove_pending(state, i, 2);
            return;
        }
    }
    size_t lost = find_pending(state, 0, CURATOR_LOST);
    size_t again = find_pending(state, lost + 1, CURATOR_LOST); /* there are two, if no interruption ended well */
    remove_pending(state, lost + 1, again - lost);
}

/* Tells one state: other callbacks that became due between two changes are run between them. */
static void connection_state_deliver(struct callback *callback, pthread_mutex_t *mutex)
{
    struct connection_state *state = container_of(callback, struct connection_state, callback);
    if (state->pending_count == 0) {
        return; /* dropped to make room */
    }
    const struct pending_state change = state->pending[0];
    remove_pending(state, 0, 1);
    /* Listeners are added and removed meanwhile, also by themselves: each time the next one is looked up anew. */
    state->round++;
    for (struct connection_listener *next = first_untold(state, &change); next != NULL;
         next = first_untold(state, &change)) {
        next->round = state->round;
        curator_connection_listener fn = next->fn;
        void *context = next->context;
        pthread_mutex_unlock(mutex);
        fn(state->framework, change.state, context);
        pthread_mutex_lock(mutex);
    }
}

void connection_state_init(struct connection_state *state, curator_framework *framework, struct callbacks *callbacks)
{
    *state = (struct connection_state){.framework = framework,
                                       .callbacks = callbacks,
                                       .current = CURATOR_CONNECTING,
                                       .callback = {.deliver = connection_state_deliver}};
}

void connection_state_event(struct connection_state *state, enum session_event event)
{
    curator_connection_state next = connection_state_after(state->current, state->ever_connected, event);
    state->ever_connected = state->ever_connected || event == SESSION_CONNECTED;
    if (next == state->current) {
        return;
    }
    state->current = next;
    state->changes++;
    if (state->listeners == NULL) {
        return;
    }
    if (state->pending_count == PENDING_STATES) {
        make_room(state);
    }
    state->pending[state->pending_count++] = (struct pending_state){.state = next, .number = state->changes};
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
    listener->since = state->changes;
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
