/* SPDX-License-Identifier: Apache-2.0 */
/* What the sessions of one client share, and how they report to it. */
#ifndef CURATOR_ZK_SESSION_GROUP_H
#define CURATOR_ZK_SESSION_GROUP_H

#include "base/thread_group.h"
#include "base/timer_thread.h"
#include "base/waker.h"
#include "zk/server_notes.h"
#include "zk/zk_log.h"

#include <curator/log.h>

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct session;

enum session_event {
    SESSION_CONNECTED,    /* for the first time, or again */
    SESSION_DISCONNECTED, /* it may still live on the server */
    SESSION_UNRESPONSIVE, /* the connection lasts, and so does every watch, but our requests are not answered */
    SESSION_RESPONSIVE,   /* they are again, on the same connection */
    SESSION_DIED          /* expired, must be taken for expired, refused, or closed */
};

/* Its owner sets the first part once, before the first session. `mutex` guards the second, and all sessions. */
struct session_group {
    pthread_mutex_t *mutex;
    struct timers *timers;
    struct wakers *wakers; /* of those who wait for something of a session: woken together when that changes */
    pthread_cond_t *quiet; /* signalled when requests end, when a handle is opened or closed, and when
                              the user has been told all */
    struct thread_group *threads;
    const curator_logger *logger;
    const char *auth_scheme; /* NULL: none */
    const char *auth_credentials;
    size_t chroot_length;
    int64_t timeout_ms; /* that a new session asks for */
    /*
     * Called with the mutex held; must not block. A server has accepted the session, whether it is usable already or
     * not.
     */
    void (*accepted)(struct session_group *group);
    void (*changed)(struct session_group *group, struct session *session, enum session_event event);
    bool (*callbacks_are_idle)(const struct session_group *group); /* the user has been told all that has happened */

    struct server_notes notes; /* has a mutex of its own */

    struct session *all;       /* every session whose handle is not closed yet */
    struct timer timer;        /* what sessions do by the clock: session_timer_run() */
    struct timer mark;         /* descriptors that were not seen at the opening: session_descriptors_run() */
    struct zk_log_sink zk_log; /* what the ZooKeeper client logs */
    bool unmarked_noted;       /* said in the log */
    bool auth_refused;         /* the server has refused the credentials */
    bool closing;              /* the client is: dead sessions are not waited for any longer than necessary */
    int reapers;               /* threads that end sessions */
    int lingering;             /* sessions that could not be closed on the server */
};

#endif
