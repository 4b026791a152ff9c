/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One ZooKeeper session: from the opening of its handle until that is closed. A session that has died never comes back;
 * the client opens another. Everything here wants the client's mutex held, and belongs to it.
 */
#ifndef CURATOR_ZK_SESSION_H
#define CURATOR_ZK_SESSION_H

#include "zk/close_on_exec.h"
#include "zk/lease_base.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zookeeper/zookeeper.h>

struct client;
struct zk_log;
struct request;
struct watched_path;

enum session_event {
    SESSION_CONNECTED,    /* for the first time, or again */
    SESSION_DISCONNECTED, /* it may still live on the server */
    SESSION_UNRESPONSIVE, /* the connection lasts, and so does every watch, but our requests are not answered */
    SESSION_RESPONSIVE,   /* they are again, on the same connection */
    SESSION_DIED          /* expired, must be taken for expired, refused, or closed */
};

/* Told what happens to a session; embedded in who wants to know. It must not block, and may remove itself. */
struct session_observer {
    struct session_observer *prev, *next;
    void (*changed)(struct session_observer *observer, enum session_event event);
};

struct session {
    struct session *prev, *next; /* client->sessions */
    struct client *client;
    zhandle_t *handle;         /* NULL until it is opened and once it is closed */
    bool opening;              /* the handle's callbacks wait */
    enum close_on_exec marked; /* whether descriptors are close-on-exec */
    struct handle_descriptors descriptors;
    int looks;                  /* for descriptors that could not be seen at once */
    int64_t look_at;            /* for descriptors: clock_now(), or NEVER */
    char *servers;              /* what it was opened with */
    clientid_t id_and_password; /* once connected */
    struct zk_log *zk_log;
    int references; /* the open handle is one */
    int loans;      /* how often the handle is lent to the user */
    int64_t id;     /* 0 until connected for the first time */
    int64_t timeout_ms;
    bool connected;
    bool announced;      /* this connection was told as SESSION_CONNECTED */
    bool authenticating; /* the server's verdict on the credentials is not in yet */
    bool unresponsive;   /* connected, says the client, but our own requests are not answered, or the lease is about to
                          * end and not renewed yet */
    bool dead;
    int death;                   /* the result code that requests of a dead session end with */
    bool over_on_server;         /* expired or refused, says the server: nothing to close there */
    bool closing_handle;         /* the reaper has the handle */
    bool being_expired;          /* the reaper ends the session, whose handle is lent */
    int64_t teardown_at;         /* when to stop hoping that a dead session can be closed in order */
    struct request *outstanding; /* all in the hands of the ZooKeeper client */
    size_t watched_bytes;
    struct watched_path *watched; /* by path */
    struct session_observer *observers;
    int leases;           /* locks that end with this session */
    int renewals_awaited; /* calls that wait until the lease is secure */
    struct lease_base lease_base;
    int64_t answered;        /* lease clock: when the last request that the leader answered was sent */
    bool watches_full;       /* said in the log */
    int64_t connected_at;    /* lease clock */
    int64_t probed;          /* lease clock: when the last probe was sent */
    int64_t disconnected_at; /* lease clock */
    int64_t trying_since;    /* clock_now(), of the try for a first connection that is going on; 0: none is */
};

/*
 * NULL with *error set to an errno value. The reference returned is the open handle's. Lets go of the mutex meanwhile; until
 * it has it back, nobody is told of what happens to the session.
 */
struct session *session_open(struct client *client, const char *servers, int *error);

void session_ref(struct session *session);
void session_unref(struct session *session);

/* Connected, alive, and answering. */
bool session_usable(const struct session *session);

/* Whether the ZooKeeper client refuses requests by the session's handle for good, whatever we know of it. */
bool session_handle_is_over(const struct session *session);

/* Ends the session here: requests complete with rc, observers are told, the client looks for another. */
void session_die(struct session *session, int rc);

void session_observe(struct session *session, struct session_observer *observer);
void session_forget(struct session *session, struct session_observer *observer);

/* A lock depends on the session from begin to end: it is declared dead before the server can expire it. */
void session_lease_begin(struct session *session);
void session_lease_end(struct session *session);

/* Declares the session dead if locks depend on it and its lease is over; true if it is dead. Cheap. */
bool session_check_lease(struct session *session);

/* Whether the lease reaches so far that its renewal will come before its end, unless something breaks. */
bool session_lease_secure(const struct session *session);

/* Around a call's wait for that: the session is probed, and the call woken. */
void session_await_renewal(struct session *session);
void session_renewal_not_awaited(struct session *session);

/* Whether the leader has answered only just now. If not, a grant is to be accompanied by a sync. */
bool session_lease_fresh(const struct session *session);

/* A request that the leader takes part in, sent at this time of the lease clock, was answered. */
void session_answered(struct session *session, int64_t sent);

/*
 * Our own requests are not answered any more, or they are again and the lease has been renewed, while the ZooKeeper
 * client believes in its connection.
 */
void session_unresponsive(struct session *session);
void session_responsive(struct session *session);

/* Does what is due by the clock, and returns when it wants to be asked again (clock_now() or NEVER). */
int64_t session_on_timer(struct session *session);

/* Hands a dead session to the reaper, if it is time; if not, returns when to ask again (clock_now() or NEVER). */
int64_t session_consider_teardown(struct session *session);

/* The handle has been closed: completes what the ZooKeeper client has left behind. */
void session_handle_closed(struct session *session);

#endif
