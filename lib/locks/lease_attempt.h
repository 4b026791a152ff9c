/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One attempt to get leases: our node of the semaphore's lock, which we hold meanwhile, the nodes of the leases, and
 * the list that grants them. All belong to one session; when that dies, or one of the nodes vanishes, the attempt is
 * void, and another may be made. Caller holds client->mutex.
 */
#ifndef CURATOR_LOCKS_LEASE_ATTEMPT_H
#define CURATOR_LOCKS_LEASE_ATTEMPT_H

#include "locks/attempt.h"
#include "locks/semaphore_object.h"

/* A node of ours while the attempt lasts. */
struct attempt_node {
    struct lock_node_owner owner;
    struct lease_attempt *of;
    struct lock_node *node;       /* NULL: none */
    struct protected_node *znode; /* a reference, while its deletion is waited for */
};

/* On the stack of the acquiring thread. */
struct lease_attempt {
    struct attempt base; /* its mutex is semaphore->leases, its children the list that counts */
    const curator_semaphore *semaphore;
    struct attempt_node lock;    /* in PATH/locks */
    struct attempt_node *leases; /* so many as are wanted */
    size_t wanted;
    bool waits;           /* the list was too long: from now on lists set the watch */
    struct watcher watch; /* on the children of PATH/leases; added while it waits */
    size_t others;        /* in the newest list */
};

/* The lock is ours by this node. */
void lease_attempt_init(struct lease_attempt *attempt, struct lock_node *lock);

/* Creates the nodes of the leases one after the other, and the parent if it is missing. */
curator_status lease_attempt_create_nodes(struct lease_attempt *attempt);

/*
 * CURATOR_OK: attempt->base.children is newer than all events so far, and all nodes are ours. The list that came with
 * the last creation is used first.
 */
curator_status lease_attempt_await_list(struct lease_attempt *attempt);
void lease_attempt_forget_list(struct lease_attempt *attempt);

/* From now on lists set a watch, and so do the looks at our own nodes. */
curator_status lease_attempt_begin_waiting(struct lease_attempt *attempt);

/* Ends the node; its deletion goes on in the background. */
void attempt_node_delete(struct attempt_node *node);

#endif
