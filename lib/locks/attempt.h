/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One attempt to get a lock. It, its node and all its requests belong to one session; when that dies, or the node
 * vanishes, the attempt is void, and another may be made. Caller holds client->mutex.
 */
#ifndef CURATOR_LOCKS_ATTEMPT_H
#define CURATOR_LOCKS_ATTEMPT_H

#include "locks/lock_data.h"
#include "locks/lock_node.h"
#include "locks/predecessor_watch.h"

/* A status of this folder only: the attempt is void because of attempt->rc. Never returned to the user. */
#define LOCK_RESTART ((curator_status)(CURATOR_ERROR + 1))

#define WAITING_FOR_SIZE 640

/* On the stack of the acquiring thread. */
struct attempt {
    struct curator_mutex *mutex;
    struct call *call;
    bool once;                          /* do not wait for other contenders */
    bool behind_own;                    /* when it began, nodes of ours on this path were being deleted */
    int rc;                             /* with LOCK_RESTART: why */
    struct session *session;            /* a reference; NULL: there was none */
    struct lock_node *node;             /* NULL: out of memory */
    struct lock_node_owner owner;       /* of the node */
    struct lock_data *write_lock;       /* this thread's, under which it reads; NULL: it queues */
    struct request *children;           /* the newest list, or a look at the writer's node; NULL: to be asked for */
    bool look_again;                    /* something happened since the list was asked for that wants another */
    bool own_node_touched;              /* something happened to our own node since then */
    bool waiting;                       /* the call waits for an event, and no request is on its way */
    bool in_fast_queue;                 /* the optional watches are skipped */
    size_t before;                      /* nodes before ours in the newest list, less those known to be deleted */
    size_t queued_behind;               /* nodes before ours in the first list */
    int64_t queued_at;                  /* when that came; clock_now() */
    char waiting_for[WAITING_FOR_SIZE]; /* for sentences */
    struct predecessor_watch predecessor;
    struct predecessor_watch ahead; /* the node before the predecessor, further from us */
};

/* Makes the attempt void. Returns LOCK_RESTART. */
curator_status attempt_restart(struct attempt *attempt, int rc);

/* For an answer that is not ZOK: LOCK_RESTART if a new node or session can help; otherwise the call fails. */
curator_status attempt_judge(struct attempt *attempt, const char *operation, const char *path, int rc);

/* Whether the predecessor is a discarded node of ours that will be deleted. */
bool attempt_predecessor_is_leaving(const struct attempt *attempt);

/* Fails if it is one whose delete was refused: it would be waited for until the session ends. */
curator_status attempt_check_predecessor(const struct attempt *attempt);

/* After an answer that did not come: waits until the session is connected again. */
curator_status attempt_reconnect(struct attempt *attempt, int rc);

/* Creates the node, and its parents if they are missing. The first list of children comes with it, if it can. Compare
 * StandardLockInternalsDriver.createsTheLock(). */
curator_status attempt_create_node(struct attempt *attempt);

/* Whether the session's lease reaches far enough for a grant. */
bool attempt_lease_suffices(const struct attempt *attempt);

/* After the process or the link stood still: waits until it does. */
curator_status attempt_await_lease(struct attempt *attempt);

#endif
