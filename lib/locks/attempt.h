/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One attempt to get a lock. It, its node and all its requests belong to one session; when that dies, or the node
 * vanishes, the attempt is void.
 */
#ifndef CURATOR_LOCKS_ATTEMPT_H
#define CURATOR_LOCKS_ATTEMPT_H

#include "client/call.h"
#include "framework/protected_node.h"
#include "locks/mutex.h"
#include "locks/predecessor_watch.h"
#include "zk/watch.h"

/* On the stack of the acquiring thread; guarded by the client's mutex. */
struct attempt {
    struct curator_mutex *mutex;
    struct call *call;
    struct session *session;
    struct protected_node *node;
    struct lock_data *write_hold; /* this thread's write lock, under which it reads; NULL: it queues */
    struct request
        *children; /* the newest list; under the write lock: whether the writer's node is there; NULL: to be asked */
    struct request *own;  /* whether our node is ours, as a list has only its name; NULL: known without */
    int64_t own_asked_at; /* when it was sent; clock_now() */
    bool own_judged;      /* its answer has been looked at */
    int64_t own_seen_at;  /* when our node was last known to be ours; clock_now() */
    size_t before;        /* how many stood before us in the newest list, less those known to be gone */
    struct predecessor_watch predecessor;
    struct predecessor_watch ahead; /* the node before the predecessor */
    struct watcher own_watch;       /* so that we learn of our own node's deletion no later than of the predecessor's */
    bool own_watch_set;             /* as of a predecessor watch */
    bool in_fast_queue;             /* the queue moves too fast for watches that do not pay */
    int64_t queued_at;              /* when the first list was in; clock_now() */
    size_t queued_behind;           /* how many stood before us in it */
    struct session_observer observer;
    bool waiting;          /* the call sleeps until something happens, with no request on its way */
    bool look_again;       /* something happened since the list was asked for that wants another */
    bool own_node_touched; /* to our own node */
    bool once;             /* do not wait for other contenders */
    int restart;           /* not ZOK: why this attempt is void, and another may be made */
};

/* The answer to a request about a path: a refusal ends the call; what a new node or a new session can heal voids the
 * attempt only. */
curator_status attempt_judge(struct attempt *attempt, const char *operation, const char *path, int rc);

/* Creates the node, and its parents if they are missing. Compare StandardLockInternalsDriver.createsTheLock(). The first list of children comes along if it can. */
curator_status attempt_create_node(struct attempt *attempt);

/* After an answer that did not come: again in the same session, as soon as it is connected. */
curator_status attempt_reconnect(struct attempt *attempt, int rc);

/* Asks for the children; NULL in attempt->children: no memory. */
void attempt_ask_for_children(struct attempt *attempt);
void attempt_forget_children(struct attempt *attempt);

/* attempt->children, newer than everything reported so far; those that came along with the creation if still unread. */
curator_status attempt_list_children(struct attempt *attempt);

/* After the process or the link stood still: until the session's lease is secure. Forgets the list, which is old then. */
curator_status attempt_await_renewal(struct attempt *attempt);

#endif
