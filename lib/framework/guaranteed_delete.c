/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deletes a protected node in the background. Three things drive it: completions, the reconnecting of the node's
 * session, and a timer after a pause. The node is deleted in its own session only; when that is over, so is the node.
 */
#include "framework/guaranteed_delete.h"

#include "base/backoff.h"
#include "base/clock.h"
#include "base/container_of.h"
#include "zk/result_code.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>
#include <utlist.h>

#define FIRST_PAUSE_MS 20
#define LONGEST_PAUSE_DOUBLINGS 6 /* 1.28 s */

static void guaranteed_delete_advance(struct protected_node *node);

static void set_deletion(struct protected_node *node, enum node_deletion deletion)
{
    assert(deletion == DELETION_PENDING ? node->deletion == DELETION_NONE : node->deletion == DELETION_PENDING);
    node->deletion = deletion;
}

/* Nothing is left to do, or nothing can be done. */
static void forget_deletion(struct protected_node *node)
{
    session_forget(node->session, &node->observer);
    DL_DELETE(node->framework->deletions, &node->entry);
    protected_node_unref(node);
}

static void end_deletion(struct protected_node *node, enum node_deletion outcome)
{
    set_deletion(node, outcome);
    framework_timer_cancel(node->framework, &node->retry);
    if (node->waiting != NULL) {
        call_wake(node->waiting);
    }
    if (outcome != DELETION_REFUSED) {
        forget_deletion(node);
    }
}

/*
 * It stays in the list, because its node stays on the server until the session ends: an acquire that meets the node
 * says why it cannot wait for it. So the list grows no faster than what is left there, each node of which blocks its
 * lock and is an ERROR line.
 */
static void delete_refused(struct protected_node *node, int rc)
{
    node->delete_rc = rc;
    framework_log(node->framework, CURATOR_LOG_ERROR, "delete of %s is refused: %s",
                  node->path != NULL ? node->path : node->prefix, result_code_text(rc));
    end_deletion(node, DELETION_REFUSED);
    framework_wake_calls(node->framework); /* one may wait for just this node to go */
}

static void delete_later(struct protected_node *node)
{
    int64_t pause = backoff_ms(FIRST_PAUSE_MS, node->failures++, LONGEST_PAUSE_DOUBLINGS);
    framework_timer_schedule(node->framework, &node->retry, clock_after(clock_now(), pause));
}

/* After an answer that decides nothing: as soon as the connection is back, or after a pause if it was not lost. */
static void delete_again(struct protected_node *node)
{
    if (session_usable(node->session)) {
        delete_later(node);
    } else {
        guaranteed_delete_advance(node);
    }
}

/* Whether asking again would only get the same answer. */
static bool is_final_refusal(int rc)
{
    return rc == ZNOAUTH || rc == ZBADARGUMENTS;
}

static void delete_on_answer(struct request *request, void *context)
{
    struct protected_node *node = context;
    enum deletion_step step = node->step;
    int rc = request->rc;
    bool missing = step == STEP_LOOK ? !protected_node_stands(node, request) : rc == ZNONODE;
    bool sent_before = node->deletes > (step == STEP_DELETE ? 1 : 0);
    node->step = STEP_NONE;
    if (result_code_session_over(rc)) {
        end_deletion(node, DELETION_SESSION_OVER);
    } else if (missing) {
        end_deletion(node, step == STEP_SEARCH || sent_before ? DELETION_DONE : DELETION_MISSING);
    } else if (step == STEP_DELETE && rc == ZOK) {
        end_deletion(node, DELETION_DONE);
    } else if (step == STEP_LOOK && (rc == ZOK || is_final_refusal(rc))) {
        node->doubtful = false; /* or it cannot be known; later events come after this answer, and set it again */
        guaranteed_delete_advance(node);
    } else if (step == STEP_SEARCH && rc == ZOK && protected_node_found(node, request->children)) {
        node->doubtful = true; /* found by its name only */
        guaranteed_delete_advance(node);
    } else if (is_final_refusal(rc)) {
        delete_refused(node, rc);
    } else {
        delete_again(node);
    }
    protected_node_unref(node);
}

/* Has the answer to the request (NULL: no memory) judged, with a reference to the node of its own. */
static void delete_follow(struct protected_node *node, enum deletion_step step, struct request *request)
{
    if (request == NULL) {
        delete_later(node);
        return;
    }
    node->step = step;
    protected_node_ref(node);
    request->on_finished = delete_on_answer;
    request->context = node;
    if (request->finished) {
        request->on_finished(request, node);
    }
    request_unref(request);
}

/* Takes the next step, if one can be taken now: search, look, delete, or end. May free the node. */
static void guaranteed_delete_advance(struct protected_node *node)
{
    if (node->deletion != DELETION_PENDING || node->step != STEP_NONE || node->state == NODE_SENT) {
        return;
    }
    if (node->state == NODE_ABSENT) {
        end_deletion(node, DELETION_DONE);
        return;
    }
    if (session_is_dead(node->session)) {
        end_deletion(node, DELETION_SESSION_OVER);
        return;
    }
    if (!session_usable(node->session)) {
        return; /* the observer goes on when it is */
    }
    if (node->state == NODE_UNKNOWN) {
        request_abandon(request_sync(node->session, NULL, node->parent)); /* so that no lagging server hides it */
        delete_follow(node, STEP_SEARCH, request_get_children(node->session, NULL, node->parent));
    } else if (node->doubtful) {
        delete_follow(node, STEP_LOOK, request_exists(node->session, NULL, node->path));
    } else {
        node->deletes++;
        delete_follow(node, STEP_DELETE, request_delete(node->session, NULL, node->path));
    }
}

static void delete_on_session(struct session_observer *observer, enum session_event event)
{
    struct protected_node *node = container_of(observer, struct protected_node, observer);
    if (node->deletion == DELETION_REFUSED) {
        if (event == SESSION_DIED) {
            forget_deletion(node);
        }
        return;
    }
    if (event == SESSION_DISCONNECTED) {
        node->doubtful = true; /* another node may have its name by the next connection */
        return;
    }
    if (event == SESSION_CONNECTED || event == SESSION_RESPONSIVE) {
        node->failures = 0;
        framework_timer_cancel(node->framework, &node->retry);
    }
    guaranteed_delete_advance(node);
}

static void delete_on_timer(struct timer *timer)
{
    guaranteed_delete_advance(container_of(timer, struct protected_node, retry));
}

void guaranteed_delete(struct protected_node *node)
{
    set_deletion(node, DELETION_PENDING);
    node->on_created = guaranteed_delete_advance;
    node->retry.run = delete_on_timer;
    node->observer.changed = delete_on_session;
    session_observe(node->session, &node->observer);
    DL_APPEND(node->framework->deletions, &node->entry);
    guaranteed_delete_advance(node);
}

bool guaranteed_delete_await(struct protected_node *node, struct call *call, int64_t until)
{
    /* Not call_wait(), which refuses: this also runs after the call's deadline, and after it was interrupted. */
    const struct client *client = call->client;
    call->waiting_for = "the answer to delete";
    node->waiting = call;
    while (node->deletion == DELETION_PENDING && clock_now() < until && !client->sessions.closing) {
        if (call->interrupted || call->owner_closed) {
            int64_t soon = clock_after(clock_now(), CLEAN_UP_MS);
            until = soon < until ? soon : until;
            call->interrupted = false;
            call->owner_closed = false;
        }
        condition_wait_until(&call->waker->condition, &call->client->mutex, until);
    }
    node->waiting = NULL;
    return node->deletion != DELETION_PENDING;
}

bool guaranteed_delete_any(const curator_framework *framework, const char *parent)
{
    const struct deletion_entry *entry;
    DL_FOREACH (framework->deletions, entry) {
        const struct protected_node *node = container_of(entry, const struct protected_node, entry);
        if (strcmp(node->parent, parent) == 0) {
            return true;
        }
    }
    return false;
}

const struct protected_node *guaranteed_delete_find(const curator_framework *framework, const char *path)
{
    const struct deletion_entry *entry;
    DL_FOREACH (framework->deletions, entry) {
        const struct protected_node *node = container_of(entry, const struct protected_node, entry);
        if (strncmp(path, node->prefix, strlen(node->prefix)) == 0) { /* with a UUID of its own */
            return node;
        }
    }
    return NULL;
}
