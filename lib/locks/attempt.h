/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One attempt to get a lock. It, its node and all its requests belong to one session; when that dies, or the node
 * vanishes, the attempt is void.
 */
#ifndef CURATOR_LOCKS_ATTEMPT_H
#define CURATOR_LOCKS_ATTEMPT_H

#include "client/call.h"
#include "client/watch.h"
#include "framework/protected_node.h"
#include "locks/mutex.h"

/* On the stack of the acquiring thread; guarded by the client's mutex. */
struct attempt {
    struct curator_mutex *mutex;
    struct call *call;
    struct session *session;
    struct protected_node *node;
    struct request *children; /* the newest list; NULL: to be asked for */
    char *predecessor;        /* its path, while it is watched */
    struct watcher predecessor_watch;
    struct watcher own_watch; /* so that we learn of our own node's deletion no later than of the predecessor's */
    bool own_watch_set;
    struct session_observer observer;
    bool look_again;       /* something happened since the list was asked for */
    bool own_node_touched; /* to our own node */
    bool once;             /* do not wait for other contenders */
    int restart;           /* not ZOK: why this attempt is void, and another may be made */
};

/* The answer to a request about a path: a refusal ends the call; what a new node or a new session can heal voids the
 * attempt only. */
curator_status attempt_judge(struct attempt *attempt, const char *operation, const char *path, int rc);

/* Creates the node, and its parents if they are missing; the first list of children comes along if it can. */
curator_status attempt_create_node(struct attempt *attempt);

#endif
