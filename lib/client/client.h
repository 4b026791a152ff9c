/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The connection of one framework: the mutex that guards all its state, the current session, and those that preceded
 * it and are not closed yet. Compare CuratorZookeeperClient.
 */
#ifndef CURATOR_CLIENT_CLIENT_H
#define CURATOR_CLIENT_CLIENT_H

#include "base/timer_thread.h"
#include "base/waker.h"
#include "client/client_thread.h"
#include "client/connect_string.h"
#include "client/host_address.h"
#include "zk/session.h"

#include <curator/framework.h>

#define PROBLEM_SIZE 512 /* of a sentence about one server; a longer one is cut */

#define NO_ANSWER "no server answers the request for a session"

struct call;
struct resolution;

/* Set once before the client starts; the strings belong to the client. */
struct client_settings {
    struct connect_string *servers;
    int64_t session_timeout_ms;
    int64_t connection_timeout_ms;
    curator_retry_policy retry_policy;
    char *auth_scheme;
    char *auth_credentials;
    curator_logger logger;   /* queues; the user's own never runs under a lock, see log_queue.h */
    bool wants_host_address; /* have this host's own address looked up too */
    /* Told, with the mutex held, what happens to the current session. It must not block. */
    void (*session_changed)(void *context, enum session_event event);
    void *context;
};

/*
 * `mutex` guards every member below it, and all sessions, requests, watchers, observers and calls of the client. It is
 * never held across a wait for a server, a user callback, name resolution or zookeeper_close().
 */
struct client {
    struct client_settings settings;
    unsigned fork_generation;
    pthread_mutex_t mutex;
    struct timers timers;
    struct session *session;  /* the current one, also while it connects; NULL between two sessions */
    struct session *sessions; /* every session whose handle is not closed yet, the current one included */
    struct call *calls;       /* every blocking call in progress */
    struct wakers wakers;     /* of the calls */
    pthread_cond_t quiet;     /* signalled when a call leaves, a request leaves, or a handle is opened or closed */
    int64_t started;
    struct resolution *resolution;   /* the servers' names being looked up */
    struct resolution *host_look_up; /* this host's own address being looked up */
    char **addresses;                /* numeric, one for each server; NULL until resolved */
    uint16_t *ports;
    size_t address_count;
    char host_address[JAVA_ADDRESS_SIZE]; /* this host's own; empty if not wanted, not known yet, not to be found */
    char problem[PROBLEM_SIZE];           /* why there is no session, for sentences; empty if nothing is known */
    bool resolved;                        /* the addresses come from names, so they can change */
    bool addresses_used;        /* a session was opened with them, so names are to be looked up again for the next */
    bool host_address_known;    /* the look-up of this host's own address has ended */
    struct timer connect;       /* open a session */
    struct timer session_timer; /* what sessions do by the clock */
    struct timer mark;          /* makes descriptors close-on-exec that were not seen at the opening */
    bool opening;               /* the timer thread opens a session, without the mutex */
    bool unmarked_noted;        /* said in the log */
    int connect_failures;
    size_t unanswered; /* sessions asked for in a row that were given up because no answer came */
    bool auth_failed;  /* the credentials were refused: no further session is opened */
    bool closing;
    int reapers;                   /* threads that end sessions */
    struct client_thread *threads; /* that will end by themselves */
    struct client_thread *ended;   /* those about to, which have to be joined */
    struct timer join;             /* joins them */
    int sessions_lingering;        /* sessions that could not be closed on the server */
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
void client_settings_free(struct client_settings *settings);

/*
 * What look-ups have found, told without the mutex. False: the client has cancelled it, and lets go of it itself. The
 * client takes what it wants and leaves NULL.
 */
struct resolved;
bool client_addresses_resolved(struct client *client, const struct resolution *resolution, struct resolved *resolved);
bool client_host_address_found(struct client *client, const struct resolution *resolution, const char *host_address);

/* With the mutex held: the servers and the last problem, for sentences: "10.0.0.1:2181 (connection refused)". */
const char *client_servers_text(const struct client *client, char *buffer, size_t size);

/* With the mutex held: why there is no session. Logged, and part of sentences until there is one. */
void client_note_problem(struct client *client, const char *what);

/* With the mutex held: opens a session as soon as possible, unless one is open or the client is closing. */
void client_connect(struct client *client);

/* Whether the calling thread is one that the ZooKeeper client runs callbacks on. */
bool client_on_callback_thread(void);
void client_mark_callback_thread(void);

#endif
