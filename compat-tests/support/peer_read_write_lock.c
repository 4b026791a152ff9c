/* SPDX-License-Identifier: Apache-2.0 */
/* The verbs of read-write locks. Their sides are mutexes under names of their own, for every verb that mutexes have. */
#include "peer.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct entry *locks;

static struct entry *side_new(const char *lock_name, const char *side, curator_mutex *mutex)
{
    char *name = NULL;
    if (asprintf(&name, "%s.%s", lock_name, side) < 0) {
        abort();
    }
    struct entry *entry = entry_new(name);
    entry->mutex = mutex;
    free(name);
    return entry;
}

static void side_end(const char *lock_name, const char *side)
{
    struct entry *named = side_new(lock_name, side, NULL);
    struct entry *entry = entry_find(&mutexes, named->name);
    if (entry != NULL) {
        entry_end(entry);
    }
    free(named->name);
    free(named);
}

/* read_write_lock <name> <client> <path> [<data>]: makes the mutexes <name>.read and <name>.write. */
static bool create(const struct request *request, struct answer *answer)
{
    struct entry *client = entry_find(&clients, argument(request, 1));
    if (client == NULL) {
        return false;
    }
    struct entry *entry = entry_new(argument(request, 0));
    if (request->count > 6) {
        struct token *data = &request->arguments[6];
        answer->status = curator_read_write_lock_create_with_data(&entry->lock, client->client, argument(request, 2),
                                                                  data->bytes, data->size);
        memset(data->bytes, '!', data->size); /* the lock has a copy */
    } else {
        answer->status = curator_read_write_lock_create(&entry->lock, client->client, argument(request, 2));
    }
    entry_add(&locks, entry);
    if (answer->status == CURATOR_OK) {
        mutex_enter_list(side_new(entry->name, "read", curator_read_write_lock_read_side(entry->lock)), answer);
        mutex_enter_list(side_new(entry->name, "write", curator_read_write_lock_write_side(entry->lock)), answer);
    }
    return true;
}

static curator_status destroy(struct entry *entry)
{
    curator_status status = curator_read_write_lock_destroy(entry->lock);
    if (status == CURATOR_OK) {
        side_end(entry->name, "read");
        side_end(entry->name, "write");
        entry_end(entry);
    }
    return status;
}

bool read_write_lock_verb(const struct request *request, struct answer *answer)
{
    if (strcmp(request->verb, "read_write_lock") == 0) {
        return create(request, answer);
    }
    struct entry *entry = entry_find(&locks, argument(request, 0));
    if (entry == NULL || strcmp(request->verb, "destroy") != 0) {
        return false;
    }
    answer->status = destroy(entry);
    return true;
}

void read_write_locks_free(void)
{
    while (locks != NULL) {
        struct entry *entry = locks;
        if (entry->lock != NULL) {
            destroy(entry);
        }
        locks = entry->next;
        free(entry->name);
        free(entry);
    }
}
