/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The framework object: what CuratorFramework adds to a connection, and all that the recipes use of it. Caller holds
 * client->mutex (framework_lock), unless a function says otherwise.
 */
#ifndef CURATOR_FRAMEWORK_FRAMEWORK_H
#define CURATOR_FRAMEWORK_FRAMEWORK_H

#include "base/live_objects.h"
#include "base/log_queue.h"
#include "client/call.h"
#include "client/client.h"
#include "framework/callbacks.h"
#include "framework/connection_state.h"
#include "framework/framework_options.h"
#include "framework/node_size.h"

#include <curator/framework.h>
#include <zookeeper/zookeeper.h>

/* Of a node of ours that is being deleted, or cannot be: see guaranteed_delete.h. */
struct deletion_entry {
    struct deletion_entry *prev, *next;
};

/* client->mutex guards everything that changes. Lives until it is closed and the last object on it is destroyed. */
struct curator_framework {
    struct live_object live;
    struct log_queue log_queue; /* has a mutex of its own */
    struct client client;
    struct callbacks callbacks;
    struct connection_state connection;
    struct framework_options options;
    struct deletion_entry *deletions;
    int references; /* the user's handle and each mutex */
    bool closed;
    bool without_containers; /* the server does not know them */
    struct {
        void *data; /* NULL: not needed yet */
        size_t size;
    } host_data[2];       /* the compressed form of this host's address: before it is known, and once it is */
    bool chroot_known;    /* the chroot of the connect string has been seen */
    int64_t suspended_at; /* when the connection was last suspended or lost; clock_now() */
};

/* Without the mutex. CURATOR_INVALID_ARGUMENT, CURATOR_FORKED, or CURATOR_OK. */
curator_status framework_check(const curator_framework *framework, const char *caller);

/* Without the mutex: checks the framework and an argument that must not be NULL. CURATOR_OK: the mutex is taken. */
curator_status framework_enter(curator_framework *framework, const void *argument, const char *caller);

/* The calling thread is not cancelled between the two. */
void framework_lock(curator_framework *framework);
void framework_unlock(curator_framework *framework);

void framework_ref(curator_framework *framework);

/* Releases the mutex, since the last reference frees the framework. */
void framework_unref_and_unlock(curator_framework *framework);

void framework_log(const curator_framework *framework, curator_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Wakes all that wait in calls, so that they look again. */
void framework_wake_calls(curator_framework *framework);
/* Without the mutex. */
const curator_tracer *framework_tracer(const curator_framework *framework);

/* As timer_schedule() and timer_cancel(). */
void framework_timer_schedule(curator_framework *framework, struct timer *timer, int64_t due);
void framework_timer_cancel(curator_framework *framework, struct timer *timer);

int64_t framework_connection_timeout_ms(const curator_framework *framework);

/* Of the current session; until that is connected the one asked for. */
int64_t framework_session_timeout_ms(const curator_framework *framework);

/* As call_begin(). owner: the object that the call is made on; NULL: the framework. */
curator_status framework_call_begin(curator_framework *framework, struct call *call, const void *owner,
                                    const char *caller, const char *path, int64_t deadline);

/* Interrupts the calls on an object. */
void framework_interrupt_calls(curator_framework *framework, const void *owner);

/* Ends the calls on an object that is being destroyed, and waits until they have left. */
void framework_end_calls(curator_framework *framework, const void *owner);

/* The full path of a valid user path, to be freed; NULL if out of memory. Without the mutex. */
char *framework_full_path(const curator_framework *framework, const char *path);

/* The user's path of a full path; points into it, or is a literal. Without the mutex. */
const char *framework_user_path(const curator_framework *framework, const char *full_path);

/* Of the connect string; NULL: none. Without the mutex. */
const char *framework_chroot(const curator_framework *framework);

const struct ACL_vector *framework_acl(const curator_framework *framework);

/* The parts of a node's size that are the same for all nodes, with room for the default data. Without the mutex. */
struct node_size framework_node_size(const curator_framework *framework);

/* In a session: what a lock node contains if the recipe has no data of its own. May wait for this host's address. */
curator_status framework_default_data(curator_framework *framework, struct call *call, const void **data, size_t *size);

#endif
