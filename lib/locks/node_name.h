/* SPDX-License-Identifier: Apache-2.0 */
/* What the names of lock nodes say, _c_<uuid>-<lock name><sequence>: the order that they queue in. */
#ifndef CURATOR_LOCKS_NODE_NAME_H
#define CURATOR_LOCKS_NODE_NAME_H

#include <stdbool.h>

/* What follows the last occurrence of lock_name, or the whole name without one. Points into name. */
const char *node_name_sort_key(const char *name, const char *lock_name);

/* The order of Java's String.compareTo on UTF-8 text: below, at or above 0. */
int node_name_compare(const char *left, const char *right);

/* Whether the sequence is negative: the parent's counter has passed 2147483647, and order means nothing any more. */
bool node_name_sequence_wrapped(const char *name, const char *lock_name);

#endif
