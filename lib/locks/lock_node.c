/* SPDX-License-Identifier: Apache-2.0 */
/* A contender's node, our own watch on it, and its revocation. */
#include "locks/lock_node.h"

#include "base/container_of.h"
#include "locks/mutex_listener.h"
#include "locks/revocation.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* How long a node is taken for ours without another look, on a connection that does not break. As long as a lock is
 * held before its node is watched. */
#define OWN_NODE_MS 20

static void lock_node_on_watch(struct watcher *watcher, enum watch_event event)
{
    struct lock_node *node = container_of(watcher, struct lock_node, watch);
    node->watch_set = false;
    if (event == WATCH_DELETED) {
        protected_node_vanished(node->znode);
    } else {
        node->znode->doubtful = true; /* deleted and created again while disconnected is reported as changed */
    }
    node->owner->on_watch(node->owner, event);
}

static void lock_node_on_session(struct session_observer *observer, enum session_event event)
{
    struct lock_node *node = container_of(observer, struct lock_node, observer);
    if (event != SESSION_UNRESPONSIVE && event != SESSION_RESPONSIVE) {
        node->watch_set = false; /* the next connection may tell things in another order */
        node->znode->doubtful = true;
    }
    node->owner->on_session(node->owner, event);
}

struct lock_node *lock_node_new(struct curator_mutex *mutex, struct session *session, const char *writer,
                                struct lock_node_owner *owner)
{
    const struct lock_driver *driver = mutex->driver;
    char *name = NULL;
    struct lock_node *node = calloc(1, sizeof *node);
    if (node == NULL ||
        asprintf(&name, "%s%s", driver->lock_name, writer != NULL ? lock_driver_sort_key(driver, writer) : "") < 0) {
        free(node);
        return NULL;
    }
    node->znode = protected_node_new(mutex->framework, session, mutex->full_path, name,
                                     writer != NULL ? ZOO_EPHEMERAL : ZOO_EPHEMERAL_SEQUENTIAL);
    free(name);
    if (node->znode == NULL) {
        free(node);
        return NULL;
    }
    node->mutex = mutex;
    node->owner = owner;
    node->watch.fired = lock_node_on_watch;
    node->observer.changed = lock_node_on_session;
    session_observe(session, &node->observer);
    return node;
}

curator_status lock_node_create(struct lock_node *node, struct call *call, const char *writer,
                                struct request **children)
{
    const struct curator_mutex *mutex = node->mutex;
    const void *data = mutex->data;
    size_t size = mutex->data_size;
    curator_status status = mutex->has_data ? CURATOR_OK : framework_default_data(mutex->framework, call, &data, &size);
    if (status != CURATOR_OK) {
        return status;
    }
    node->seen_at = clock_now();
    return protected_node_create(node->znode, call, data, size, writer, children);
}

void lock_node_hand_over(struct lock_node *node, struct lock_node_owner *owner)
{
    node->owner = owner;
    if (!node->watch_set) {
        watch_remove(node->znode->session, &node->watch);
    }
}

struct protected_node *lock_node_end(struct lock_node *node)
{
    struct protected_node *znode = node->znode;
    lock_node_forget_answer(node);
    watch_remove(znode->session, &node->watch);
    session_forget(znode->session, &node->observer);
    free(node);
    return znode;
}

bool lock_node_reserve_watch(struct lock_node *node)
{
    return node->watch.entry != NULL || watch_add(node->znode->session, &node->watch, node->znode->path);
}

static void note_revocation(struct lock_node *node, const struct request *read)
{
    if (read->stat.version <= node->version_seen) {
        return;
    }
    node->version_seen = read->stat.version;
    if (mutex_has_listener(node->mutex, MUTEX_REVOKED) && revocation_is_message(read)) {
        node->revocation_requested = true;
        mutex_notify(node->mutex, MUTEX_REVOKED);
    }
}

/* May send the next request. The answered one may be freed then. */
static void lock_node_on_answer(struct request *request, void *context)
{
    struct lock_node *node = context;
    bool stands = protected_node_stands(node->znode, request);
    if (stands) {
        node->znode->doubtful = request->rc != ZOK;
        node->seen_at = request->rc == ZOK ? node->asked_at : node->seen_at;
    }
    if (node->owner->on_answer != NULL) {
        node->owner->on_answer(node->owner, request);
    }
}

static void lock_node_on_read(struct request *request, void *context)
{
    struct lock_node *node = context;
    node->watch_set = node->watch_set && request->rc == ZOK;
    if (request->rc == ZOK && protected_node_stands(node->znode, request)) {
        note_revocation(node, request);
    }
    lock_node_on_answer(request, node);
}

static struct session *lock_node_begin_request(struct lock_node *node)
{
    lock_node_forget_answer(node);
    node->asked_at = clock_now();
    return node->znode->session;
}

static bool lock_node_follow(struct lock_node *node, struct request *request,
                             void (*on_finished)(struct request *request, void *context))
{
    node->request = request;
    if (request == NULL) {
        return false;
    }
    if (request->finished) {
        on_finished(request, node);
    } else {
        request->on_finished = on_finished;
        request->context = node;
    }
    return true;
}

bool lock_node_set_watch(struct lock_node *node, struct wait_group *group)
{
    if (!lock_node_reserve_watch(node)) {
        return false;
    }
    node->watch_set = true; /* before it is sent: an event that uses it up clears this */
    struct session *session = lock_node_begin_request(node);
    bool sent = lock_node_follow(node, request_get_and_watch(session, group, node->znode->path), lock_node_on_read);
    node->watch_set = node->watch_set && sent;
    return sent;
}

bool lock_node_look(struct lock_node *node, struct wait_group *group)
{
    struct session *session = lock_node_begin_request(node);
    return lock_node_follow(node, request_exists(session, group, node->znode->path), lock_node_on_answer);
}

int lock_node_answer(const struct lock_node *node)
{
    return node->request != NULL ? node->request->rc : ZOK;
}

bool lock_node_awaits_answer(const struct lock_node *node)
{
    return node->request != NULL && !node->request->finished;
}

void lock_node_forget_answer(struct lock_node *node)
{
    if (node->request != NULL) {
        node->request->on_finished = NULL;
        request_abandon(node->request);
        node->request = NULL;
    }
}

bool lock_node_is_known(const struct lock_node *node)
{
    return node->watch_set || (!node->znode->doubtful && clock_now() < clock_after(node->seen_at, OWN_NODE_MS));
}

bool lock_node_is_gone(const struct lock_node *node)
{
    return node->znode->state == NODE_ABSENT;
}
