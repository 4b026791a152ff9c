/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The acquire loop. When an attempt is void, the next one starts over with a new node,
 * inside the same deadline and the same retry budget.
 */
#include "locks/lock_internals.h"

#include "base/container_of.h"
#include "locks/attempt.h"
#include "locks/downgrade.h"
#include "locks/queue.h"
#include "zk/session_lease.h"

#include <stddef.h>

static void on_session(struct session_observer *observer, enum session_event event)
{
    queue_session_changed(container_of(observer, struct attempt, observer), event);
}

/*
 * No waiting behind anyone, as long as the writer's node is still there and still the writer's: seen in an answer that
 * is newer than our own node. From there on the writer's place is ours.
 */
static curator_status downgrade_acquire(struct attempt *attempt)
{
    curator_status status = attempt_list_children(attempt);
    if (status != CURATOR_OK || attempt->restart != ZOK) {
        return status;
    }
    lock_data_looked(attempt->write_hold, attempt->children);
    if (lock_data_is_lost(attempt->write_hold)) {
        attempt->restart = ZNONODE;
    }
    return CURATOR_OK;
}

/* How fast the queue has moved: what the next attempt does by. */
static void note_handoff_interval(const struct attempt *attempt)
{
    if (attempt->queued_behind > 0) {
        int64_t handoff_interval = (clock_now() - attempt->queued_at) / (int64_t)attempt->queued_behind;
        int64_t before = attempt->mutex->handoff_interval;
        attempt->mutex->handoff_interval = before == 0 ? handoff_interval : (3 * before + handoff_interval) / 4;
    }
}

static void clean_up(struct attempt *attempt, curator_status status)
{
    struct protected_node *node = attempt->node;
    if (status == CURATOR_OK) {
        protected_node_discard(node); /* another attempt follows and need not wait for this */
        return;
    }
    protected_node_ref(node);
    protected_node_discard(node);
    if (session_usable(node->session)) {
        protected_node_await_gone(node, attempt->call, clock_after(clock_now(), CLEAN_UP_MS));
    }
    protected_node_unref(node);
}

/* A grant in a session whose lease is over, or about to be, is none: what was seen is looked at again with a new one. */
static curator_status await_turn(struct attempt *attempt)
{
    for (;;) {
        curator_status status = attempt->write_hold != NULL ? downgrade_acquire(attempt) : queue_await_turn(attempt);
        if (status != CURATOR_OK || attempt->restart != ZOK || session_lease_secure(attempt->session)) {
            return status;
        }
        status = attempt_await_renewal(attempt);
        if (status != CURATOR_OK || attempt->restart != ZOK) {
            return status;
        }
    }
}

/* CURATOR_OK with *restart ZOK: won, and *node handed out. */
static curator_status attempt_run(struct curator_mutex *mutex, struct call *call, bool once, struct session *session,
                                  struct protected_node **node, bool *watched, int *restart)
{
    struct attempt attempt = {
        .mutex = mutex, .call = call, .session = session, .once = once, .observer = {.changed = on_session}};
    queue_init(&attempt);
    attempt.write_hold = downgrade_write_lock_data(mutex);
    attempt.node = downgrade_node(mutex, session, attempt.write_hold);
    if (attempt.node == NULL) {
        return call_fail(call, CURATOR_NO_MEMORY, "no memory for a node");
    }
    session_observe(session, &attempt.observer);
    curator_status status = attempt_create_node(&attempt);
    if (status == CURATOR_OK && attempt.restart == ZOK) {
        status = await_turn(&attempt);
    }
    session_forget(session, &attempt.observer);
    queue_leave(&attempt);
    attempt_forget_children(&attempt);
    *restart = attempt.restart;
    *watched = attempt.own_watch_set;
    if (status == CURATOR_OK && attempt.restart == ZOK) {
        attempt.node->token = attempt.write_hold != NULL ? attempt.write_hold->node->token : attempt.node->czxid;
        *node = attempt.node;
        note_handoff_interval(&attempt);
    } else {
        clean_up(&attempt, status);
    }
    call->waiting_for = "another attempt";
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
        session_unref(session);
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
