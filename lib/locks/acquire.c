/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The acquire loop. An attempt that becomes void returns LOCK_RESTART; the next one starts over with a new node, inside
 * the same deadline and the same retry budget.
 *
 * No wake-up is missed: watches and session events change the attempt and wake its call under client->mutex, and the
 * attempt is looked at under the mutex before each wait.
 */
#include "locks/acquire.h"

#include "base/container_of.h"
#include "framework/guaranteed_delete.h"
#include "locks/attempt.h"
#include "locks/children.h"
#include "locks/lock_errors.h"
#include "locks/lock_trace.h"
#include "locks/node_name.h"
#include "locks/queue_watches.h"
#include "zk/result_code.h"
#include "zk/session_lease.h"

#include <stddef.h>
#include <string.h>

#define LONGEST_PAUSE_BEFORE_LOOKING_AHEAD (1 * NANOSECONDS_PER_MILLISECOND)
#define SHORT_LIST 50

static void attempt_look_again(struct attempt *attempt)
{
    attempt->look_again = true;
    call_wake(attempt->call);
}

static void attempt_on_watch(struct lock_node_owner *owner, enum watch_event event)
{
    struct attempt *attempt = container_of(owner, struct attempt, owner);
    if (event == WATCH_LOST) {
        return; /* the list after the reconnect says the rest */
    }
    attempt->own_node_touched = true;
    attempt_look_again(attempt);
}

static void attempt_on_session(struct lock_node_owner *owner, enum session_event event)
{
    struct attempt *attempt = container_of(owner, struct attempt, owner);
    if (event == SESSION_UNRESPONSIVE || event == SESSION_RESPONSIVE) {
        return; /* the connection lasted, so no event was missed; many lists at once could silence the server again */
    }
    /* The next server may lag: its view of our own node can be older than the last server's view of these. */
    predecessor_watch_reset(&attempt->predecessor);
    predecessor_watch_reset(&attempt->ahead);
    if (event != SESSION_DISCONNECTED) {
        attempt_look_again(attempt);
    }
}

/*
 * Whether the deletion of our predecessor makes us the owner, with no further request. A connection gets its events
 * and answers in the order of the transactions, so our node was still there when the predecessor was deleted:
 * otherwise its own watch, set before or in the same flight, would have fired first. Nobody else was before us, and
 * nobody can come to be. This does not hold if the predecessor belongs to our session: when a session ends, its nodes
 * are deleted in any order. And a session that the leader has not answered for a while needs a sign of life from it,
 * which comes with the next list. docs/protocol.md, "Granted without a request", has the whole argument.
 */
static bool is_our_turn(const struct attempt *attempt)
{
    return attempt->mutex->driver->append_only && attempt->before == 1 && attempt->predecessor.gone &&
           attempt->predecessor.owner != attempt->session->id && attempt->node->watch_set && !attempt->look_again &&
           attempt->children == NULL && session_lease_fresh(attempt->session);
}

/* Two were before us, and the first was deleted: only the predecessor is left, as another list would say. A list that
 * is on its way says it itself: it may show a node that an operator has created again under the same name. */
static void count_down(struct attempt *attempt)
{
    if (attempt->children == NULL && attempt->ahead.gone && attempt->before == 2 &&
        attempt->ahead.owner != attempt->session->id) {
        attempt->before = 1;
        predecessor_watch_discard(&attempt->ahead);
    }
}

/*
 * On the thread that brings the event. While our own thread waits for just that, all answers are in and nobody else
 * touches the attempt. When the predecessor was deleted and we do not own by that alone, the list is asked for here,
 * and its answer wakes our thread.
 */
static void attempt_on_predecessor(struct attempt *attempt, enum watch_event event)
{
    if (event != WATCH_DELETED) {
        attempt->look_again = true; /* changed: as in Curator, we list the children again */
    }
    if (attempt->waiting && attempt->children == NULL) {
        count_down(attempt);
        if (attempt->predecessor.gone && !is_our_turn(attempt) && session_usable(attempt->session) &&
            session_lease_fresh(attempt->session)) {
            children_ask(attempt);
        }
    }
    if (attempt->children == NULL || attempt->children->finished) {
        call_wake(attempt->call);
    }
}

/* Our place in attempt->children. A long list is searched without the mutex: it and our name do not change. */
static curator_status read_position(struct attempt *attempt, struct lock_position *position)
{
    const struct name_list *children = attempt->children->children;
    bool is_long = children->count > SHORT_LIST;
    const char *own_name = strrchr(attempt->node->znode->path, '/') + 1;
    const struct lock_driver *driver = attempt->mutex->driver;
    bool first = attempt->queued_at == 0;
    attempt->predecessor.gone = attempt->ahead.gone = false; /* a node in the list exists, or is read again */
    if (is_long) {
        framework_unlock(attempt->mutex->framework);
    }
    *position = lock_driver_position(driver, children->names, children->count, own_name);
    bool wrapped = node_name_sequence_wrapped(own_name, driver->lock_name);
    const char *other = first ? lock_driver_other_kind(driver, children->names, children->count) : NULL;
    if (is_long) {
        framework_lock(attempt->mutex->framework);
    }
    if (other != NULL) {
        mutex_note_other_kind(attempt->mutex, other);
    }
    if (wrapped) {
        return call_fail(attempt->call, CURATOR_ERROR,
                         "the sequence numbers of this path are used up (our node is %s), and the order of its nodes "
                         "means nothing any more; delete the empty directory, so that it is created anew",
                         own_name);
    }
    if (!position->found) {
        return attempt_restart(attempt, ZNONODE);
    }
    attempt->before = position->index;
    if (first) {
        attempt->queued_at = clock_now();
        attempt->queued_behind = position->index;
        if (position->index > 0) {
            framework_log(attempt->mutex->framework, CURATOR_LOG_DEBUG,
                          "acquire %s: queued behind %s, with %zu before us in all", attempt->mutex->path,
                          position->predecessor, position->index);
        }
    }
    return CURATOR_OK;
}

/* Our place in a list that is newer than the last event about our own node. */
static curator_status find_position(struct attempt *attempt, struct lock_position *position)
{
    for (;;) {
        curator_status status = children_await(attempt);
        if (status == CURATOR_OK) {
            status = read_position(attempt, position);
        }
        if (status != CURATOR_OK || position->index > 0) {
            return status;
        }
        if (!attempt->own_node_touched) {
            return session_is_dead(attempt->session) ? attempt_restart(attempt, attempt->session->death) : CURATOR_OK;
        }
        children_forget(attempt); /* our node may have been deleted since the list was made */
    }
}

/* When to do something about the children; clock_now() or NEVER. */
static int64_t next_look(const struct attempt *attempt)
{
    if (attempt->children != NULL && !attempt->look_again) {
        return attempt->children->finished ? 0 : NEVER; /* asked for already; the answer wakes us */
    }
    if (attempt->look_again || attempt->predecessor.gone) {
        return 0;
    }
    if (attempt->ahead.gone) {
        /* The same moment gives the lock to our predecessor, whose machine and server have enough to do with that. */
        int64_t pause = attempt->mutex->handoff_interval / 4;
        return attempt->ahead.gone_at +
               (pause < LONGEST_PAUSE_BEFORE_LOOKING_AHEAD ? pause : LONGEST_PAUSE_BEFORE_LOOKING_AHEAD);
    }
    /* Without a connection no list can come; the call is woken when it is back. */
    return attempt->in_fast_queue && session_usable(attempt->session) ? fast_queue_until(attempt) : NEVER;
}

/* Until it is our turn, or the children have to be listed again. */
static curator_status wait_for_event(struct attempt *attempt)
{
    attempt->call->retries = 0; /* queued: what fails from now on is a new failure */
    for (;;) {
        count_down(attempt);
        int64_t until = next_look(attempt);
        if (until == 0 || clock_now() >= until) {
            break;
        }
        curator_status status = attempt_check_predecessor(attempt);
        if (status == CURATOR_OK) {
            if (attempt->children == NULL) { /* else for the list, as is said already */
                attempt->call->waiting_for = waiting_for_text(attempt);
            }
            attempt->waiting = true;
            status = call_wait(attempt->call, until);
            attempt->waiting = false;
        }
        if (status != CURATOR_OK) {
            return status;
        }
    }
    return session_is_dead(attempt->session) ? attempt_restart(attempt, attempt->session->death) : CURATOR_OK;
}

/*
 * A node of ours that is being deleted is nobody else, so also an attempt that does not wait for others waits until it
 * is gone. It can be in a list that is older than its delete's answer, so what counts is an answer about the node: an
 * existing node whose delete was answered later has fired its watch before.
 */
static curator_status check_try(const struct attempt *attempt)
{
    curator_status status = attempt_check_predecessor(attempt);
    if (status != CURATOR_OK || attempt->predecessor.gone || attempt_predecessor_is_leaving(attempt)) {
        return status;
    }
    return fail_held(attempt, strrchr(attempt->predecessor.path, '/') + 1, attempt->before);
}

/* Compare LockInternals.internalLockLoop(). */
static curator_status wait_for_turn(struct attempt *attempt)
{
    for (;;) {
        struct lock_position position;
        curator_status status = find_position(attempt, &position);
        if (status != CURATOR_OK || position.index == 0) {
            return status;
        }
        if (attempt->once && !attempt->behind_own) {
            return fail_held(attempt, position.predecessor, position.index);
        }
        status = queue_watches_set(attempt, &position);
        children_forget(attempt);
        if (status == CURATOR_OK && attempt->once) {
            status = check_try(attempt);
        }
        if (status == CURATOR_OK) {
            status = wait_for_event(attempt);
        }
        if (status != CURATOR_OK || is_our_turn(attempt)) {
            return status;
        }
    }
}

/*
 * Reading under our own write lock: its node takes the writer's sequence, so that no writer queued meanwhile owns the
 * lock before it is deleted (CURATOR-621). Nobody is waited for, as long as the writer's node still exists and is still
 * ours: seen in an answer that is newer than the reader's node. From there on the writer's place is ours.
 */
static curator_status downgrade_acquire(struct attempt *attempt)
{
    curator_status status = children_await(attempt);
    if (status != CURATOR_OK) {
        return status;
    }
    lock_data_judge(attempt->write_lock, attempt->children);
    return lock_data_is_lost(attempt->write_lock) ? attempt_restart(attempt, ZNONODE) : CURATOR_OK;
}

/* A session whose lease is over, or about to be, cannot be granted a lock: it is looked at again with a new lease. */
static curator_status await_grant(struct attempt *attempt)
{
    for (;;) {
        curator_status status = attempt->write_lock != NULL ? downgrade_acquire(attempt) : wait_for_turn(attempt);
        if (status != CURATOR_OK || attempt_lease_suffices(attempt)) {
            return status;
        }
        status = attempt_await_lease(attempt);
        children_forget(attempt); /* it is old by now */
        if (status != CURATOR_OK) {
            return status;
        }
    }
}

static curator_status attempt_begin(struct attempt *attempt)
{
    curator_status status = call_await_session(attempt->call, &attempt->session);
    if (status != CURATOR_OK) {
        return status;
    }
    attempt->owner = (struct lock_node_owner){.on_watch = attempt_on_watch, .on_session = attempt_on_session};
    predecessor_watch_init(&attempt->predecessor, attempt->session, attempt, attempt_on_predecessor);
    predecessor_watch_init(&attempt->ahead, attempt->session, attempt, attempt_on_predecessor);
    attempt->behind_own = attempt->once && guaranteed_delete_any(attempt->mutex->framework, attempt->mutex->full_path);
    attempt->write_lock = lock_data_of_write_side(attempt->mutex);
    const char *writer = attempt->write_lock != NULL ? attempt->write_lock->node->znode->path : NULL;
    attempt->node = lock_node_new(attempt->mutex, attempt->session, writer, &attempt->owner);
    return attempt->node != NULL ? attempt_create_node(attempt)
                                 : call_fail(attempt->call, CURATOR_NO_MEMORY, "no memory for a node");
}

static void attempt_delete_node(struct attempt *attempt, curator_status status)
{
    struct protected_node *node = lock_node_end(attempt->node);
    protected_node_ref(node);
    guaranteed_delete(node);
    if (status != LOCK_RESTART && session_usable(node->session)) { /* another attempt need not wait for it */
        guaranteed_delete_await(node, attempt->call, clock_after(clock_now(), CLEAN_UP_MS));
    }
    protected_node_unref(node);
}

static void report_granted(const struct attempt *attempt, bool by_watch)
{
    const char *how = by_watch ? "by the watch on the node before ours" : "by a list of the nodes";
    framework_log(attempt->mutex->framework, CURATOR_LOG_DEBUG, "acquire %s: granted after %.3f ms: %s; ours is %s",
                  attempt->mutex->path, clock_ms_since(attempt->call->started),
                  attempt->write_lock != NULL ? "under our write lock" : how, attempt->node->znode->path);
}

static void trace_wait(const struct attempt *attempt, curator_status status)
{
    if (attempt->queued_behind > 0 && !attempt->once) {
        lock_trace(attempt->mutex,
                   (curator_trace){.event = CURATOR_TRACE_WAIT,
                                   .status = status == LOCK_RESTART ? result_code_status(attempt->rc) : status,
                                   .queued_behind = attempt->queued_behind},
                   attempt->queued_at, attempt->session);
    }
}

/* CURATOR_OK: hands out the node. */
static curator_status attempt_end(struct attempt *attempt, curator_status status, struct lock_node **node)
{
    if (attempt->session == NULL) {
        return status;
    }
    attempt->call->waiting_for = "another attempt"; /* not the predecessor's path, which is freed */
    predecessor_watch_discard(&attempt->predecessor);
    predecessor_watch_discard(&attempt->ahead);
    trace_wait(attempt, status);
    bool by_watch = attempt->children == NULL;
    if (attempt->node != NULL) {
        children_forget(attempt);
    }
    if (status == CURATOR_OK) {
        const struct lock_data *write_lock = attempt->write_lock;
        attempt->node->token = write_lock != NULL ? write_lock->node->token : attempt->node->znode->czxid;
        queue_watches_note_interval(attempt);
        report_granted(attempt, by_watch);
        *node = attempt->node;
    } else if (attempt->node != NULL) {
        attempt_delete_node(attempt, status);
    }
    session_unref(attempt->session);
    return status;
}

/* Compare LockInternals.attemptLock(). */
curator_status acquire_lock(struct curator_mutex *mutex, struct call *call, bool once, struct lock_node **node)
{
    for (;;) {
        struct attempt attempt = {.mutex = mutex, .call = call, .once = once};
        curator_status status = attempt_begin(&attempt);
        if (status == CURATOR_OK) {
            status = await_grant(&attempt);
        }
        status = attempt_end(&attempt, status, node);
        if (status != LOCK_RESTART) {
            return status;
        }
        status = call_retry(call, attempt.rc);
        if (status != CURATOR_OK) {
            return status;
        }
    }
}
