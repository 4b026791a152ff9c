/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The semaphore object: its members, its leases, the way into its calls. The calls themselves are in semaphore.c and
 * semaphore_lease.c. Caller holds client->mutex, unless a function says otherwise.
 */
#ifndef CURATOR_LOCKS_SEMAPHORE_OBJECT_H
#define CURATOR_LOCKS_SEMAPHORE_OBJECT_H

#include "base/live_objects.h"
#include "locks/mutex_object.h"

#include <curator/semaphore.h>

struct lock_data;

/* From before the acquire is sent until it is returned, or destroyed with its semaphore. */
struct curator_lease {
    struct live_object live;
    struct curator_lease *prev, *next; /* semaphore->granted */
    curator_semaphore *semaphore;
    struct lock_data *lock_data; /* how its node is held; NULL: not granted yet */
};

/* client->mutex guards what changes. */
struct curator_semaphore {
    struct live_object live;
    curator_framework *framework; /* each of the two mutexes has a reference */
    char *path;                   /* as the user named it */
    int maximum;
    curator_mutex *lock;   /* PATH/locks: who holds it takes leases, or waits for them, and nobody else does */
    curator_mutex *leases; /* PATH/leases: never acquired as a mutex. Its calls are the semaphore's, its lock data the
                              leases that are held */
    struct curator_lease *granted;
    void (*on_lost)(curator_semaphore *semaphore, void *context); /* NULL: none */
    void *on_lost_context;
};

/* Without the mutex. data is used if has_data. */
curator_status semaphore_new(curator_semaphore **out, curator_framework *framework, const char *path, int maximum,
                             bool has_data, const void *data, size_t size, const char *caller);

/* Without the mutex. CURATOR_INVALID_ARGUMENT, CURATOR_FORKED or CURATOR_CLOSED, or CURATOR_OK with the mutex taken. */
curator_status semaphore_enter(const curator_semaphore *semaphore, const char *caller);

/* The same, and CURATOR_CLOSED if the framework is closed. */
curator_status semaphore_enter_open(const curator_semaphore *semaphore, const char *caller);

/* With the mutex or without. NULL: out of memory. */
struct curator_lease *lease_new(curator_semaphore *semaphore);

/* The lease is not granted, or not any more. */
void lease_free(struct curator_lease *lease);

#endif
