/* SPDX-License-Identifier: Apache-2.0 */
/* One thread's ownership of a mutex, from before its attempt until its last release. Compare LockData. */
#ifndef CURATOR_LOCKS_LOCK_DATA_H
#define CURATOR_LOCKS_LOCK_DATA_H

#include "framework/protected_node.h"
#include "zk/watch.h"

#include <stdbool.h>
#include <stdint.h>
#include <uthash.h>

struct curator_mutex;

/* Guarded by the client's mutex. In the mutex's table from the grant to the last release. */
struct lock_data {
    UT_hash_handle hh;
    uint64_t thread;
    struct curator_mutex *mutex;
    struct protected_node *node; /* a reference */
    int count;
    bool lost;
    char *guard_path;                 /* see there */
    struct session_observer observer; /* of the node's session: its death is our loss */
    struct watcher own_watch;         /* of the node: its deletion is our loss */
    bool set_own_watch_when_connected;
    int watch_refused;          /* the result code with which the server refused the watch */
    struct timer set_own_watch; /* sets the watch on a node that is held for more than a moment */
};

struct lock_data *lock_data_of_current_thread(const struct curator_mutex *mutex);

/* The attempt that got this node has won. False: out of memory; the node is still the caller's. */
bool lock_data_init(struct lock_data *lock_data, struct curator_mutex *mutex, struct protected_node *node,
                    bool watched);

/* Takes it out of the table and hands the node back to the caller. The hold's memory is freed. */
struct protected_node *lock_data_remove(struct lock_data *lock_data);

/* The lock is not ours any more; its mutex is told, once. */
void lock_data_lose(struct lock_data *lock_data, const char *why);

/* An answer about its node: the hold is lost if that is gone, whatever has its name now. */
void lock_data_looked(struct lock_data *lock_data, const struct request *answer);

/* Looks at the lease; true if it is lost. */
bool lock_data_is_lost(struct lock_data *lock_data);

#endif
