/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One ZooKeeper session: from the opening of its handle until that is closed. A session that has died never comes back;
 * the client opens another. The caller holds the group's mutex, which guards everything here.
 */
#ifndef CURATOR_ZK_SESSION_H
#define CURATOR_ZK_SESSION_H

#include "zk/close_on_exec.h"
#include "zk/lease_alarm.h"
#include "zk/session_group.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zookeeper/zookeeper.h>

struct zk_log;
struct watched_path;

/* Learns what happens to a session; embedded in who wants to know. It must not block, and may remove itself. */
struct session_observer {
    struct session_observer *prev, *next;
    void (*changed)(struct session_observer *observer, enum session_event event);
};

/* A request that the ZooKeeper client has. Embedded in the request. */
struct outstanding_request {
    struct outstanding_request *prev, *next;
    void (*finish)(struct outstanding_request *request, int rc); /* it stays outstanding */
};

/* What its handle reports, with the states that may follow. */
enum session_state {
    STATE_OPENING,      /* -> connecting. The handle's callbacks wait */
    STATE_CONNECTING,   /* -> connected, over. For the first time */
    STATE_CONNECTED,    /* -> disconnected, over */
    STATE_DISCONNECTED, /* -> connected, over. The session may live on */
    STATE_OVER,         /* expired or refused, says the server: nothing to close there */
};

/* What is done to end it, on our side and on the server, with the states that may follow. */
enum teardown_state {
    TEARDOWN_NONE,     /* -> pending. For us the session is alive */
    TEARDOWN_PENDING,  /* -> closing, expiring. It is dead, and no thread ends it yet */
    TEARDOWN_CLOSING,  /* -> closed, or pending: it may come back to be closed in order. A reaper has the handle */
    TEARDOWN_EXPIRING, /* -> pending. A reaper ends a session whose handle is lent */
    TEARDOWN_CLOSED,   /* the handle is gone */
};

struct session {
    struct session *prev, *next; /* group->all */
    struct session_group *group;
    int references; /* the open handle is one */
    int loans;      /* how often the handle is lent to the user */
    enum session_state state;
    enum teardown_state teardown;
    bool announced;      /* this connection was reported as SESSION_CONNECTED */
    bool authenticating; /* the server's verdict on the credentials is not in yet */
    bool unresponsive;   /* connected, says the client, but our own requests are not answered, or the lease is about to
                          * end and not renewed yet */
    bool expiry_failed;  /* the handle is lent, and the session could not be ended on the server */
    bool watches_full;   /* said in the log */
    int death;           /* the result code that requests of a dead session end with */
    int64_t teardown_at; /* when to stop hoping that a dead session can be closed in order */

    zhandle_t *handle; /* NULL until it is opened, once it is closed, and for a moment when it is exchanged */
    char *servers;     /* what it was opened with */
    char *new_servers; /* what the next handle is to be opened with; NULL: this one stays. See session_move.h */
    bool moving;       /* a thread exchanges the handle: nobody else closes or lends it */
    bool reopening;    /* the next handle is being opened: its callbacks wait */
    bool cannot_break; /* the socket of its handle was not found: it is exchanged at the next break */
    bool handle_known; /* this handle has been connected before */
    struct zk_log *zk_log;
    int64_t id;                 /* 0 until connected for the first time */
    clientid_t id_and_password; /* once connected */
    int64_t timeout_ms;
    int64_t disconnected_at; /* lease clock */

    struct lease lease;   /* lease clock */
    int dependents;       /* how many depend on the lease */
    int renewals_awaited; /* how many wait until it is secure */
    struct lease_alarm *lease_alarms;
    bool lease_alarm_raised; /* one of them was at the last look */

    struct outstanding_request *outstanding;
    struct session_observer *observers;
    struct watched_path *watched; /* by path */
    size_t watched_bytes;

    enum close_on_exec marked; /* whether descriptors are close-on-exec */
    struct handle_descriptors descriptors;
    int looks;       /* for descriptors that could not be seen at once */
    int64_t look_at; /* for descriptors: clock_now(), or NEVER */
};

void session_ref(struct session *session);
void session_unref(struct session *session);

bool session_state_may_follow(enum session_state from, enum session_state to);
bool session_teardown_may_follow(enum teardown_state from, enum teardown_state to);

/* The only places that change the states. Debug builds check that the transition is legal. */
void session_set_state(struct session *session, enum session_state state);
void session_set_teardown(struct session *session, enum teardown_state teardown);

bool session_is_connected(const struct session *session);
bool session_is_dead(const struct session *session);

/* Connected, alive, and answering. */
bool session_usable(const struct session *session);

/* Whether there is nothing left on the server that we could end. */
bool session_over_on_server(const struct session *session);

/* Whether the ZooKeeper client refuses requests by the session's handle for good, whatever we know of it. */
bool session_handle_is_over(const struct session *session);

/* Whether the user still has a handle of one of them. */
bool session_any_lent(const struct session_group *group);

/* Ends the session here: requests complete with rc, observers learn of it, the client opens another. */
void session_die(struct session *session, int rc);

void session_observe(struct session *session, struct session_observer *observer);
void session_forget(struct session *session, struct session_observer *observer);

/* For the files of this folder: reports an event to the observers and the client, and wakes all who wait. */
void session_tell(struct session *session, enum session_event event);

/* Reports SESSION_CONNECTED as soon as the session is usable. */
void session_announce(struct session *session);

#endif
