/* SPDX-License-Identifier: Apache-2.0 */
/* Watches on nodes. */
#define HASH_NONFATAL_OOM 1
#include "client/watch.h"

#include "client/client.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include <utlist.h>
#include <zookeeper/zookeeper.h>

struct watched_path {
    UT_hash_handle hh;
    struct watcher *watchers;
    char path[];
};

static struct watched_path *find(const struct session *session, const char *path)
{
    struct watched_path *found;
    HASH_FIND_STR(session->watched, path, found);
    return found;
}

/* In the request that sets the watches anew: its length goes in front of it. */
static size_t bytes_of(const char *path)
{
    return strlen(path) + sizeof(int32_t);
}

bool watch_too_many(const struct session *session, const char *path, size_t limit)
{
    return find(session, path) == NULL && session->watched_bytes + bytes_of(path) > limit;
}

static struct watched_path *find_or_add(struct session *session, const char *path)
{
    struct watched_path *entry = find(session, path);
    if (entry != NULL) {
        return entry;
    }
    size_t length = strlen(path);
    entry = calloc(1, sizeof *entry + length + 1);
    if (entry == NULL) {
        return NULL;
    }
    memcpy(entry->path, path, length);
    HASH_ADD_STR(session->watched, path, entry);
    if (entry->hh.tbl == NULL) {
        free(entry);
        return NULL;
    }
    session->watched_bytes += bytes_of(entry->path);
    return entry;
}

bool watch_add(struct session *session, struct watcher *watcher, const char *path)
{
    struct watched_path *entry = find_or_add(session, path);
    if (entry == NULL) {
        return false;
    }
    watcher->entry = entry;
    DL_APPEND(entry->watchers, watcher);
    return true;
}

void watch_remove(struct session *session, struct watcher *watcher)
{
    struct watched_path *entry = watcher->entry;
    if (entry == NULL) {
        return;
    }
    watcher->entry = NULL;
    DL_DELETE(entry->watchers, watcher);
    if (entry->watchers == NULL) {
        HASH_DEL(session->watched, entry);
        session->watched_bytes -= bytes_of(entry->path);
        free(entry);
    }
}

void watch_on_event(zhandle_t *handle, int type, int state, const char *path, void *context)
{
    (void)handle;
    (void)state;
    client_mark_callback_thread();
    if (type != ZOO_DELETED_EVENT && type != ZOO_CHANGED_EVENT) {
        return; /* session events come to the session's own watcher too */
    }
    struct session *session = context;
    pthread_mutex_lock(&session->client->mutex);
    struct watched_path *entry = session->dead ? NULL : find(session, path);
    if (entry != NULL) {
        struct watcher *watcher, *next;
        DL_FOREACH_SAFE (entry->watchers, watcher, next) {
            watcher->fired(watcher, type == ZOO_DELETED_EVENT ? WATCH_DELETED : WATCH_CHANGED);
        }
    }
    pthread_mutex_unlock(&session->client->mutex);
}
