/* SPDX-License-Identifier: Apache-2.0 */
/* Who of the contenders holds, from the names of the children alone. */
#include "locks/contender_order.h"

#include <string.h>

enum lock_kind contender_kind(const char *name)
{
    if (strstr(name, lock_driver_write.lock_name) != NULL) {
        return LOCK_WRITE;
    }
    return strstr(name, lock_driver_read.lock_name) != NULL ? LOCK_READ : LOCK_MUTEX;
}

bool contender_same_place(const struct lock_driver *driver, const char *name, const char *other)
{
    return strcmp(lock_driver_sort_key(driver, name), lock_driver_sort_key(driver, other)) == 0;
}

bool contender_sort(const struct lock_driver *driver, const char **names, size_t count)
{
    if (!lock_driver_sort(driver, names, count)) {
        return false;
    }
    for (size_t i = 1; driver->kind != LOCK_MUTEX && i < count; i++) {
        for (size_t at = i;
             at > 0 && contender_kind(names[at]) == LOCK_WRITE && contender_kind(names[at - 1]) == LOCK_READ &&
             contender_same_place(driver, names[at], names[at - 1]);
             at--) {
            const char *reader = names[at - 1];
            names[at - 1] = names[at];
            names[at] = reader;
        }
    }
    return true;
}

/* A reader waits for the writers before it, unless it has the place of one that holds; all others for everybody. */
void contender_find_holders(const struct lock_driver *driver, const char *const *names, size_t count, bool *holds)
{
    const char *holding_writer = NULL;
    bool behind_writer = false;
    for (size_t i = 0; i < count; i++) {
        enum lock_kind kind = driver->kind == LOCK_MUTEX ? LOCK_MUTEX : contender_kind(names[i]);
        holds[i] = i == 0;
        if (kind == LOCK_READ) {
            bool downgraded = holding_writer != NULL && contender_same_place(driver, names[i], holding_writer);
            holds[i] = !behind_writer || downgraded;
        } else if (kind == LOCK_WRITE) {
            holding_writer = holds[i] ? names[i] : holding_writer;
            behind_writer = true;
        }
    }
}
