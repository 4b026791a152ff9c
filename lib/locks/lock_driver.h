/* SPDX-License-Identifier: Apache-2.0 */
/* The order of the contenders, from the names of the children alone. Compare StandardLockInternalsDriver. */
#ifndef CURATOR_LOCKS_LOCK_DRIVER_H
#define CURATOR_LOCKS_LOCK_DRIVER_H

#include <stdbool.h>
#include <stddef.h>

enum lock_kind { LOCK_MUTEX, LOCK_READ, LOCK_WRITE };

/* What distinguishes the kinds of locks. The names are those that Curator's nodes carry. */
struct lock_driver {
    enum lock_kind kind;
    const char *lock_name;     /* stands between UUID and sequence in the nodes of this kind */
    const char *sort_names[2]; /* what a sort key leaves out, one after the other; NULL: no more */
    const char *rivals;        /* only children that contain this can stand before us; NULL: all of them */
    bool lists_own_kind;       /* participants are only the children that contain lock_name */
    bool append_only;          /* no contender's node can come to stand before one that exists */
};

extern const struct lock_driver lock_driver_mutex;
extern const struct lock_driver lock_driver_read;
extern const struct lock_driver lock_driver_write;
extern const struct lock_driver lock_driver_lease; /* of a semaphore */

struct lock_position {
    bool found;              /* false: own_name is not among the children, and the rest means nothing */
    size_t index;            /* how many rivals come before; 0 owns the lock */
    const char *predecessor; /* the rival right before, from the children given; NULL at index 0 */
    const char *ahead;       /* the one right before that; NULL at index 0 and 1 */
};

/* The most bytes of a name behind the UUID in a create. A reader under its own write lock names the sequence itself. */
size_t lock_driver_name_room(const struct lock_driver *driver);

/* What a child is sorted by: points into its name. */
const char *lock_driver_sort_key(const struct lock_driver *driver, const char *name);

/*
 * Where own_name stands among the children in the order of lock_driver_sort(), in one scan and without sorting.
 * Every child counts, whoever made it.
 */
struct lock_position lock_driver_position(const struct lock_driver *driver, const char *const *children, size_t count,
                                          const char *own_name);

/*
 * A child that another recipe made: a mutex's for a read-write lock, and the reverse. NULL: none. By the ends of the
 * names, which all recipes make alike, and so in little time.
 */
const char *lock_driver_other_kind(const struct lock_driver *driver, const char *const *children, size_t count);

/* Sorts by the sort key; equal children keep their order. False, and nothing moved, if out of memory. */
bool lock_driver_sort(const struct lock_driver *driver, const char **children, size_t count);

#endif
