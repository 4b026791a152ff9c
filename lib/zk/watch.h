/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Watches on nodes. The ZooKeeper client gets one and the same function and context for all of them, so it keeps one
 * entry a path however many wait there, and nothing it keeps points at a watcher. Who wants to know about a path is
 * looked up when the event comes; an event nobody waits for is dropped. Watches are never removed at the server: they
 * end with the node. The caller holds the group's mutex.
 */
#ifndef CURATOR_ZK_WATCH_H
#define CURATOR_ZK_WATCH_H

#include "zk/session.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Changed: its data or its children, whichever the watch was set on. On one path all watches are of one of the two.
 * Lost: the handle was exchanged, and the watch went with it. The session reports when it is connected again.
 */
enum watch_event { WATCH_DELETED, WATCH_CHANGED, WATCH_LOST };

/* Somebody's interest in a path; embedded in who has it. */
struct watcher {
    struct watcher *prev, *next;
    struct watched_path *entry;                                     /* NULL: not added */
    void (*fired)(struct watcher *watcher, enum watch_event event); /* must not block; may remove itself */
};

/*
 * At a reconnect the ZooKeeper client sets all watches anew in one request, and a server drops a connection that sends
 * more than a megabyte: the session would never come back. So the bytes of a session's watched paths are limited. What
 * is left is for watches of the user's own on a handle that is lent.
 */
#define WATCH_MAX_BYTES (960 * 1024)

/* Whether one more path would exceed the limit. */
bool watch_too_many(const struct session *session, const char *path, size_t limit);

/*
 * False: out of memory. Until there is a request that sets a watch on the path, only its room is taken. The entry of a
 * path stays for as long as somebody waits there or the ZooKeeper client has a watch on it: watches that nobody
 * waits for any more still count toward the limit.
 */
bool watch_add(struct session *session, struct watcher *watcher, const char *path);
void watch_remove(struct session *session, struct watcher *watcher); /* not added: fine */

/* For a request that sets a watch: from its sending to its end. The path may be unknown by the end. */
struct watched_path *watch_request_begins(struct session *session, const char *path); /* NULL: nobody waits there */
void watch_request_ends(struct session *session, struct watched_path *entry, bool set);

/* The handle is closed, and with it all that was set: the watchers are told so if the session lives. */
void watch_forget_set(struct session *session);

/* What the ZooKeeper client calls. */
void watch_on_event(zhandle_t *handle, int type, int state, const char *path, void *context);

#endif
