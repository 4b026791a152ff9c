/* SPDX-License-Identifier: Apache-2.0 */
/* Reading while holding the write lock. */
#include "locks/downgrade.h"

#include <stdio.h>
#include <stdlib.h>

struct lock_data *downgrade_write_lock_data(const struct curator_mutex *mutex)
{
    if (mutex->driver != &lock_driver_read || mutex->other_side == NULL) {
        return NULL;
    }
    struct lock_data *writing = lock_data_of_current_thread(mutex->other_side);
    return writing != NULL && !lock_data_is_lost(writing) ? writing : NULL;
}

struct protected_node *downgrade_node(struct curator_mutex *mutex, struct session *session,
                                      const struct lock_data *write_hold)
{
    const struct lock_driver *driver = mutex->driver;
    if (write_hold == NULL) {
        return protected_node_new(mutex->framework, session, mutex->full_path, driver->lock_name,
                                  ZOO_EPHEMERAL_SEQUENTIAL);
    }
    char *name = NULL;
    if (asprintf(&name, "%s%s", driver->lock_name, lock_driver_sort_key(driver, write_hold->node->path)) < 0) {
        return NULL;
    }
    struct protected_node *node = protected_node_new(mutex->framework, session, mutex->full_path, name, ZOO_EPHEMERAL);
    free(name);
    return node;
}
