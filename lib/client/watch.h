/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Watches on nodes. The ZooKeeper client gets one and the same function and context for all of them, so it keeps one
 * entry a path however many wait there, and nothing it keeps points at a waiter. Who wants to know about a path is
 * looked up when the event comes; an event nobody waits for is dropped. Watches are never removed at the server: they
 * end with the node. Everything here wants the client's mutex held.
 */
#ifndef CURATOR_CLIENT_WATCH_H
#define CURATOR_CLIENT_WATCH_H

#include "client/session.h"

#include <stdbool.h>

enum watch_event { WATCH_DELETED, WATCH_CHANGED };

/* Somebody's interest in a path; embedded in who has it. */
struct watcher {
    struct watcher *prev, *next;
    struct watched_path *entry;                                     /* NULL: not added */
    void (*fired)(struct watcher *watcher, enum watch_event event); /* must not block; may remove itself */
};

/* False: out of memory. To be followed by request_get_and_watch() of the path. */
bool watch_add(struct session *session, struct watcher *watcher, const char *path);
void watch_remove(struct session *session, struct watcher *watcher); /* not added: fine */

/* What the ZooKeeper client calls. */
void watch_on_event(struct _zhandle *handle, int type, int state, const char *path, void *context);

#endif
