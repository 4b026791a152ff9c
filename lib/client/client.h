/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The connection of one framework: the mutex that guards all its state, the current session, and those that preceded
 * it and are not closed yet. Compare CuratorZookeeperClient.
 */
#ifndef CURATOR_CLIENT_CLIENT_H
#define CURATOR_CLIENT_CLIENT_H

#include "base/thread_group.h"
#include "base/timer_thread.h"
#include "base/waker.h"
#include "client/client_settings.h"
#include "client/connection.h"
#include "client/host_address.h"
#include "zk/session_group.h"

#include <curator/status.h>

struct call;

/*
 * `mutex` guards every member below it, and all sessions, requests, watchers, observers and calls of the client. It is
 * never held across a wait for a server, a user callback, name resolution or zookeeper_close().
 */
struct client {
    struct client_settings settings;
    unsigned fork_generation;
    pthread_mutex_t mutex;
    struct timers timers;
    struct thread_group threads; /* that will end by themselves: look-ups and reapers */
    struct session_group sessions;
    struct connection connection;
    struct call *calls;   /* every blocking call in progress */
    struct wakers wakers; /* of the calls */
    pthread_cond_t quiet; /* signalled when a call leaves, a request leaves, or a handle is opened or closed */
    int64_t started;
    struct resolution *host_look_up;      /* this host's own address being looked up */
    char host_address[JAVA_ADDRESS_SIZE]; /* this host's own; empty if not wanted, not known yet, not to be found */
    bool host_address_known;              /* the look-up of this host's own address has ended */
};

/* Takes over the settings' strings when it succeeds. 0 or an errno value. Nothing happens before client_start(). */
int client_init(struct client *client, const struct client_settings *settings);

/* Begins to connect. 0 or an errno value: then there is nothing to do but to close it. */
int client_start(struct client *client);

/* Refuses new calls and wakes those in progress; waits until all have left. */
void client_stop_calls(struct client *client);

/*
 * Closes every session, each within its bound, and ends the timer thread. CURATOR_OK, CURATOR_CONNECTION_LOSS (a
 * session could not be closed on the server) or CURATOR_ERROR (a lent handle was not returned, so *lent is true and the
 * client's memory must stay).
 */
curator_status client_close(struct client *client, bool *lent);

/* Frees what client_init() made. Only after client_close() left nothing lent. */
void client_free(struct client *client);

#endif
