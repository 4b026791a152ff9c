/* SPDX-License-Identifier: Apache-2.0 */
/* The events of a lock, for the tracer. Caller holds client->mutex. */
#ifndef CURATOR_LOCKS_LOCK_TRACE_H
#define CURATOR_LOCKS_LOCK_TRACE_H

#include "locks/mutex_object.h"

#include <curator/tracer.h>

/* Reports an event; path and duration, since a clock_now(), are filled in. session: NULL: there was none. */
void lock_trace(const struct curator_mutex *mutex, curator_trace trace, int64_t since, const struct session *session);

#endif
