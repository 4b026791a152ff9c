/* SPDX-License-Identifier: Apache-2.0 */
/* The published connection state and its listeners. Compare ConnectionStateManager. Caller holds client->mutex. */
#ifndef CURATOR_FRAMEWORK_CONNECTION_STATE_H
#define CURATOR_FRAMEWORK_CONNECTION_STATE_H

#include "framework/callbacks.h"
#include "zk/session.h"

#include <curator/framework.h>

#define PENDING_STATES 16

struct connection_listener {
    struct connection_listener *prev, *next;
    curator_connection_listener fn;
    void *context;
    unsigned round; /* the delivery in which it was last called */
    uint64_t since; /* the number of the change that was the newest when it was added */
};

/* A change that has not been delivered yet. */
struct pending_state {
    curator_connection_state state;
    uint64_t number;
};

struct connection_state {
    curator_framework *framework; /* passed to the listeners */
    struct callbacks *callbacks;
    curator_connection_state current;
    bool ever_connected;
    struct connection_listener *listeners;
    struct callback callback;
    unsigned round;                               /* counts deliveries */
    uint64_t changes;                             /* counts changes */
    struct pending_state pending[PENDING_STATES]; /* oldest first */
    size_t pending_count;
};

/* The state that follows, or the same one if the event changes nothing. */
curator_connection_state connection_state_after(curator_connection_state current, bool ever_connected,
                                                enum session_event event);

void connection_state_init(struct connection_state *state, curator_framework *framework, struct callbacks *callbacks);

/* Publishes what follows from the event. */
void connection_state_event(struct connection_state *state, enum session_event event);

struct connection_listener *connection_state_find(const struct connection_state *state, curator_connection_listener fn,
                                                  const void *context);

/* False: out of memory. */
bool connection_state_add(struct connection_state *state, curator_connection_listener fn, void *context);

void connection_state_free(struct connection_state *state);

#endif
