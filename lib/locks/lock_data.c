/* SPDX-License-Identifier: Apache-2.0 */
/* One thread's ownership of a mutex, and the ways in which it is lost. */
#define HASH_NONFATAL_OOM 1
#include "locks/lock_data.h"

#include "base/clock.h"
#include "base/container_of.h"
#include "base/log.h"
#include "base/thread_id.h"
#include "locks/guard_path.h"
#include "locks/mutex.h"
#include "locks/revocation.h"
#include "locks/watch_limits.h"
#include "zk/result_code.h"
#include "zk/session_lease.h"

#include <stddef.h>
#include <stdlib.h>

/* How long a lock is held before its node is watched: an uncontended cycle that is over sooner costs no request more.
 */
#define SET_OWN_WATCH_AFTER_MS 20
#define SET_OWN_WATCH_RETRY_MS 100
#define LOOK_FOR_ROOM_AFTER_MS 5000

struct lock_data *lock_data_of_current_thread(const struct curator_mutex *mutex)
{
    uint64_t thread = thread_id();
    struct lock_data *lock_data;
    HASH_FIND(hh, mutex->lock_data_by_thread, &thread, sizeof thread, lock_data);
    return lock_data;
}

void lock_data_lose(struct lock_data *lock_data, const char *why)
{
    if (lock_data->lost) {
        return;
    }
    lock_data->lost = true;
    log_line(&lock_data->mutex->framework->client.settings.logger, CURATOR_LOG_WARN, "lock %s is lost: %s",
             lock_data->mutex->path, why);
    mutex_lost(lock_data->mutex);
}

void lock_data_looked(struct lock_data *lock_data, const struct request *answer)
{
    if (protected_node_stands(lock_data->node, answer)) {
        return;
    }
    lock_data_lose(lock_data, answer->rc == ZNONODE ? "somebody deleted its node"
                                                    : "somebody deleted its node, and another has its name");
}

static void on_session(struct session_observer *observer, enum session_event event)
{
    struct lock_data *lock_data = container_of(observer, struct lock_data, observer);
    if (event == SESSION_DISCONNECTED) {
        lock_data->node->doubtful = true;
    }
    if (event == SESSION_DIED && lock_data->node->session->death != ZCLOSING) {
        lock_data_lose(lock_data, "the session is over");
    } else if ((event == SESSION_CONNECTED || event == SESSION_RESPONSIVE) && lock_data->set_own_watch_when_connected) {
        lock_data->set_own_watch_when_connected = false;
        timer_schedule(&lock_data->mutex->framework->client.timers, &lock_data->set_own_watch, 0);
    }
}

static void on_own_node(struct watcher *watcher, enum watch_event event)
{
    struct lock_data *lock_data = container_of(watcher, struct lock_data, own_watch);
    if (event == WATCH_DELETED) {
        protected_node_vanished(lock_data->node);
        lock_data_lose(lock_data, "somebody deleted its node");
    } else {
        lock_data->node->doubtful = true; /* deleted and made again while disconnected is told as changed */
        timer_schedule(&lock_data->mutex->framework->client.timers, &lock_data->set_own_watch,
                       0); /* that watch is used up */
    }
}

static void set_own_watch_later(struct lock_data *lock_data)
{
    timer_schedule(&lock_data->mutex->framework->client.timers, &lock_data->set_own_watch,
                   clock_after(clock_now(), SET_OWN_WATCH_RETRY_MS));
}

/* Of an answer that has to be asked for again. */
static bool is_missing(const struct request *answer)
{
    return result_code_outcome_unknown(answer->rc) || answer->rc == ZMARSHALLINGERROR;
}

/* The answers find the hold by its node, which may be released meanwhile. Said when the look is over: from here on a
 * deletion goes unnoticed. */
static void on_looked(struct request *request, void *context)
{
    struct protected_node *node = context;
    struct lock_data *lock_data = node->holder;
    if (lock_data != NULL && is_missing(request)) {
        set_own_watch_later(lock_data);
    } else if (lock_data != NULL) {
        lock_data_looked(lock_data, request);
        if (!lock_data->lost) {
            node->doubtful = true; /* so the release looks before it deletes */
            log_line(&lock_data->mutex->framework->client.settings.logger, CURATOR_LOG_WARN,
                     "lock %s: its node cannot be watched: %s; its deletion by somebody else, and revocation, will go "
                     "unnoticed",
                     lock_data->mutex->path, result_code_text(lock_data->watch_refused));
        }
    }
    protected_node_unref(node);
}

/* It may not be read. It may still be looked at, in case that it is not ours any more. */
static void go_unwatched(struct lock_data *lock_data, int rc)
{
    struct protected_node *node = lock_data->node;
    lock_data->watch_refused = rc;
    if (!protected_node_follow(node, request_exists(node->session, NULL, node->path), on_looked)) {
        set_own_watch_later(lock_data);
    }
}

/* The answer to setting the watch. */
static void on_own_watch_set(struct request *request, void *context)
{
    struct protected_node *node = context;
    struct lock_data *lock_data = node->holder;
    if (lock_data != NULL && is_missing(request)) {
        set_own_watch_later(lock_data);
    } else if (lock_data != NULL && (request->rc == ZOK || request->rc == ZNONODE)) {
        lock_data_looked(lock_data, request);
        node->doubtful = false; /* what happens from now on is told after this answer */
        if (!lock_data->lost) {
            revocation_look(lock_data->mutex, node, request);
        }
    } else if (lock_data != NULL && !result_code_session_over(request->rc)) {
        go_unwatched(lock_data, request->rc);
    }
    protected_node_unref(node);
}

static void say_once_unwatched(const struct lock_data *lock_data)
{
    struct session *session = lock_data->node->session;
    if (!session->watches_full) {
        session->watches_full = true;
        log_line(session->group->logger, CURATOR_LOG_WARN,
                 "lock %s: too many locks are held in one session to watch the nodes of them all; the deletion of this "
                 "one and others by somebody else, and revocation, will go unnoticed",
                 lock_data->mutex->path);
    }
}

static void on_set_own_watch_timer(struct timer *timer)
{
    struct lock_data *lock_data = container_of(timer, struct lock_data, set_own_watch);
    struct protected_node *node = lock_data->node;
    if (lock_data->lost) {
        return;
    }
    if (!session_usable(node->session)) {
        lock_data->set_own_watch_when_connected = true;
        return;
    }
    if (lock_data->own_watch.entry == NULL && watch_too_many(node->session, node->path, WATCH_HOLDERS_BYTES)) {
        node->doubtful = true; /* so the release looks before it deletes */
        say_once_unwatched(lock_data);
        timer_schedule(&lock_data->mutex->framework->client.timers, timer,
                       clock_after(clock_now(), LOOK_FOR_ROOM_AFTER_MS));
        return;
    }
    struct request *request = NULL;
    if (lock_data->own_watch.entry != NULL || watch_add(node->session, &lock_data->own_watch, node->path)) {
        request = request_get_and_watch(node->session, NULL, node->path);
    }
    if (!protected_node_follow(node, request, on_own_watch_set)) {
        set_own_watch_later(lock_data);
    }
}

bool lock_data_init(struct lock_data *lock_data, struct curator_mutex *mutex, struct protected_node *node, bool watched)
{
    *lock_data = (struct lock_data){.thread = thread_id(),
                                    .mutex = mutex,
                                    .node = node,
                                    .count = 1,
                                    .observer = {.changed = on_session},
                                    .own_watch = {.fired = on_own_node},
                                    .set_own_watch = {.run = on_set_own_watch_timer}};
    HASH_ADD(hh, mutex->lock_data_by_thread, thread, sizeof lock_data->thread, lock_data);
    if (lock_data->hh.tbl == NULL) {
        return false;
    }
    node->holder = lock_data;
    session_observe(node->session, &lock_data->observer);
    session_lease_begin(node->session);
    struct timers *timers = &mutex->framework->client.timers;
    if (!watched || !watch_add(node->session, &lock_data->own_watch, node->path)) {
        timer_schedule(timers, &lock_data->set_own_watch, clock_after(clock_now(), SET_OWN_WATCH_AFTER_MS));
    }
    return true;
}

struct protected_node *lock_data_remove(struct lock_data *lock_data)
{
    struct protected_node *node = lock_data->node;
    node->holder = NULL;
    guard_path_end(lock_data->guard_path, node);
    timer_cancel(&lock_data->mutex->framework->client.timers, &lock_data->set_own_watch);
    watch_remove(node->session, &lock_data->own_watch);
    session_forget(node->session, &lock_data->observer);
    session_lease_end(node->session);
    HASH_DEL(lock_data->mutex->lock_data_by_thread, lock_data);
    free(lock_data);
    return node;
}

bool lock_data_is_lost(struct lock_data *lock_data)
{
    session_check_lease(lock_data->node->session); /* tells the observer, so sets lost */
    return lock_data->lost || session_is_dead(lock_data->node->session);
}
