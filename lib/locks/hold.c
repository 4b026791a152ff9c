/* SPDX-License-Identifier: Apache-2.0 */
/* One thread's ownership of a mutex, and the ways in which it is lost. */
#define HASH_NONFATAL_OOM 1
#include "locks/hold.h"

#include "client/clock.h"
#include "client/log_slot.h"
#include "client/result_code.h"
#include "locks/guard_path.h"
#include "locks/mutex.h"
#include "locks/revocation.h"
#include "locks/thread_id.h"

#include <stddef.h>
#include <stdlib.h>

/* How long a lock is held before its node is watched: an uncontended cycle that is over sooner costs no request more.
 */
#define ARM_AFTER_MS 20
#define ARM_RETRY_MS 100

struct hold *hold_of_current_thread(const struct curator_mutex *mutex)
{
    uint64_t thread = thread_id();
    struct hold *hold;
    HASH_FIND(hh, mutex->holds, &thread, sizeof thread, hold);
    return hold;
}

void hold_lose(struct hold *hold, const char *why)
{
    if (hold->lost) {
        return;
    }
    hold->lost = true;
    log_line(&hold->mutex->framework->client.settings.logger, CURATOR_LOG_WARN, "lock %s is lost: %s",
             hold->mutex->path, why);
    mutex_lost(hold->mutex);
}

void hold_looked(struct hold *hold, const struct request *answer)
{
    if (protected_node_stands(hold->node, answer)) {
        return;
    }
    hold_lose(hold, answer->rc == ZNONODE ? "somebody deleted its node"
                                          : "somebody deleted its node, and another has its name");
}

static void on_session(struct session_observer *observer, enum session_event event)
{
    struct hold *hold = (struct hold *)((char *)observer - offsetof(struct hold, observer));
    if (event == SESSION_DISCONNECTED) {
        hold->node->doubtful = true;
    }
    if (event == SESSION_DIED && hold->node->session->death != ZCLOSING) {
        hold_lose(hold, "the session is over");
    } else if (event == SESSION_CONNECTED && hold->arm_when_connected) {
        hold->arm_when_connected = false;
        upkeep_schedule(&hold->mutex->framework->client.upkeep, &hold->arm, 0);
    }
}

static void on_own_node(struct watcher *watcher, enum watch_event event)
{
    struct hold *hold = (struct hold *)((char *)watcher - offsetof(struct hold, own_watch));
    if (event == WATCH_DELETED) {
        protected_node_vanished(hold->node);
        hold_lose(hold, "somebody deleted its node");
    } else {
        hold->node->doubtful = true; /* deleted and made again while disconnected is told as changed */
        upkeep_schedule(&hold->mutex->framework->client.upkeep, &hold->arm, 0); /* that watch is used up */
    }
}

static void arm_later(struct hold *hold)
{
    upkeep_schedule(&hold->mutex->framework->client.upkeep, &hold->arm, clock_after(clock_now(), ARM_RETRY_MS));
}

/* Of an answer that has to be asked for again. */
static bool is_missing(const struct request *answer)
{
    return result_code_outcome_unknown(answer->rc) || answer->rc == ZMARSHALLINGERROR;
}

/* The answers find the hold by its node, which may be released meanwhile. */
static void on_looked(struct request *request, void *context)
{
    struct protected_node *node = context;
    struct hold *hold = node->holder;
    if (hold != NULL && is_missing(request)) {
        arm_later(hold);
    } else if (hold != NULL) {
        hold_looked(hold, request);
        node->doubtful = node->doubtful && request->rc != ZOK;
    }
    protected_node_let_go(node);
}

/* It may not be read. It may still be looked at, in case that it is not ours any more. */
static void go_unwatched(struct hold *hold, int rc)
{
    log_line(&hold->mutex->framework->client.settings.logger, CURATOR_LOG_WARN,
             "lock %s: its node cannot be watched: %s; its deletion by somebody else, and revocation, will go "
             "unnoticed",
             hold->mutex->path, result_code_text(rc));
    struct protected_node *node = hold->node;
    if (!protected_node_follow(node, request_exists(node->session, NULL, node->path), on_looked)) {
        arm_later(hold);
    }
}

/* The answer to setting the watch. */
static void on_armed(struct request *request, void *context)
{
    struct protected_node *node = context;
    struct hold *hold = node->holder;
    if (hold != NULL && is_missing(request)) {
        arm_later(hold);
    } else if (hold != NULL && (request->rc == ZOK || request->rc == ZNONODE)) {
        hold_looked(hold, request);
        node->doubtful = false; /* what happens from now on is told after this answer */
        if (!hold->lost) {
            revocation_look(hold->mutex, node, request);
        }
    } else if (hold != NULL && !result_code_session_over(request->rc)) {
        go_unwatched(hold, request->rc);
    }
    protected_node_let_go(node);
}

static void say_once_unwatched(const struct hold *hold)
{
    struct session *session = hold->node->session;
    if (!session->watches_full) {
        session->watches_full = true;
        log_line(&session->client->settings.logger, CURATOR_LOG_WARN,
                 "lock %s: too many locks are held in one session to watch the nodes of them all; the deletion of this "
                 "one and others by somebody else, and revocation, will go unnoticed",
                 hold->mutex->path);
    }
}

static void run_arm(struct task *task)
{
    struct hold *hold = (struct hold *)((char *)task - offsetof(struct hold, arm));
    struct protected_node *node = hold->node;
    if (hold->lost) {
        return;
    }
    if (!session_usable(node->session)) {
        hold->arm_when_connected = true;
        return;
    }
    if (hold->own_watch.entry == NULL && watch_too_many(node->session, node->path, WATCH_HOLDERS_BYTES)) {
        say_once_unwatched(hold);
        return;
    }
    struct request *request = NULL;
    if (hold->own_watch.entry != NULL || watch_add(node->session, &hold->own_watch, node->path)) {
        request = request_get_and_watch(node->session, NULL, node->path);
    }
    if (!protected_node_follow(node, request, on_armed)) {
        arm_later(hold);
    }
}

bool hold_begin(struct hold *hold, struct curator_mutex *mutex, struct protected_node *node, bool watched)
{
    *hold = (struct hold){.thread = thread_id(),
                          .mutex = mutex,
                          .node = node,
                          .count = 1,
                          .observer = {.changed = on_session},
                          .own_watch = {.fired = on_own_node},
                          .arm = {.run = run_arm}};
    HASH_ADD(hh, mutex->holds, thread, sizeof hold->thread, hold);
    if (hold->hh.tbl == NULL) {
        return false;
    }
    node->holder = hold;
    session_observe(node->session, &hold->observer);
    session_lease_begin(node->session);
    struct upkeep *upkeep = &mutex->framework->client.upkeep;
    if (!watched || !watch_add(node->session, &hold->own_watch, node->path)) {
        upkeep_schedule(upkeep, &hold->arm, clock_after(clock_now(), ARM_AFTER_MS));
    }
    return true;
}

struct protected_node *hold_end(struct hold *hold)
{
    struct protected_node *node = hold->node;
    node->holder = NULL;
    guard_path_end(hold->guard_path, node);
    upkeep_cancel(&hold->mutex->framework->client.upkeep, &hold->arm);
    watch_remove(node->session, &hold->own_watch);
    session_forget(node->session, &hold->observer);
    session_lease_end(node->session);
    HASH_DEL(hold->mutex->holds, hold);
    free(hold);
    return node;
}

bool hold_is_lost(struct hold *hold)
{
    session_check_lease(hold->node->session); /* tells the observer, so sets lost */
    return hold->lost || hold->node->session->dead;
}
