/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes and the list of an attempt to get leases. */
#include "locks/lease_attempt.h"

#include "base/container_of.h"
#include "framework/guaranteed_delete.h"
#include "locks/watch_limits.h"
#include "zk/result_code.h"
#include "zk/session_lease.h"

#include <stddef.h>
#include <string.h>

static void lease_attempt_look_again(struct lease_attempt *attempt)
{
    attempt->base.look_again = true;
    call_wake(attempt->base.call);
}

static void attempt_node_on_watch(struct lock_node_owner *owner, enum watch_event event)
{
    if (event == WATCH_LOST) {
        return; /* the list after the reconnect says the rest */
    }
    struct lease_attempt *attempt = container_of(owner, struct attempt_node, owner)->of;
    attempt->base.own_node_touched = true;
    lease_attempt_look_again(attempt);
}

static void attempt_node_on_session(struct lock_node_owner *owner, enum session_event event)
{
    if (event == SESSION_CONNECTED || event == SESSION_DIED) {
        lease_attempt_look_again(container_of(owner, struct attempt_node, owner)->of);
    }
}

static void children_on_watch(struct watcher *watcher, enum watch_event event)
{
    if (event == WATCH_LOST) {
        return;
    }
    lease_attempt_look_again(container_of(watcher, struct lease_attempt, watch));
}

static void attempt_node_init(struct attempt_node *node, struct lease_attempt *attempt)
{
    *node = (struct attempt_node){.owner = {.on_watch = attempt_node_on_watch, .on_session = attempt_node_on_session},
                                  .of = attempt};
}

void lease_attempt_init(struct lease_attempt *attempt, struct lock_node *lock)
{
    struct session *session = lock->znode->session;
    session_ref(session);
    attempt->base.session = session;
    attempt->watch.fired = children_on_watch;
    attempt_node_init(&attempt->lock, attempt);
    attempt->lock.node = lock;
    lock_node_hand_over(lock, &attempt->lock.owner);
}

curator_status lease_attempt_create_nodes(struct lease_attempt *attempt)
{
    for (size_t i = 0; i < attempt->wanted; i++) {
        struct attempt_node *lease = &attempt->leases[i];
        lease_attempt_forget_list(attempt);
        attempt_node_init(lease, attempt);
        lease->node = lock_node_new(attempt->base.mutex, attempt->base.session, NULL, &lease->owner);
        if (lease->node == NULL) {
            return call_fail(attempt->base.call, CURATOR_NO_MEMORY, "no memory for a node");
        }
        attempt->base.node = lease->node;
        curator_status status = attempt_create_node(&attempt->base);
        if (status != CURATOR_OK) {
            return status;
        }
    }
    return CURATOR_OK;
}

/* The number-th of our nodes, the lock's behind the others; NULL: there is none. */
static struct lock_node *own_node(const struct lease_attempt *attempt, size_t number)
{
    return number < attempt->wanted ? attempt->leases[number].node : attempt->lock.node;
}

void lease_attempt_forget_list(struct lease_attempt *attempt)
{
    request_abandon(attempt->base.children);
    attempt->base.children = NULL;
    for (size_t i = 0; i <= attempt->wanted; i++) {
        struct lock_node *node = own_node(attempt, i);
        if (node != NULL && lock_node_awaits_answer(node)) {
            node->znode->doubtful = true; /* what was asked for is not known */
        }
        if (node != NULL) {
            lock_node_forget_answer(node);
        }
    }
}

/* A list has only names: asks whether a node is ours, unless that is known. False: out of memory. */
static bool ask_about_node(const struct lease_attempt *attempt, struct lock_node *node)
{
    struct wait_group *group = &attempt->base.call->requests;
    bool room =
        node->watch.entry != NULL || !watch_too_many(attempt->base.session, node->znode->path, WATCH_WAITERS_BYTES);
    if (node->watch_set) {
        return true;
    }
    if (attempt->waits && room) {
        return lock_node_set_watch(node, group);
    }
    return lock_node_is_known(node) || lock_node_look(node, group);
}

/* The looks come behind the list: a node that is ours then was ours when it was listed. */
static bool ask_for_list(struct lease_attempt *attempt)
{
    struct attempt *base = &attempt->base;
    const char *path = base->mutex->full_path;
    base->look_again = false; /* before it is sent: what happens from now on is not in it */
    base->own_node_touched = false;
    base->call->waiting_for = "the answer to getChildren";
    base->children = attempt->waits ? request_get_children_and_watch(base->session, &base->call->requests, path)
                                    : request_get_children(base->session, &base->call->requests, path);
    bool sent = base->children != NULL;
    for (size_t i = 0; sent && i < attempt->wanted; i++) {
        sent = ask_about_node(attempt, attempt->leases[i].node);
    }
    /* Without the lock the leases would be granted all the same. But others who wait beside us count our nodes, as we
     * count theirs, and nobody might ever be granted one. */
    return sent && (!attempt->waits || ask_about_node(attempt, attempt->lock.node));
}

static bool any_unknown(const struct lease_attempt *attempt)
{
    for (size_t i = 0; i < attempt->wanted; i++) {
        if (!lock_node_is_known(attempt->leases[i].node)) {
            return true;
        }
    }
    return false;
}

/* *sync: if the leader has not answered for a while, a grant by this list needs a sign of life from it. */
static curator_status send_list(struct lease_attempt *attempt, struct request **sync)
{
    struct attempt *base = &attempt->base;
    *sync = NULL;
    if (base->children != NULL && base->children->rc == ZOK && any_unknown(attempt)) {
        lease_attempt_forget_list(attempt); /* creating took long */
    }
    bool sent = base->children != NULL || ask_for_list(attempt);
    bool refused = sent && base->children->finished && base->children->rc != ZOK;
    if (sent && !refused && !session_lease_fresh(base->session)) {
        *sync = request_sync(base->session, &base->call->requests, base->mutex->full_path);
        sent = *sync != NULL;
    }
    return sent ? CURATOR_OK : call_fail(base->call, CURATOR_NO_MEMORY, "no memory for a request");
}

/* A result code for all the answers together. */
static int list_rc(const struct lease_attempt *attempt, const struct request *sync)
{
    int rc = attempt->base.children->rc;
    if (rc == ZOK && sync != NULL && result_code_outcome_unknown(sync->rc)) {
        rc = sync->rc;
    }
    for (size_t i = 0; rc == ZOK && i <= attempt->wanted; i++) {
        const struct lock_node *node = own_node(attempt, i);
        int answer = lock_node_answer(node);
        rc = result_code_outcome_unknown(answer) ? answer : lock_node_is_gone(node) ? ZNONODE : ZOK;
    }
    return rc;
}

static bool any_gone(const struct lease_attempt *attempt)
{
    for (size_t i = 0; i <= attempt->wanted; i++) {
        if (lock_node_is_gone(own_node(attempt, i))) {
            return true;
        }
    }
    return false;
}

static bool is_listed(const struct name_list *children, const char *path)
{
    const char *name = strrchr(path, '/') + 1;
    for (size_t i = 0; i < children->count; i++) {
        if (strcmp(children->names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static bool all_listed(const struct lease_attempt *attempt)
{
    for (size_t i = 0; i < attempt->wanted; i++) {
        if (!is_listed(attempt->base.children->children, attempt->leases[i].node->znode->path)) {
            return false;
        }
    }
    return true;
}

curator_status lease_attempt_await_list(struct lease_attempt *attempt)
{
    struct attempt *base = &attempt->base;
    for (;;) {
        if (session_is_dead(base->session) || any_gone(attempt)) {
            return attempt_restart(base, session_is_dead(base->session) ? base->session->death : ZNONODE);
        }
        struct request *sync;
        curator_status status = send_list(attempt, &sync);
        if (status == CURATOR_OK) {
            status = call_await_requests(base->call);
        }
        int rc = status == CURATOR_OK ? list_rc(attempt, sync) : ZOK;
        request_abandon(sync);
        if (status == CURATOR_OK && rc == ZOK && !base->own_node_touched) {
            return all_listed(attempt) ? CURATOR_OK : attempt_restart(base, ZNONODE);
        }
        lease_attempt_forget_list(attempt);
        if (status == CURATOR_OK && rc != ZOK) {
            status = result_code_outcome_unknown(rc) ? attempt_reconnect(base, rc)
                                                     : attempt_judge(base, "getChildren", base->mutex->full_path, rc);
        }
        if (status != CURATOR_OK) {
            return status;
        }
    }
}

curator_status lease_attempt_begin_waiting(struct lease_attempt *attempt)
{
    struct session *session = attempt->base.session;
    const char *path = attempt->base.mutex->full_path;
    attempt->waits = true;
    if (watch_too_many(session, path, WATCH_MAX_BYTES)) {
        return call_fail(attempt->base.call, CURATOR_ERROR,
                         "too many nodes are watched in one session (%zu bytes of paths); wait for fewer locks at "
                         "once, or open another framework",
                         session->watched_bytes);
    }
    return watch_add(session, &attempt->watch, path)
               ? CURATOR_OK
               : call_fail(attempt->base.call, CURATOR_NO_MEMORY, "no memory for a watch");
}

void attempt_node_delete(struct attempt_node *node)
{
    bool known = lock_node_is_known(node->node);
    struct protected_node *znode = lock_node_end(node->node);
    node->node = NULL;
    if (!known) {
        znode->doubtful = true; /* so that it is looked at before it is deleted */
    }
    guaranteed_delete(znode);
}
