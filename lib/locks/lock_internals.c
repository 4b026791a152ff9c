/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The acquire loop: queueing, watching, and winning. When an attempt is void, the next one starts over with a new node,
 * inside the same deadline and the same retry budget.
 */
#include "locks/lock_internals.h"

#include "client/result_code.h"
#include "locks/attempt.h"
#include "locks/downgrade.h"
#include "locks/lock_driver.h"
#include "locks/node_name.h"
#include "locks/revocation.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static void look_again(struct attempt *attempt)
{
    attempt->look_again = true;
    call_wake(attempt->call);
}

static void on_predecessor(struct watcher *watcher, enum watch_event event)
{
    (void)event; /* changed or deleted: as Curator, we list the children again */
    look_again((struct attempt *)((char *)watcher - offsetof(struct attempt, predecessor_watch)));
}

static void on_own_node(struct watcher *watcher, enum watch_event event)
{
    (void)event;
    struct attempt *attempt = (struct attempt *)((char *)watcher - offsetof(struct attempt, own_watch));
    attempt->own_watch_set = false; /* used up */
    attempt->own_node_touched = true;
    look_again(attempt);
}

static void on_session(struct session_observer *observer, enum session_event event)
{
    if (event != SESSION_DISCONNECTED) {
        look_again((struct attempt *)((char *)observer - offsetof(struct attempt, observer)));
    }
}

/* After an answer that did not come: again in the same session, as soon as it is connected. */
static curator_status reconnect(struct attempt *attempt, int rc)
{
    curator_status status = call_retry(attempt->call, rc);
    if (status == CURATOR_OK) {
        status = call_await_reconnected(attempt->call, attempt->session);
    }
    if (status == CURATOR_SESSION_EXPIRED && attempt->session->dead) {
        attempt->restart = attempt->session->death;
        return CURATOR_OK;
    }
    return status;
}

static curator_status list_children(struct attempt *attempt)
{
    while (attempt->restart == ZOK) {
        if (attempt->children == NULL) {
            attempt->look_again = false; /* before it is sent: what happens from now on is not in it */
            attempt->own_node_touched = false;
            attempt->children = request_get_children(attempt->session, attempt->call, attempt->mutex->full_path);
            attempt->call->waiting_for = "the answer to getChildren";
        }
        if (attempt->children == NULL) {
            return call_fail(attempt->call, CURATOR_NO_MEMORY, "no memory for a request");
        }
        struct request *sync = NULL;
        if (!session_lease_fresh(attempt->session)) {
            /* Long queued: what wins by this list needs a sign of life that comes from the leader. */
            sync = request_sync(attempt->session, attempt->call, attempt->mutex->full_path);
            if (sync == NULL) {
                return call_fail(attempt->call, CURATOR_NO_MEMORY, "no memory for a request");
            }
        }
        curator_status status = call_await_requests(attempt->call);
        int rc = attempt->children->rc;
        if (status == CURATOR_OK && rc == ZOK && sync != NULL && result_code_outcome_unknown(sync->rc)) {
            rc = sync->rc;
        }
        request_abandon(sync);
        if (status != CURATOR_OK) {
            return status;
        }
        if (rc == ZOK) {
            return CURATOR_OK;
        }
        request_abandon(attempt->children);
        attempt->children = NULL;
        status = result_code_outcome_unknown(rc) ? reconnect(attempt, rc)
                                                 : attempt_judge(attempt, "getChildren", attempt->mutex->full_path, rc);
        if (status != CURATOR_OK) {
            return status;
        }
    }
    return CURATOR_OK;
}

/* Who is before us in the newest list. The scan runs without the mutex: the list and our name do not change. */
static curator_status find_position(struct attempt *attempt, struct lock_position *position)
{
    const struct name_list *children = attempt->children->children;
    const char *own_name = strrchr(attempt->node->path, '/') + 1;
    const struct lock_driver *driver = attempt->mutex->driver;
    framework_unlock(attempt->mutex->framework);
    *position = lock_driver_position(driver, children->names, children->count, own_name);
    bool wrapped = node_name_sequence_wrapped(own_name, driver->lock_name);
    framework_lock(attempt->mutex->framework);
    if (wrapped) {
        return call_fail(attempt->call, CURATOR_ERROR,
                         "the sequence numbers of this path are used up (our node is %s), and the order of its nodes "
                         "means nothing any more; delete the empty directory, so that it is created anew",
                         own_name);
    }
    if (!position->found) {
        attempt->restart = ZNONODE;
    }
    return CURATOR_OK;
}

/* CURATOR_ERROR: more nodes are watched in this session than it could watch again after a reconnect. */
static curator_status check_watches(const struct attempt *attempt)
{
    if (!watch_too_many(attempt->session, attempt->node->path, WATCH_WAITERS_BYTES)) {
        return CURATOR_OK;
    }
    return call_fail(attempt->call, CURATOR_ERROR,
                     "too many nodes are watched in one session (%zu bytes of paths); wait for fewer locks at once, or "
                     "open another framework",
                     attempt->session->watched_bytes);
}

static bool watch_predecessor(struct attempt *attempt, const char *name)
{
    const char *parent = attempt->mutex->full_path;
    watch_remove(attempt->session, &attempt->predecessor_watch);
    free(attempt->predecessor);
    attempt->predecessor = malloc(strlen(parent) + strlen(name) + 2);
    if (attempt->predecessor == NULL) {
        return false;
    }
    char *end = stpcpy(attempt->predecessor, parent);
    *end++ = '/';
    stpcpy(end, name);
    return watch_add(attempt->session, &attempt->predecessor_watch, attempt->predecessor) &&
           (attempt->own_watch.entry != NULL || watch_add(attempt->session, &attempt->own_watch, attempt->node->path));
}

/* Reads the predecessor and, if need be, ourselves in one flight; getData, so that no watch stays on a missing node. */
static curator_status set_watches(struct attempt *attempt, const char *predecessor)
{
    struct call *call = attempt->call;
    curator_status status = check_watches(attempt);
    if (status != CURATOR_OK) {
        return status;
    }
    if (!watch_predecessor(attempt, predecessor)) {
        return call_fail(call, CURATOR_NO_MEMORY, "no memory for a watch");
    }
    struct request *own = NULL;
    bool wants_own = !attempt->own_watch_set;
    if (wants_own) {
        attempt->own_watch_set = true; /* before it is sent: an event that uses it up says so */
        own = request_get_and_watch(attempt->session, call, attempt->node->path);
    }
    struct request *before = request_get_and_watch(attempt->session, call, attempt->predecessor);
    call->waiting_for = "the answer to getData";
    status = call_await_requests(call);
    if (status == CURATOR_OK && (before == NULL || (wants_own && own == NULL))) {
        status = call_fail(call, CURATOR_NO_MEMORY, "no memory for a request");
    } else if (status == CURATOR_OK) {
        int own_rc = wants_own ? own->rc : ZOK;
        attempt->own_watch_set = attempt->own_watch_set && own_rc == ZOK;
        if (wants_own && own_rc == ZOK) {
            revocation_look(attempt->mutex, attempt->node, own);
        }
        if (own_rc == ZNONODE) {
            attempt->restart = ZNONODE;
        } else if (result_code_outcome_unknown(own_rc) || result_code_outcome_unknown(before->rc)) {
            attempt->look_again = true;
            status = reconnect(attempt, result_code_outcome_unknown(own_rc) ? own_rc : before->rc);
        } else if (before->rc == ZNONODE) {
            attempt->look_again = true; /* gone before we could watch it */
        } else if (before->rc != ZOK) {
            status = attempt_judge(attempt, "getData", attempt->predecessor, before->rc);
        } /* else if only our own node may not be read, we go without that watch */
    }
    request_abandon(own);
    request_abandon(before);
    return status;
}

static curator_status wait_for_predecessor(struct attempt *attempt)
{
    attempt->call->retries = 0; /* queued: what fails from now on is a new failure */
    attempt->call->waiting_for = attempt->predecessor;
    while (!attempt->look_again) {
        curator_status status = call_wait(attempt->call, NEVER);
        if (status != CURATOR_OK) {
            return status;
        }
    }
    if (attempt->session->dead) {
        attempt->restart = attempt->session->death;
    }
    return CURATOR_OK;
}

/* CURATOR_OK: the node owns the lock, or the attempt is void. */
static curator_status queue_up(struct attempt *attempt)
{
    for (;;) {
        struct lock_position position;
        curator_status status = list_children(attempt);
        if (status == CURATOR_OK && attempt->restart == ZOK) {
            status = find_position(attempt, &position);
        }
        if (status != CURATOR_OK || attempt->restart != ZOK) {
            return status;
        }
        if (position.index == 0 && attempt->own_node_touched) {
            request_abandon(attempt->children); /* perhaps it is gone since the list was made */
            attempt->children = NULL;
            continue;
        }
        if (position.index == 0) {
            attempt->restart = attempt->session->dead ? attempt->session->death : ZOK;
            return CURATOR_OK;
        }
        if (attempt->once) {
            return call_fail(attempt->call, CURATOR_TIMED_OUT, "held by %s, and %zu before us in all",
                             position.predecessor, position.index);
        }
        status = set_watches(attempt, position.predecessor);
        request_abandon(attempt->children);
        attempt->children = NULL;
        if (status == CURATOR_OK && attempt->restart == ZOK) {
            status = wait_for_predecessor(attempt);
        }
        if (status != CURATOR_OK || attempt->restart != ZOK) {
            return status;
        }
    }
}

/*
 * No waiting behind anyone, as long as the writer's node is still there: seen in a list that is newer than our own
 * node. From there on the writer's place is ours.
 */
static curator_status ride(struct attempt *attempt, struct hold *riding)
{
    curator_status status = list_children(attempt);
    if (status != CURATOR_OK || attempt->restart != ZOK) {
        return status;
    }
    const struct name_list *children = attempt->children->children;
    const char *writer = strrchr(riding->node->path, '/') + 1;
    bool there = false;
    for (size_t i = 0; i < children->count && !there; i++) {
        there = strcmp(children->names[i], writer) == 0;
    }
    if (!there) {
        hold_lose(riding, "somebody deleted its node");
    }
    if (hold_is_lost(riding)) {
        attempt->restart = ZNONODE;
        return CURATOR_OK;
    }
    attempt->node->czxid = riding->node->czxid;
    return CURATOR_OK;
}

static void clean_up(struct attempt *attempt, curator_status status)
{
    struct protected_node *node = attempt->node;
    if (status == CURATOR_OK) {
        protected_node_discard(node); /* another attempt follows and need not wait for this */
        return;
    }
    protected_node_hold(node);
    protected_node_discard(node);
    if (session_usable(node->session)) {
        protected_node_await_gone(node, attempt->call, clock_after(clock_now(), CLEAN_UP_MS));
    }
    protected_node_let_go(node);
}

/* CURATOR_OK with *restart ZOK: won, and *node handed out. */
static curator_status attempt_run(struct curator_mutex *mutex, struct call *call, bool once, struct session *session,
                                  struct protected_node **node, bool *watched, int *restart)
{
    struct attempt attempt = {.mutex = mutex,
                              .call = call,
                              .session = session,
                              .once = once,
                              .predecessor_watch = {.fired = on_predecessor},
                              .own_watch = {.fired = on_own_node},
                              .observer = {.changed = on_session}};
    struct hold *riding = downgrade_write_hold(mutex);
    attempt.node = downgrade_node(mutex, session, riding);
    if (attempt.node == NULL) {
        return call_fail(call, CURATOR_NO_MEMORY, "no memory for a node");
    }
    session_observe(session, &attempt.observer);
    curator_status status = attempt_create_node(&attempt);
    if (status == CURATOR_OK && attempt.restart == ZOK) {
        status = riding != NULL ? ride(&attempt, riding) : queue_up(&attempt);
    }
    if (status == CURATOR_OK && attempt.restart == ZOK && session_lease_over(session)) {
        session_die(session, ZSESSIONEXPIRED); /* this process stood still after the server's answer */
        attempt.restart = ZSESSIONEXPIRED;
    }
    session_forget(session, &attempt.observer);
    watch_remove(session, &attempt.predecessor_watch);
    watch_remove(session, &attempt.own_watch);
    request_abandon(attempt.children);
    *restart = attempt.restart;
    *watched = attempt.own_watch_set;
    if (status == CURATOR_OK && attempt.restart == ZOK) {
        *node = attempt.node;
    } else {
        clean_up(&attempt, status);
    }
    call->waiting_for = "another attempt";
    free(attempt.predecessor);
    return status;
}

curator_status lock_internals_acquire(struct curator_mutex *mutex, struct call *call, bool once,
                                      struct protected_node **node, bool *watched)
{
    for (;;) {
        struct session *session;
        curator_status status = call_await_session(call, &session);
        if (status != CURATOR_OK) {
            return status;
        }
        int restart = ZOK;
        status = attempt_run(mutex, call, once, session, node, watched, &restart);
        session_let_go(session);
        if (status == CURATOR_OK && restart != ZOK) {
            status = call_retry(call, restart);
        } else {
            return status;
        }
        if (status != CURATOR_OK) {
            return status;
        }
    }
}
