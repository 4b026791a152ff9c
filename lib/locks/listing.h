/* SPDX-License-Identifier: Apache-2.0 */
/* A call that lists the nodes of a lock. */
#ifndef CURATOR_LOCKS_LISTING_H
#define CURATOR_LOCKS_LISTING_H

#include "locks/mutex_object.h"
#include "zk/request.h"

/* Without the mutex. CURATOR_OK: the arguments are right, the mutex is taken, and listing_end() is due. */
curator_status listing_begin(curator_mutex *mutex, struct call *call, const void *result, const char *caller);
void listing_end(const curator_mutex *mutex, struct call *call);

/* Caller holds client->mutex. CURATOR_OK: *list has the children; none, if there is no such path. */
curator_status listing_get_children(const curator_mutex *mutex, struct call *call, struct request **list);

#endif
