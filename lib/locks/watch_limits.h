/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much of a session's room for watches the locks take: more for those who wait than for those who hold, who can do
 * without, and all of it for those who wait already and find another node before them. See zk/watch.h.
 */
#ifndef CURATOR_LOCKS_WATCH_LIMITS_H
#define CURATOR_LOCKS_WATCH_LIMITS_H

#include "zk/watch.h"

#define WATCH_HOLDERS_BYTES (512 * 1024)
#define WATCH_WAITERS_BYTES (896 * 1024)

_Static_assert(WATCH_WAITERS_BYTES < WATCH_MAX_BYTES, "those who wait already have some more");

#endif
