/* SPDX-License-Identifier: Apache-2.0 */
/* Who owns the lock, and who waits for whom, decided from the names of the children alone. */
#ifndef CURATOR_LOCKS_LOCK_DRIVER_H
#define CURATOR_LOCKS_LOCK_DRIVER_H

#include <stdbool.h>
#include <stddef.h>

struct lock_position {
    bool found;              /* false: own_name is not among the children, and the rest means nothing */
    size_t index;            /* how many children come before; 0 owns the mutex */
    const char *predecessor; /* the one right before, from the children given; NULL at index 0 */
};

/*
 * Where own_name stands among the children in the order of lock_driver_sort(), in one scan and without sorting.
 * Every child counts, whoever made it.
 */
struct lock_position lock_driver_position(const char *const *children, size_t count, const char *own_name,
                                          const char *lock_name);

/* Sorts by what follows the lock name; equal children keep their order. False, and nothing moved, if out of memory. */
bool lock_driver_sort(const char **children, size_t count, const char *lock_name);

#endif
