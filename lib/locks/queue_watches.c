/* SPDX-License-Identifier: Apache-2.0 */
/* The watches that a queued attempt sets. */
#include "locks/queue_watches.h"

#include "locks/watch_limits.h"
#include "zk/result_code.h"

/* Below this interval between hand-offs the server is the bottleneck: the optional watches are skipped. */
#define FAST_QUEUE_BELOW (1 * NANOSECONDS_PER_MILLISECOND)
#define FAST_QUEUE_EXTRA_MS 20

int64_t fast_queue_until(const struct attempt *attempt)
{
    int64_t interval = attempt->mutex->handoff_interval;
    if (!attempt->mutex->driver->append_only || attempt->before < 2 || interval == 0 || interval >= FAST_QUEUE_BELOW) {
        return 0;
    }
    return clock_after(attempt->queued_at + 2 * interval * (int64_t)attempt->queued_behind, FAST_QUEUE_EXTRA_MS);
}

/* Takes room for the watches on the nodes before us and on our own, whose request may follow later. CURATOR_ERROR: more
 * than the session could set again after a reconnect. */
static curator_status reserve_watches(struct attempt *attempt, const struct lock_position *position)
{
    const char *parent = attempt->mutex->full_path;
    const size_t *bytes = &attempt->session->watched_bytes;
    size_t limit = attempt->node->watch.entry == NULL ? WATCH_WAITERS_BYTES : WATCH_MAX_BYTES;
    if (!lock_node_reserve_watch(attempt->node) ||
        !predecessor_watch_retarget(&attempt->predecessor, parent, position->predecessor)) {
        return call_fail(attempt->call, CURATOR_NO_MEMORY, "no memory for a watch");
    }
    if (*bytes > limit) {
        return call_fail(attempt->call, CURATOR_ERROR,
                         "too many nodes are watched in one session (%zu bytes of paths); wait for fewer locks at "
                         "once, or open another framework",
                         *bytes);
    }
    bool looks_ahead = position->ahead != NULL && attempt->mutex->driver->append_only && !attempt->in_fast_queue;
    if (!looks_ahead || !predecessor_watch_retarget(&attempt->ahead, parent, position->ahead) ||
        *bytes > WATCH_WAITERS_BYTES) {
        predecessor_watch_discard(&attempt->ahead);
    }
    return CURATOR_OK;
}

static int unknown_outcome(int rc)
{
    return result_code_outcome_unknown(rc) ? rc : ZOK;
}

/* Judges the answers to the watches on the nodes before us; NULL: not asked for. */
static curator_status take_answers(struct attempt *attempt, const struct request *before, const struct request *ahead)
{
    predecessor_watch_answered(&attempt->predecessor, before);
    predecessor_watch_answered(&attempt->ahead, ahead);
    if (lock_node_is_gone(attempt->node)) {
        if (attempt->own_node_touched) {
            attempt->call->retries = 0; /* it was deleted while it was queued: a new failure */
        }
        return attempt_restart(attempt, ZNONODE);
    }
    int lost = unknown_outcome(lock_node_answer(attempt->node));
    lost = lost == ZOK && before != NULL ? unknown_outcome(before->rc) : lost;
    lost = lost == ZOK && ahead != NULL ? unknown_outcome(ahead->rc) : lost;
    if (lost != ZOK) {
        attempt->look_again = true;
        return attempt_reconnect(attempt, lost);
    }
    if (before != NULL && before->rc != ZOK && before->rc != ZNONODE) {
        return attempt_judge(attempt, "getData", attempt->predecessor.path, before->rc);
    }
    return CURATOR_OK;
}

curator_status queue_watches_set(struct attempt *attempt, const struct lock_position *position)
{
    struct call *call = attempt->call;
    attempt->in_fast_queue = clock_now() < fast_queue_until(attempt);
    curator_status status = reserve_watches(attempt, position);
    if (status != CURATOR_OK) {
        return status;
    }
    bool wants_own = !attempt->node->watch_set && !attempt->in_fast_queue;
    bool failed = wants_own && !lock_node_set_watch(attempt->node, &call->requests);
    struct request *before = predecessor_watch_send(&attempt->predecessor, &call->requests, &failed);
    struct request *ahead = predecessor_watch_send(&attempt->ahead, &call->requests, &failed);
    call->waiting_for = "the answer to getData";
    status = call_await_requests(call);
    if (status == CURATOR_OK) {
        status = failed ? call_fail(call, CURATOR_NO_MEMORY, "no memory for a request")
                        : take_answers(attempt, before, ahead);
    }
    request_abandon(before);
    request_abandon(ahead);
    return status;
}

void queue_watches_note_interval(const struct attempt *attempt)
{
    if (attempt->queued_behind > 0) {
        int64_t interval = (clock_now() - attempt->queued_at) / (int64_t)attempt->queued_behind;
        int64_t before = attempt->mutex->handoff_interval;
        attempt->mutex->handoff_interval = before == 0 ? interval : (3 * before + interval) / 4;
    }
}
