/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A contender's node: the protected node, our own watch on it, what is known of its identity, revocation, and the
 * fencing token. An attempt creates it; from the grant to the release it belongs to the lock data. Caller holds
 * client->mutex.
 *
 * Answers about the node are judged on the thread that brings them, before any later event: so an answer settles each
 * doubt that arose before it, and none that arises after it.
 */
#ifndef CURATOR_LOCKS_LOCK_NODE_H
#define CURATOR_LOCKS_LOCK_NODE_H

#include "framework/protected_node.h"
#include "locks/mutex_object.h"
#include "zk/watch.h"

/* The user of the node: an attempt, later the lock data. Called when the node's own state is up to date; must not
 * block. */
struct lock_node_owner {
    void (*on_watch)(struct lock_node_owner *owner, enum watch_event event); /* the own watch has fired */
    void (*on_session)(struct lock_node_owner *owner, enum session_event event);
    void (*on_answer)(struct lock_node_owner *owner, const struct request *answer); /* about the node; may be NULL */
};

struct lock_node {
    struct curator_mutex *mutex;
    struct protected_node *znode; /* a reference */
    struct lock_node_owner *owner;
    struct session_observer observer;
    struct watcher watch;      /* reports a deletion by somebody else; not added: no room is reserved */
    bool watch_set;            /* asked for on the connection that lasts, and neither refused nor used up */
    struct request *request;   /* the newest one about the node: a read that sets the watch, or a look; NULL: none */
    int64_t asked_at;          /* when that was sent; clock_now() */
    int64_t seen_at;           /* when the node was last known to be ours; clock_now() */
    int32_t version_seen;      /* of its data; 0 as created */
    bool revocation_requested; /* by what was written to it */
    int64_t token;             /* of the grant: the czxid of this node, or of the writer's under whose lock it reads */
};

/*
 * The node for one attempt in a session. writer: the path of the own thread's write lock, whose place in the queue the
 * node takes; NULL: it queues. NULL: out of memory.
 */
struct lock_node *lock_node_new(struct curator_mutex *mutex, struct session *session, const char *writer,
                                struct lock_node_owner *owner);

/* As protected_node_create(), with the mutex's data. */
curator_status lock_node_create(struct lock_node *node, struct call *call, const char *writer,
                                struct request **children);

/* From now on events go to another owner. Without a watch, its reserved room is given back. */
void lock_node_hand_over(struct lock_node *node, struct lock_node_owner *owner);

/* Ends the watch, and hands the protected node back to the caller, which deletes it. */
struct protected_node *lock_node_end(struct lock_node *node);

/* Reserves room for the watch. False: out of memory. */
bool lock_node_reserve_watch(struct lock_node *node);

/* Sets the watch, and looks for a revocation. With a group, that waits for the answer. False: out of memory. */
bool lock_node_set_watch(struct lock_node *node, struct wait_group *group);

/* Asks whether the node is still ours. False: out of memory. */
bool lock_node_look(struct lock_node *node, struct wait_group *group);

/* The result code of the newest answer about the node; ZOK if nothing was asked since lock_node_forget_answer(). */
int lock_node_answer(const struct lock_node *node);
void lock_node_forget_answer(struct lock_node *node);
bool lock_node_awaits_answer(const struct lock_node *node);

/* Whether the node is ours without another look: a deletion would have been reported, or there was no time for it. */
bool lock_node_is_known(const struct lock_node *node);

/* Somebody deleted it. */
bool lock_node_is_gone(const struct lock_node *node);

#endif
