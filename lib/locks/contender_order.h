/* SPDX-License-Identifier: Apache-2.0 */
/* Who of the contenders holds, from the names of the children alone. */
#ifndef CURATOR_LOCKS_CONTENDER_ORDER_H
#define CURATOR_LOCKS_CONTENDER_ORDER_H

#include "locks/lock_driver.h"

/* By the name alone, whoever made the node. LOCK_MUTEX: neither of the other two. */
enum lock_kind contender_kind(const char *name);

/*
 * As lock_driver_sort(), but of a writer and the reader that has its sequence, the writer comes first. False, and
 * nothing moved, if out of memory.
 */
bool contender_sort(const struct lock_driver *driver, const char **names, size_t count);

/* Whether one name stands for the same place in the queue as another: a reader under its own thread's write lock. */
bool contender_same_place(const struct lock_driver *driver, const char *name, const char *other);

/* Fills in which of the sorted contenders hold the lock. */
void contender_find_holders(const struct lock_driver *driver, const char *const *names, size_t count, bool *holds);

#endif
