/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the background does for a discarded node. It is driven by three things only: completions, the reconnecting of
 * its session, and the timer thread after a pause. The node's own session is the only one that it is deleted in; when
 * that is over, so is the node.
 */
#include "framework/guaranteed_delete.h"

#include "base/clock.h"
#include "base/container_of.h"
#include "base/log.h"
#include "zk/result_code.h"

#include <stddef.h>

#define FIRST_PAUSE_MS 20
#define LONGEST_PAUSE_DOUBLINGS 6 /* 1.28 s */

static void finish(struct protected_node *node)
{
    node->gone = true;
    session_forget(node->session, &node->observer);
    timer_cancel(&node->framework->client.timers, &node->retry);
    if (node->waiting != NULL) {
        call_wake(node->waiting);
    }
    protected_node_unref(node);
}

static void end_with_session(struct protected_node *node)
{
    node->ended_with_session = true;
    finish(node);
}

static void refuse(struct protected_node *node, int rc)
{
    node->refused = rc;
    log_line(&node->framework->client.settings.logger, CURATOR_LOG_ERROR, "delete of %s is refused: %s",
             node->path != NULL ? node->path : node->prefix, result_code_text(rc));
    finish(node);
}

static void pause_then_advance(struct protected_node *node)
{
    int doublings = node->failures < LONGEST_PAUSE_DOUBLINGS ? node->failures : LONGEST_PAUSE_DOUBLINGS;
    node->failures++;
    timer_schedule(&node->framework->client.timers, &node->retry,
                   clock_after(clock_now(), FIRST_PAUSE_MS << doublings));
}

/* After an answer that decides nothing: at once when the connection is back, or after a pause if it never went. */
static void again(struct protected_node *node)
{
    if (session_usable(node->session)) {
        pause_then_advance(node);
    } else {
        guaranteed_delete_advance(node);
    }
}

/* Whether asking again would only get the same answer. */
static bool is_final(int rc)
{
    return rc == ZNOAUTH || rc == ZBADARGUMENTS;
}

static void on_deleted(struct request *request, void *context)
{
    struct protected_node *node = context;
    node->busy = false;
    if (request->rc == ZOK) {
        finish(node);
    } else if (result_code_session_over(request->rc)) {
        end_with_session(node);
    } else if (request->rc == ZNONODE) {
        node->was_missing = node->deletes == 1;
        finish(node);
    } else if (is_final(request->rc)) {
        refuse(node, request->rc);
    } else {
        again(node);
    }
    protected_node_unref(node);
}

static void on_searched(struct request *request, void *context)
{
    struct protected_node *node = context;
    node->busy = false;
    if (request->rc == ZNONODE) {
        finish(node);
    } else if (result_code_session_over(request->rc)) {
        end_with_session(node);
    } else if (request->rc == ZOK && protected_node_found(node, request->children)) {
        node->doubtful = true; /* found by its name only */
        guaranteed_delete_advance(node);
    } else if (is_final(request->rc)) {
        refuse(node, request->rc);
    } else {
        again(node);
    }
    protected_node_unref(node);
}

/* The answer to whether it is still ours. */
static void on_looked(struct request *request, void *context)
{
    struct protected_node *node = context;
    node->busy = false;
    if (result_code_session_over(request->rc)) {
        end_with_session(node);
    } else if (!protected_node_stands(node, request)) {
        node->was_missing = node->deletes == 0;
        finish(node);
    } else if (request->rc == ZOK || is_final(request->rc)) {
        node->doubtful = false; /* or not to be known; what happens from now on is told after this answer */
        guaranteed_delete_advance(node);
    } else {
        again(node);
    }
    protected_node_unref(node);
}

static void follow(struct protected_node *node, struct request *request,
                   void (*on_finished)(struct request *request, void *context))
{
    node->busy = request != NULL;
    if (!protected_node_follow(node, request, on_finished)) {
        pause_then_advance(node); /* no memory now */
    }
}

void guaranteed_delete_advance(struct protected_node *node)
{
    if (node->gone || node->busy || node->create_state == NODE_SENT) {
        return;
    }
    if (node->create_state == NODE_ABSENT) {
        finish(node);
        return;
    }
    if (session_is_dead(node->session)) {
        end_with_session(node);
        return;
    }
    if (!session_usable(node->session)) {
        return; /* the observer goes on when it is */
    }
    if (node->create_state == NODE_UNKNOWN) {
        request_abandon(request_sync(node->session, NULL, node->parent)); /* so that no lagging server hides it */
        follow(node, request_get_children(node->session, NULL, node->parent), on_searched);
    } else if (node->doubtful) {
        follow(node, request_exists(node->session, NULL, node->path), on_looked);
    } else {
        node->deletes++;
        follow(node, request_delete(node->session, NULL, node->path), on_deleted);
    }
}

static void on_session(struct session_observer *observer, enum session_event event)
{
    struct protected_node *node = container_of(observer, struct protected_node, observer);
    if (event == SESSION_DISCONNECTED) {
        node->doubtful = true; /* its name may be another's by the time of the next connection */
        return;
    }
    if (event == SESSION_CONNECTED || event == SESSION_RESPONSIVE) {
        node->failures = 0;
        timer_cancel(&node->framework->client.timers, &node->retry);
    }
    guaranteed_delete_advance(node);
}

static void on_retry(struct timer *timer)
{
    guaranteed_delete_advance(container_of(timer, struct protected_node, retry));
}

void guaranteed_delete_init(struct protected_node *node)
{
    node->observer.changed = on_session;
    node->retry.run = on_retry;
}

void protected_node_discard(struct protected_node *node)
{
    node->discarded = true;
    session_observe(node->session, &node->observer);
    guaranteed_delete_advance(node);
}

bool protected_node_await_gone(struct protected_node *node, struct call *call, int64_t until)
{
    /* Not call_wait(): this is also the clean-up after a call whose time is over or that was interrupted. */
    const struct client *client = call->client;
    call->waiting_for = "the answer to delete";
    node->waiting = call;
    while (!node->gone && clock_now() < until && !client->sessions.closing) {
        if (call->interrupted || call->owner_closed) {
            int64_t soon = clock_after(clock_now(), CLEAN_UP_MS);
            until = soon < until ? soon : until;
            call->interrupted = false;
            call->owner_closed = false;
        }
        condition_wait_until(&call->waker->condition, &call->client->mutex, until);
    }
    node->waiting = NULL;
    return node->gone;
}
