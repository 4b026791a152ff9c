/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An attempt's place in the queue. No wake-up is missed: watches and session events change the attempt and wake its call
 * under the client's mutex, and the attempt is looked at under the mutex before each wait.
 */
#include "locks/queue.h"

#include "base/container_of.h"
#include "locks/lock_driver.h"
#include "locks/node_name.h"
#include "locks/revocation.h"
#include "locks/watch_limits.h"
#include "zk/result_code.h"
#include "zk/session_lease.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A queue that moves faster than this is limited by its server: there, fewer requests are worth more than knowing
 * beforehand. */
#define FAST_QUEUE_BELOW (1 * NANOSECONDS_PER_MILLISECOND)
#define FAST_QUEUE_EXTRA_MS 20
#define SHORT_LIST 50
#define LONGEST_PAUSE_BEFORE_LOOKING_AHEAD (1 * NANOSECONDS_PER_MILLISECOND)

static void look_again(struct attempt *attempt)
{
    attempt->look_again = true;
    call_wake(attempt->call);
}

static void on_own_node(struct watcher *watcher, enum watch_event event)
{
    struct attempt *attempt = container_of(watcher, struct attempt, own_watch);
    attempt->own_watch_set = false;
    attempt->own_node_touched = true;
    if (event == WATCH_DELETED) {
        protected_node_vanished(attempt->node);
    } else {
        attempt->node->doubtful = true; /* what happens to it from now on is not told */
    }
    look_again(attempt);
}

void queue_leave(struct attempt *attempt)
{
    predecessor_watch_discard(&attempt->predecessor);
    predecessor_watch_discard(&attempt->ahead);
    watch_remove(attempt->session, &attempt->own_watch);
    attempt->call->waiting_for = "the end of the attempt"; /* not for a path that is freed */
}

void queue_session_changed(struct attempt *attempt, enum session_event event)
{
    if (event == SESSION_UNRESPONSIVE || event == SESSION_RESPONSIVE) {
        return; /* no event was missed: if all waiters listed again after a silence, they would cause the next one */
    }
    attempt->own_watch_set = false;
    attempt->node->doubtful = true;
    attempt->predecessor.set = attempt->predecessor.gone = false; /* what the next server says of our own node */
    attempt->ahead.set = attempt->ahead.gone = false; /* can be older than what the last one said of these */
    if (event != SESSION_DISCONNECTED) {
        look_again(attempt);
    }
}

/* Who is before us in the newest list. A long one is scanned without the mutex: the list and our name do not change. */
static curator_status find_position(struct attempt *attempt, struct lock_position *position)
{
    const struct name_list *children = attempt->children->children;
    bool is_long = children->count > SHORT_LIST;
    const char *own_name = strrchr(attempt->node->path, '/') + 1;
    const struct lock_driver *driver = attempt->mutex->driver;
    attempt->predecessor.gone = attempt->ahead.gone = false; /* what is in the list is there; else it is read again */
    if (is_long) {
        framework_unlock(attempt->mutex->framework);
    }
    *position = lock_driver_position(driver, children->names, children->count, own_name);
    bool wrapped = node_name_sequence_wrapped(own_name, driver->lock_name);
    if (is_long) {
        framework_lock(attempt->mutex->framework);
    }
    if (wrapped) {
        return call_fail(attempt->call, CURATOR_ERROR,
                         "the sequence numbers of this path are used up (our node is %s), and the order of its nodes "
                         "means nothing any more; delete the empty directory, so that it is created anew",
                         own_name);
    }
    if (!position->found) {
        attempt->restart = ZNONODE;
        return CURATOR_OK;
    }
    attempt->before = position->index;
    if (attempt->queued_at == 0) {
        attempt->queued_at = clock_now();
        attempt->queued_behind = position->index;
    }
    return CURATOR_OK;
}

/* Until when an attempt goes without the watches that only pay in a slower queue; clock_now(). */
static int64_t fast_queue_until(const struct attempt *attempt)
{
    int64_t handoff_interval = attempt->mutex->handoff_interval;
    if (!attempt->mutex->driver->append_only || attempt->before < 2 || handoff_interval == 0 ||
        handoff_interval >= FAST_QUEUE_BELOW) {
        return 0;
    }
    return clock_after(attempt->queued_at + 2 * handoff_interval * (int64_t)attempt->queued_behind,
                       FAST_QUEUE_EXTRA_MS);
}

/* With room taken for the nodes to be watched. CURATOR_ERROR: the session could not watch them all again after a
 * reconnect. */
static curator_status check_watches(const struct attempt *attempt, size_t limit)
{
    if (attempt->session->watched_bytes <= limit) {
        return CURATOR_OK;
    }
    return call_fail(attempt->call, CURATOR_ERROR,
                     "too many nodes are watched in one session (%zu bytes of paths); wait for fewer locks at once, or "
                     "open another framework",
                     attempt->session->watched_bytes);
}

static int unknown_outcome(const struct request *request)
{
    return request != NULL && result_code_outcome_unknown(request->rc) ? request->rc : ZOK;
}

/* After the answers to the watches that were asked for; NULL: it was not. */
static curator_status take_answers(struct attempt *attempt, const struct request *own, const struct request *before,
                                   const struct request *ahead)
{
    predecessor_watch_answered(&attempt->predecessor, before);
    predecessor_watch_answered(&attempt->ahead, ahead);
    if (own != NULL) {
        attempt->own_watch_set = attempt->own_watch_set && own->rc == ZOK;
        if (!protected_node_stands(attempt->node, own)) {
            attempt->restart = ZNONODE;
            return CURATOR_OK;
        }
        if (own->rc == ZOK) {
            revocation_look(attempt->mutex, attempt->node, own);
        } else {
            attempt->node->doubtful = true; /* if only our own node may not be read, we go without that watch */
        }
    }
    int lost = unknown_outcome(own);
    lost = lost != ZOK ? lost : unknown_outcome(before);
    lost = lost != ZOK ? lost : unknown_outcome(ahead);
    if (lost != ZOK) {
        attempt->look_again = true;
        return attempt_reconnect(attempt, lost);
    }
    if (before != NULL && before->rc != ZOK && before->rc != ZNONODE) {
        return attempt_judge(attempt, "getData", attempt->predecessor.path, before->rc);
    }
    return CURATOR_OK;
}

/* Watches the nodes before us and, first, our own; in one flight, and only those not watched yet. */
static curator_status set_watches(struct attempt *attempt, const struct lock_position *position)
{
    struct call *call = attempt->call;
    size_t limit = attempt->own_watch.entry == NULL ? WATCH_WAITERS_BYTES : WATCH_MAX_BYTES;
    attempt->in_fast_queue = clock_now() < fast_queue_until(attempt);
    bool wants_own = !attempt->own_watch_set && !attempt->in_fast_queue;
    /* Reserve the watch now; its request may follow later. */
    if ((attempt->own_watch.entry == NULL && !watch_add(attempt->session, &attempt->own_watch, attempt->node->path)) ||
        !predecessor_watch_retarget(&attempt->predecessor, position->predecessor)) {
        return call_fail(call, CURATOR_NO_MEMORY, "no memory for a watch");
    }
    curator_status status = check_watches(attempt, limit);
    if (status != CURATOR_OK) {
        return status;
    }
    bool looks_ahead = position->ahead != NULL && attempt->mutex->driver->append_only && !attempt->in_fast_queue;
    if (!looks_ahead || !predecessor_watch_retarget(&attempt->ahead, position->ahead) ||
        attempt->session->watched_bytes > WATCH_WAITERS_BYTES) {
        predecessor_watch_discard(&attempt->ahead);
    }
    bool failed = false;
    struct request *own = NULL;
    if (wants_own) {
        attempt->own_watch_set = true; /* before it is sent, as above */
        attempt->node->doubtful = false;
        own = request_get_and_watch(attempt->session, &call->requests, attempt->node->path);
        failed = own == NULL;
    }
    struct request *before = predecessor_watch_send(&attempt->predecessor, &failed);
    struct request *ahead = predecessor_watch_send(&attempt->ahead, &failed);
    call->waiting_for = "the answer to getData";
    status = call_await_requests(call);
    if (own != NULL && (status != CURATOR_OK || failed)) {
        attempt->node->doubtful = true; /* its answer is not looked at */
    }
    if (status == CURATOR_OK) {
        status = failed ? call_fail(call, CURATOR_NO_MEMORY, "no memory for a request")
                        : take_answers(attempt, own, before, ahead);
    }
    request_abandon(own);
    request_abandon(before);
    request_abandon(ahead);
    return status;
}

/*
 * Whether the deletion of our predecessor makes us the owner, with no further request. A connection gets its events and
 * answers in the order of the transactions, so our node was still there when the predecessor went: else its own watch,
 * set before or in the same flight, had fired first. Nobody else was before us, and nobody can come to be. Not so for a
 * predecessor of our own session, whose nodes go together in any order when it ends; and a session that the leader has
 * not answered for a while wants a sign of life from there, which comes with the next list. docs/protocol.md has the
 * whole argument.
 */
static bool is_our_turn(const struct attempt *attempt)
{
    return attempt->mutex->driver->append_only && attempt->before == 1 && attempt->predecessor.gone &&
           attempt->predecessor.owner != attempt->session->id && attempt->own_watch_set && !attempt->look_again &&
           attempt->children == NULL && session_lease_fresh(attempt->session);
}

/* Two were before us, and the first has gone: the predecessor is the only one left, as another list would say. One that
 * is asked for already says it itself; an operator can make a name again, and the newest list is right. */
static void count_down(struct attempt *attempt)
{
    if (attempt->children == NULL && attempt->ahead.gone && attempt->before == 2 &&
        attempt->ahead.owner != attempt->session->id) {
        attempt->before = 1;
        predecessor_watch_discard(&attempt->ahead);
    }
}

/*
 * On the thread that brings the event. If our own thread waits for just that, all answers are in and nobody else touches
 * the attempt: when the predecessor goes and we do not own by that alone, the list is asked for here, and its answer
 * wakes our thread.
 */
static void on_predecessor(struct attempt *attempt)
{
    if (attempt->waiting && attempt->children == NULL) {
        count_down(attempt);
        if (attempt->predecessor.gone && !is_our_turn(attempt) && session_usable(attempt->session) &&
            session_lease_fresh(attempt->session)) {
            attempt_ask_for_children(attempt);
        }
    }
    if (attempt->children == NULL || attempt->children->finished) {
        call_wake(attempt->call);
    }
}

void queue_init(struct attempt *attempt)
{
    attempt->own_watch.fired = on_own_node;
    predecessor_watch_init(&attempt->predecessor, attempt, on_predecessor);
    predecessor_watch_init(&attempt->ahead, attempt, on_predecessor);
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
    /* A list can only be had while connected; whoever is not is woken by the connection. */
    return attempt->in_fast_queue && session_usable(attempt->session) ? fast_queue_until(attempt) : NEVER;
}

/* Until it is our turn, or the children have to be listed again. */
static curator_status wait_before_turn(struct attempt *attempt)
{
    attempt->call->retries = 0; /* queued: what fails from now on is a new failure */
    attempt->call->waiting_for = attempt->predecessor.path;
    for (;;) {
        count_down(attempt);
        int64_t until = next_look(attempt);
        if (until == 0 || clock_now() >= until) {
            break;
        }
        attempt->waiting = true;
        curator_status status = call_wait(attempt->call, until);
        attempt->waiting = false;
        if (status != CURATOR_OK) {
            return status;
        }
    }
    if (session_is_dead(attempt->session)) {
        attempt->restart = attempt->session->death;
    }
    return CURATOR_OK;
}

/* By the newest list. CURATOR_OK with *first: nobody is before us. */
static curator_status look(struct attempt *attempt, struct lock_position *position, bool *first)
{
    *first = false;
    for (;;) {
        curator_status status = attempt_list_children(attempt);
        if (status == CURATOR_OK && attempt->restart == ZOK) {
            status = find_position(attempt, position);
        }
        if (status != CURATOR_OK || attempt->restart != ZOK || position->index > 0) {
            return status;
        }
        if (!attempt->own_node_touched) {
            attempt->restart = session_is_dead(attempt->session) ? attempt->session->death : ZOK;
            *first = true;
            return CURATOR_OK;
        }
        attempt_forget_children(attempt); /* perhaps our node is gone since the list was made */
    }
}

curator_status queue_await_turn(struct attempt *attempt)
{
    for (;;) {
        struct lock_position position;
        bool first;
        curator_status status = look(attempt, &position, &first);
        if (status != CURATOR_OK || attempt->restart != ZOK || first) {
            return status;
        }
        if (attempt->once) {
            return call_fail(attempt->call, CURATOR_TIMED_OUT, "held by %s, and %zu before us in all",
                             position.predecessor, position.index);
        }
        status = set_watches(attempt, &position);
        attempt_forget_children(attempt);
        if (status == CURATOR_OK && attempt->restart == ZOK) {
            status = wait_before_turn(attempt);
        }
        if (status != CURATOR_OK || attempt->restart != ZOK || is_our_turn(attempt)) {
            return status;
        }
    }
}
