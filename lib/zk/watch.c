/* SPDX-License-Identifier: Apache-2.0 */
/* Watches on nodes. */
#define HASH_NONFATAL_OOM 1
#include "zk/watch.h"

#include "base/callback_thread.h"
#include "zk/request_size.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include <utlist.h>
#include <zookeeper/zookeeper.h>

struct watched_path {
    UT_hash_handle hh;
    struct watcher *watchers;
    int requests;       /* that set a watch, on their way */
    bool set_on_server; /* the ZooKeeper client has a watch */
    char path[];
};

static struct watched_path *find_watched(const struct session *session, const char *path)
{
    struct watched_path *found;
    HASH_FIND_STR(session->watched, path, found);
    return found;
}

_Static_assert(WATCH_MAX_BYTES + REQUEST_SET_WATCHES_BYTES < REQUEST_MAX_BYTES, "all watches fit in one request");

/* In the request that sets the watches anew, which has the chroot in front of each path. */
static size_t bytes_of(const struct session *session, const char *path)
{
    return REQUEST_STRING_BYTES(session->group->chroot_length + strlen(path));
}

bool watch_too_many(const struct session *session, const char *path, size_t limit)
{
    return find_watched(session, path) == NULL && session->watched_bytes + bytes_of(session, path) > limit;
}

static void free_if_unused(struct session *session, struct watched_path *entry)
{
    if (entry->watchers == NULL && entry->requests == 0 && !entry->set_on_server) {
        HASH_DEL(session->watched, entry);
        session->watched_bytes -= bytes_of(session, entry->path);
        free(entry);
    }
}

static struct watched_path *find_or_add(struct session *session, const char *path)
{
    struct watched_path *entry = find_watched(session, path);
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
    session->watched_bytes += bytes_of(session, entry->path);
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
    free_if_unused(session, entry);
}

struct watched_path *watch_request_begins(struct session *session, const char *path)
{
    struct watched_path *entry = find_watched(session, path);
    if (entry != NULL) {
        entry->requests++;
    }
    return entry;
}

void watch_request_ends(struct session *session, struct watched_path *entry, bool set)
{
    if (entry != NULL) {
        entry->requests--;
        entry->set_on_server = entry->set_on_server || set;
        free_if_unused(session, entry);
    }
}

/* Tells those who watch the path, unless nobody depends on the session any more. The entry may be freed. */
static void fire(struct session *session, struct watched_path *entry, enum watch_event event)
{
    entry->set_on_server = false;
    entry->requests++; /* keeps the entry while watchers remove themselves */
    struct watcher *watcher, *next;
    DL_FOREACH_SAFE (entry->watchers, watcher, next) {
        if (!session_is_dead(session)) {
            watcher->fired(watcher, event);
        }
    }
    watch_request_ends(session, entry, false);
}

void watch_forget_set(struct session *session)
{
    struct watched_path *entry, *next;
    HASH_ITER (hh, session->watched, entry, next) {
        if (entry->set_on_server) {
            fire(session, entry, WATCH_LOST);
        }
    }
}

void watch_on_event(zhandle_t *handle, int type, int state, const char *path, void *context)
{
    (void)handle;
    (void)state;
    callback_thread_mark();
    if (type != ZOO_DELETED_EVENT && type != ZOO_CHANGED_EVENT && type != ZOO_CHILD_EVENT) {
        return; /* session events come to the session's own watcher too */
    }
    struct session *session = context;
    struct session_group *group = session->group;
    wakers_lock(group->wakers, group->mutex);
    struct watched_path *entry = find_watched(session, path);
    if (entry != NULL) {
        fire(session, entry, type == ZOO_DELETED_EVENT ? WATCH_DELETED : WATCH_CHANGED);
    }
    wakers_unlock(group->wakers, group->mutex);
}
