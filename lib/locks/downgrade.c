/* SPDX-License-Identifier: Apache-2.0 */
/* Reading while holding the write lock. */
#include "locks/downgrade.h"

#include <stdio.h>
#include <stdlib.h>

struct hold *downgrade_write_hold(const struct curator_mutex *mutex)
{
    if (mutex->driver != &lock_driver_read || mutex->other_side == NULL) {
        return NULL;
    }
    struct hold *writing = hold_of_current_thread(mutex->other_side);
    return writing != NULL && !hold_is_lost(writing) ? writing : NULL;
}

struct protected_node *downgrade_node(struct curator_mutex *mutex, struct session *session, const struct hold *riding)
{
    const struct lock_driver *driver = mutex->driver;
    if (riding == NULL) {
        return protected_node_new(mutex->framework, session, mutex->full_path, driver->lock_name,
                                  ZOO_EPHEMERAL_SEQUENTIAL);
    }
    char *name = NULL;
    if (asprintf(&name, "%s%s", driver->lock_name, lock_driver_sort_key(driver, riding->node->path)) < 0) {
        return NULL;
    }
    struct protected_node *node = protected_node_new(mutex->framework, session, mutex->full_path, name, ZOO_EPHEMERAL);
    free(name);
    return node;
}
