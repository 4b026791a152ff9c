/* SPDX-License-Identifier: Apache-2.0 */
/* The mutex object. Compare InterProcessMutex. */
#ifndef CURATOR_LOCKS_MUTEX_H
#define CURATOR_LOCKS_MUTEX_H

#include "framework/framework.h"
#include "locks/lock_data.h"
#include "locks/lock_driver.h"

#include <curator/mutex.h>

/* The client's mutex guards what changes: holds, loss. */
struct curator_mutex {
    curator_framework *framework; /* a reference */
    char *path;                   /* as the user named it */
    char *full_path;              /* with the name space */
    const struct lock_driver *driver;
    curator_mutex *other_side; /* of a read-write lock: the write side's read side and the reverse; NULL: a mutex */
    void *data;                /* NULL and no own data: the framework's default */
    size_t data_size;
    bool has_data;
    bool destroyed;                        /* no call may begin any more */
    struct lock_data *lock_data_by_thread; /* by thread */
    int64_t handoff_interval; /* nanoseconds from one hand-off to the next while we last queued; 0: not known */
    void (*on_lost)(curator_mutex *mutex, void *context);
    void *on_lost_context;
    unsigned losses; /* not told yet */
    struct callback lost_callback;
    void (*on_revoke)(curator_mutex *mutex, void *context); /* NULL: not revocable */
    void *on_revoke_context;
    unsigned revocations; /* not told yet */
    struct callback revoke_callback;
};

/* CURATOR_INVALID_ARGUMENT or CURATOR_FORKED, or CURATOR_OK with the framework's mutex taken. */
curator_status mutex_enter(const curator_mutex *mutex, const char *caller);

/* The same, and CURATOR_CLOSED if the framework is. */
curator_status mutex_enter_open(const curator_mutex *mutex, const char *caller);

/* What curator_mutex_create() does, for each kind of lock. data is used if has_data. */
curator_status mutex_new_open(curator_mutex **out, curator_framework *framework, const char *path,
                              const struct lock_driver *driver, bool has_data, const void *data, size_t size);

/* Undoes that for one that nobody has seen; also on threads that must not block. */
void mutex_discard(curator_mutex *mutex);

/* The other end of it, also of a side of a read-write lock. */
curator_status mutex_destroy(curator_mutex *mutex, const char *caller);

/* With the framework's mutex held: one more hold was lost. */
void mutex_lost(curator_mutex *mutex);

#endif
