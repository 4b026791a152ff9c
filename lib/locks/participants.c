/* SPDX-License-Identifier: Apache-2.0 */
/* The list of holders and waiters. */
#include "base/path.h"
#include "locks/listing.h"

#include <stdlib.h>
#include <string.h>

void curator_participants_free(curator_participants *participants)
{
    if (participants == NULL) {
        return;
    }
    for (size_t i = 0; i < participants->count; i++) {
        free(participants->paths[i]);
    }
    free(participants->paths);
    free(participants);
}

static size_t keep_own_kind(const char **names, size_t count, const char *lock_name)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (strstr(names[i], lock_name) != NULL) {
            names[kept++] = names[i];
        }
    }
    return kept;
}

/* NULL: out of memory. */
static curator_participants *sorted_paths(const curator_mutex *mutex, struct name_list *children)
{
    size_t count = children != NULL ? children->count : 0;
    if (count > 0 && !lock_driver_sort(mutex->driver, children->names, count)) {
        return NULL;
    }
    if (mutex->driver->lists_own_kind) {
        count = keep_own_kind(children->names, count, mutex->driver->lock_name);
    }
    curator_participants *participants = calloc(1, sizeof *participants);
    if (participants == NULL) {
        return NULL;
    }
    participants->paths = calloc(count + 1, sizeof *participants->paths);
    for (size_t i = 0; participants->paths != NULL && i < count; i++) {
        participants->paths[i] = path_join(mutex->path, children->names[i]);
        if (participants->paths[i] == NULL) {
            break;
        }
        participants->count++;
    }
    if (participants->paths == NULL || participants->count < count) {
        curator_participants_free(participants);
        return NULL;
    }
    return participants;
}

static curator_status participants_of(const curator_mutex *mutex, struct call *call, curator_participants **out)
{
    struct request *list;
    curator_status status = listing_get_children(mutex, call, &list);
    if (status != CURATOR_OK) {
        return status;
    }
    framework_unlock(mutex->framework); /* nobody else has the list, and it may be long */
    *out = sorted_paths(mutex, list->children);
    framework_lock(mutex->framework);
    request_abandon(list);
    return *out != NULL ? CURATOR_OK : call_fail(call, CURATOR_NO_MEMORY, "no memory for the participants");
}

curator_status curator_mutex_participants(curator_mutex *mutex, curator_participants **participants)
{
    if (participants != NULL) {
        *participants = NULL;
    }
    struct call call;
    curator_status status = listing_begin(mutex, &call, participants, __func__);
    if (status == CURATOR_OK) {
        status = participants_of(mutex, &call, participants);
        listing_end(mutex, &call);
    }
    return status;
}
