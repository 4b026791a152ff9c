/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The current session of a client, and how the next one is opened: the names of the servers are looked up, a session is
 * asked for, and after a failure again, with pauses. The caller holds the client's mutex unless it says otherwise.
 */
#ifndef CURATOR_CLIENT_CONNECTION_H
#define CURATOR_CLIENT_CONNECTION_H

#include "base/log_limit.h"
#include "client/client_settings.h"
#include "client/name_resolution.h"
#include "zk/session.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NO_ANSWER "no server answers the request for a session"

struct connection {
    const struct client_settings *settings;
    struct session_group *sessions;
    const struct connect_string *servers; /* the settings' ones, or those exchanged for them */
    struct connect_string *exchanged;     /* NULL: they were not exchanged */
    unsigned exchanges;                   /* counts them */
    bool unresolved;                      /* since they were exchanged, they have not been looked up */
    bool look_up_is_old;                  /* the look-up going on is of those before them */
    struct log_limit look_up_failures;    /* of new servers, while a session lives on */
    struct session *session;              /* the current one, also while it connects; NULL between two sessions */
    struct resolution *resolution;        /* the servers' names being looked up */
    struct address_list addresses;        /* of the servers; empty until resolved */
    int *name_errors;                     /* of each server, from the newest look-up; NULL: none yet */
    char problem[PROBLEM_SIZE];           /* why there is no session, for sentences; empty if nothing is known */
    bool has_names;                       /* the addresses come from names, so they can change */
    bool addresses_used;  /* a session was opened with them, so names are to be looked up again for the next */
    bool opening;         /* the timer thread opens a session, without the mutex */
    size_t failures;      /* to open a session, in a row */
    size_t unanswered;    /* sessions asked for in a row that were given up because no answer came */
    int64_t trying_since; /* clock_now(), of the try for a first connection that is going on; 0: none is */
    struct timer connect; /* opens a session */
    struct timer timeout; /* gives up one that does not connect: connect_timeout_run() */
};

void connection_init(struct connection *connection, const struct client_settings *settings,
                     struct session_group *sessions);

/* The current session if it can be used now, or NULL. */
struct session *connection_usable_session(const struct connection *connection);

/*
 * Exchanges the servers, which are taken over; their chroot is the same. They are looked up, and the current session
 * moves to them; see session_move.h.
 */
void connection_set_servers(struct connection *connection, struct connect_string *servers);

/* Opens a session as soon as possible, unless one is open or the client is closing. */
void connection_open(struct connection *connection);

/* What the sessions report. See session_group.h. */
void connection_accepted(struct connection *connection);
void connection_changed(struct connection *connection, const struct session *session, enum session_event event);

/* Why there is no session. Logged, and part of sentences until there is one. */
void connection_note_problem(struct connection *connection, const char *what);

/* Once the client is closing. Without the mutex: cancels a look-up, and waits until no session is being opened. */
void connection_stop(struct connection *connection);
void connection_free(struct connection *connection);

#endif
