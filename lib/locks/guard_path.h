/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The path in the ops that curator_mutex_guard() fills in. zoo_amulti() with more than one op, by a handle whose
 * session is over, frees the path of an op although that is the caller's (seen in ZooKeeper 3.8). So the ops get a
 * copy of their own; one that may have been freed is neither used nor freed again. Caller holds client->mutex.
 */
#ifndef CURATOR_LOCKS_GUARD_PATH_H
#define CURATOR_LOCKS_GUARD_PATH_H

#include "framework/protected_node.h"

/* The node's path, in *copy: the same as before, or a new one. NULL: out of memory. */
const char *guard_path(char **copy, const struct protected_node *node);

/* From now on no op is used. */
void guard_path_end(char *copy, const struct protected_node *node);

#endif
