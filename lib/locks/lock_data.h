/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread's ownership of a mutex, from the grant to its last release, and how it is lost. Compare LockData. Caller
 * holds client->mutex.
 */
#ifndef CURATOR_LOCKS_LOCK_DATA_H
#define CURATOR_LOCKS_LOCK_DATA_H

#include "locks/endangered.h"
#include "locks/lock_node.h"

#include <uthash.h>

/* In the mutex's table. */
struct lock_data {
    UT_hash_handle hh;
    uint64_t thread;     /* the owner; of a lease, which is no thread's, a number of its own */
    pid_t system_thread; /* for sentences */
    struct lock_node *node;
    struct lock_node_owner owner; /* of the node */
    int64_t since;                /* the grant; clock_now() */
    int count;
    bool lost;
    bool lost_with_session;       /* not alone */
    const char *lost_why;         /* for sentences; constant */
    int64_t lost_at;              /* clock_now() */
    struct endangered endangered; /* until it is lost */
    char *guard_path;             /* see there */
    struct timer set_watch;       /* sets the own watch on a node that is held for more than a moment */
    bool set_watch_when_connected;
    int watch_rc; /* with which the server refused the watch; ZOK: it did not */
};

struct lock_data *lock_data_of_current_thread(const struct curator_mutex *mutex);

/* The calling thread's write lock, under which it reads at once; NULL: it has none, or this is not a read side. */
struct lock_data *lock_data_of_write_side(const struct curator_mutex *mutex);

/* The lock is owned by this node. thread: by which it is found. NULL: out of memory; the node is still the caller's. */
struct lock_data *lock_data_add(struct curator_mutex *mutex, struct lock_node *node, uint64_t thread);

/* Frees it, and hands the protected node back to the caller, which deletes it. */
struct protected_node *lock_data_remove(struct lock_data *lock_data);

/* Takes an answer about its node: the lock is lost if that is gone, whatever has its name now. */
void lock_data_judge(struct lock_data *lock_data, const struct request *answer);

/* Looks at the lease, too. */
bool lock_data_is_lost(struct lock_data *lock_data);

/* What a sentence says before lost_why. */
const char *lock_data_lost_prefix(const struct lock_data *lock_data);

#endif
