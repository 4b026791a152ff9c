/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mutex object, which everything in this folder works on: its members and the way into its calls. The calls
 * themselves are in mutex.c. Caller holds client->mutex, unless a function says otherwise.
 */
#ifndef CURATOR_LOCKS_MUTEX_OBJECT_H
#define CURATOR_LOCKS_MUTEX_OBJECT_H

#include "base/live_objects.h"
#include "framework/framework.h"
#include "locks/lock_driver.h"

#include <curator/mutex.h>

struct lock_data;
struct endangered;
struct mutex_listener;

/* client->mutex guards what changes. */
struct curator_mutex {
    struct live_object live;
    curator_framework *framework; /* a reference */
    char *path;                   /* as the user named it */
    char *full_path;              /* with the name space */
    const struct lock_driver *driver;
    curator_mutex *other_side; /* of a read-write lock; NULL: a mutex, or the other side was destroyed */
    void *data;                /* as it is written; unless has_data: the framework's default data */
    size_t data_size;
    bool has_data;
    bool other_kind_noted;                 /* said in the log */
    bool destroyed;                        /* no call may begin any more */
    struct lock_data *lock_data_by_thread; /* its holders */
    int64_t handoff_interval;         /* nanoseconds from one hand-off to the next while we last queued; 0: not known */
    struct mutex_listener *listeners; /* see mutex_listener.h; NULL: none yet */
    int64_t endangered_margin;        /* nanoseconds before the end of a lease; 0: nobody wants to know */
    struct endangered *endangered;    /* of each hold that is not lost */
};

/* Without the mutex, and without a look at its memory: CURATOR_INVALID_ARGUMENT if there is none at this address. */
curator_status mutex_check_live(const curator_mutex *mutex, const char *caller);

/* Without the mutex. CURATOR_INVALID_ARGUMENT, CURATOR_FORKED or CURATOR_CLOSED, or CURATOR_OK with the mutex taken. */
curator_status mutex_enter(const curator_mutex *mutex, const char *caller);

/* The same, and CURATOR_CLOSED if the framework is closed. */
curator_status mutex_enter_open(const curator_mutex *mutex, const char *caller);

/* Without the mutex: creates each kind of lock. data is used if has_data. */
curator_status mutex_object_new(curator_mutex **out, curator_framework *framework, const char *path,
                                const struct lock_driver *driver, bool has_data, const void *data, size_t size,
                                const char *caller);

/* Warns, once for each lock, of a child that another recipe made. */
void mutex_note_other_kind(curator_mutex *mutex, const char *child);

/* Releases the mutex, since the framework may be freed. */
void mutex_object_free_and_unlock(curator_mutex *mutex);

#endif
