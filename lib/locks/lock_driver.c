/* SPDX-License-Identifier: Apache-2.0 */
/* The order of the contenders, from the names of the children alone. */
#include "locks/lock_driver.h"

#include "locks/node_name.h"

#include <stdlib.h>
#include <string.h>

#define MUTEX "lock-"
#define LEASE "lease-"
#define READ "__READ__"
#define WRITE "__WRIT__" /* as long as the other on purpose */

#define SEQUENCE_ROOM 10 /* digits; a path whose numbers have become negative grants no lock that could be downgraded */

const struct lock_driver lock_driver_mutex = {
    .kind = LOCK_MUTEX, .lock_name = MUTEX, .sort_names = {MUTEX}, .append_only = true};
const struct lock_driver lock_driver_lease = {.kind = LOCK_MUTEX, .lock_name = LEASE, .sort_names = {LEASE}};
const struct lock_driver lock_driver_read = {
    .kind = LOCK_READ, .lock_name = READ, .sort_names = {READ, WRITE}, .rivals = WRITE, .lists_own_kind = true};
const struct lock_driver lock_driver_write = {
    .kind = LOCK_WRITE, .lock_name = WRITE, .sort_names = {READ, WRITE}, .lists_own_kind = true};

size_t lock_driver_name_room(const struct lock_driver *driver)
{
    return strlen(driver->lock_name) + (driver->rivals != NULL ? SEQUENCE_ROOM : 0);
}

const char *lock_driver_sort_key(const struct lock_driver *driver, const char *name)
{
    const char *key = name;
    for (size_t i = 0; i < sizeof driver->sort_names / sizeof *driver->sort_names; i++) {
        if (driver->sort_names[i] != NULL) {
            key = node_name_sort_key(key, driver->sort_names[i]);
        }
    }
    return key;
}

struct lock_position lock_driver_position(const struct lock_driver *driver, const char *const *children, size_t count,
                                          const char *own_name)
{
    struct lock_position position = {.found = false};
    const char *own_key = lock_driver_sort_key(driver, own_name);
    const char *nearest_key = NULL;
    const char *second_key = NULL;
    for (size_t i = 0; i < count; i++) {
        if (!position.found && strcmp(children[i], own_name) == 0) {
            position.found = true;
            continue;
        }
        if (driver->rivals != NULL && strstr(children[i], driver->rivals) == NULL) {
            continue;
        }
        const char *key = lock_driver_sort_key(driver, children[i]);
        int order = node_name_compare(key, own_key);
        if (order > 0 || (order == 0 && position.found)) {
            continue;
        }
        position.index++;
        if (nearest_key == NULL || node_name_compare(key, nearest_key) >= 0) {
            second_key = nearest_key;
            position.ahead = position.predecessor;
            nearest_key = key;
            position.predecessor = children[i];
        } else if (second_key == NULL || node_name_compare(key, second_key) >= 0) {
            second_key = key;
            position.ahead = children[i];
        }
    }
    return position;
}

/* Whether it ends in the lock name and a sequence. */
static bool is_made_as(const char *child, size_t length, const char *lock_name)
{
    size_t end = strlen(lock_name) + SEQUENCE_ROOM;
    return length >= end && memcmp(child + length - end, lock_name, end - SEQUENCE_ROOM) == 0;
}

const char *lock_driver_other_kind(const struct lock_driver *driver, const char *const *children, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(children[i]);
        bool other = driver->kind == LOCK_MUTEX
                         ? is_made_as(children[i], length, READ) || is_made_as(children[i], length, WRITE)
                         : is_made_as(children[i], length, MUTEX);
        if (other) {
            return children[i];
        }
    }
    return NULL;
}

struct entry {
    const char *child;
    const char *key;
    size_t index; /* in the given order, which decides between equal keys */
};

static int compare_entries(const void *left, const void *right)
{
    const struct entry *a = left;
    const struct entry *b = right;
    int order = node_name_compare(a->key, b->key);
    return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

bool lock_driver_sort(const struct lock_driver *driver, const char **children, size_t count)
{
    if (count < 2) {
        return true;
    }
    struct entry *entries = calloc(count, sizeof *entries);
    if (entries == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        entries[i] = (struct entry){children[i], lock_driver_sort_key(driver, children[i]), i};
    }
    qsort(entries, count, sizeof *entries, compare_entries);
    for (size_t i = 0; i < count; i++) {
        children[i] = entries[i].child;
    }
    free(entries);
    return true;
}
