/* SPDX-License-Identifier: Apache-2.0 */
/* One thread's ownership of a mutex, and how it is lost. */
#define HASH_NONFATAL_OOM 1
#include "locks/lock_data.h"

#include "base/container_of.h"
#include "base/thread_id.h"
#include "locks/guard_path.h"
#include "locks/lock_trace.h"
#include "locks/mutex_listener.h"
#include "locks/watch_limits.h"
#include "zk/result_code.h"
#include "zk/session_lease.h"
#include "zk/session_log.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* How long a lock is held before its node is watched. An uncontended cycle that is shorter costs no additional request.
 */
#define SET_WATCH_AFTER_MS 20
#define SET_WATCH_RETRY_MS 100
#define LOOK_FOR_ROOM_AFTER_MS 5000

/* A mutex has one holder in most cases: uthash's 32 buckets would be a quarter of what a held lock needs. */
#undef HASH_INITIAL_NUM_BUCKETS
#undef HASH_INITIAL_NUM_BUCKETS_LOG2
#define HASH_INITIAL_NUM_BUCKETS 2U
#define HASH_INITIAL_NUM_BUCKETS_LOG2 1U

struct lock_data *lock_data_of_current_thread(const struct curator_mutex *mutex)
{
    uint64_t thread = thread_id();
    struct lock_data *lock_data;
    HASH_FIND(hh, mutex->lock_data_by_thread, &thread, sizeof thread, lock_data);
    return lock_data;
}

struct lock_data *lock_data_of_write_side(const struct curator_mutex *mutex)
{
    if (mutex->driver->kind != LOCK_READ || mutex->other_side == NULL) {
        return NULL;
    }
    struct lock_data *writing = lock_data_of_current_thread(mutex->other_side);
    return writing != NULL && !lock_data_is_lost(writing) ? writing : NULL;
}

const char *lock_data_lost_prefix(const struct lock_data *lock_data)
{
    return lock_data->lost_with_session ? "the session is over: " : "";
}

/* Tells the mutex, once. The reason is constant. */
static void lock_data_lose(struct lock_data *lock_data, curator_status status, const char *why)
{
    if (!lock_data->lost) {
        struct curator_mutex *mutex = lock_data->node->mutex;
        lock_data->lost = true;
        endangered_end(&lock_data->endangered);
        lock_data->lost_with_session = status == CURATOR_SESSION_EXPIRED;
        lock_data->lost_why = why;
        lock_data->lost_at = clock_now();
        framework_log(mutex->framework, CURATOR_LOG_WARN, "lock %s is lost: %s%s", mutex->path,
                      lock_data_lost_prefix(lock_data), why);
        lock_trace(mutex, (curator_trace){.event = CURATOR_TRACE_LOSS, .status = status}, lock_data->since,
                   lock_data->node->znode->session);
        mutex_notify(mutex, MUTEX_LOST);
    }
}

void lock_data_judge(struct lock_data *lock_data, const struct request *answer)
{
    if (!protected_node_stands(lock_data->node->znode, answer)) {
        lock_data_lose(lock_data, CURATOR_LOCK_LOST,
                       answer->rc == ZNONODE ? "somebody deleted its node"
                                             : "somebody deleted its node, and another has its name");
    }
}

static void lock_data_set_watch_after(struct lock_data *lock_data, int64_t milliseconds)
{
    framework_timer_schedule(lock_data->node->mutex->framework, &lock_data->set_watch,
                             clock_after(clock_now(), milliseconds));
}

static void lock_data_on_session(struct lock_node_owner *owner, enum session_event event)
{
    struct lock_data *lock_data = container_of(owner, struct lock_data, owner);
    const struct session *session = lock_data->node->znode->session;
    if (event == SESSION_DIED && session->death != ZCLOSING) {
        lock_data_lose(lock_data, CURATOR_SESSION_EXPIRED, session_death_text(session));
    } else if ((event == SESSION_CONNECTED || event == SESSION_RESPONSIVE) && lock_data->set_watch_when_connected) {
        lock_data->set_watch_when_connected = false;
        lock_data_set_watch_after(lock_data, 0);
    }
}

static void lock_data_on_watch(struct lock_node_owner *owner, enum watch_event event)
{
    struct lock_data *lock_data = container_of(owner, struct lock_data, owner);
    if (event == WATCH_DELETED) {
        lock_data_lose(lock_data, CURATOR_LOCK_LOST, "somebody deleted its node");
    } else {
        lock_data_set_watch_after(lock_data, 0); /* the watch is used up, or lost */
    }
}

/* The node may not be read: it is looked at once more, in case that it is not ours any more. */
static void lock_data_on_watch_refused(struct lock_data *lock_data, int rc)
{
    lock_data->watch_rc = rc;
    if (!lock_node_look(lock_data->node, NULL)) {
        lock_data_set_watch_after(lock_data, SET_WATCH_RETRY_MS);
    }
}

/* After that look: from here on a deletion goes unnoticed. */
static void lock_data_go_unwatched(struct lock_data *lock_data)
{
    const struct curator_mutex *mutex = lock_data->node->mutex;
    lock_data->node->znode->doubtful = true; /* so that the release looks before it deletes */
    framework_log(mutex->framework, CURATOR_LOG_WARN,
                  "lock %s: its node cannot be watched: %s; its deletion by somebody else, and revocation, will go "
                  "unnoticed",
                  mutex->path, result_code_text(lock_data->watch_rc));
}

/* To setting the watch, or to the look after a refusal. */
static void lock_data_on_answer(struct lock_node_owner *owner, const struct request *answer)
{
    struct lock_data *lock_data = container_of(owner, struct lock_data, owner);
    int rc = answer->rc;
    if (result_code_outcome_unknown(rc) || rc == ZMARSHALLINGERROR) {
        lock_data_set_watch_after(lock_data, SET_WATCH_RETRY_MS);
        return;
    }
    lock_data_judge(lock_data, answer);
    if (lock_data->watch_rc != ZOK) {
        if (!lock_data->lost) {
            lock_data_go_unwatched(lock_data);
        }
    } else if (rc != ZOK && rc != ZNONODE && !result_code_session_over(rc)) {
        lock_data_on_watch_refused(lock_data, rc);
    }
}

static void log_no_room(const struct lock_data *lock_data)
{
    const struct curator_mutex *mutex = lock_data->node->mutex;
    struct session *session = lock_data->node->znode->session;
    if (!session->watches_full) {
        session->watches_full = true;
        framework_log(mutex->framework, CURATOR_LOG_WARN,
                      "lock %s: too many locks are held in one session to watch the nodes of them all; the deletion of "
                      "this one and others by somebody else, and revocation, will go unnoticed",
                      mutex->path);
    }
}

static void lock_data_on_timer(struct timer *timer)
{
    struct lock_data *lock_data = container_of(timer, struct lock_data, set_watch);
    struct lock_node *node = lock_data->node;
    const struct session *session = node->znode->session;
    if (lock_data->lost) {
        return;
    }
    if (!session_usable(session)) {
        lock_data->set_watch_when_connected = true;
        return;
    }
    if (node->watch.entry == NULL && watch_too_many(session, node->znode->path, WATCH_HOLDERS_BYTES)) {
        node->znode->doubtful = true; /* so that the release looks before it deletes */
        log_no_room(lock_data);
        lock_data_set_watch_after(lock_data, LOOK_FOR_ROOM_AFTER_MS);
        return;
    }
    lock_data->watch_rc = ZOK;
    if (!lock_node_set_watch(node, NULL)) {
        lock_data_set_watch_after(lock_data, SET_WATCH_RETRY_MS);
    }
}

struct lock_data *lock_data_add(struct curator_mutex *mutex, struct lock_node *node, uint64_t thread)
{
    struct lock_data *lock_data = malloc(sizeof *lock_data);
    if (lock_data == NULL) {
        return NULL;
    }
    *lock_data = (struct lock_data){
        .thread = thread,
        .system_thread = thread_system_id(),
        .node = node,
        .owner = {.on_watch = lock_data_on_watch, .on_session = lock_data_on_session, .on_answer = lock_data_on_answer},
        .since = clock_now(),
        .count = 1,
        .set_watch = {.run = lock_data_on_timer}};
    HASH_ADD(hh, mutex->lock_data_by_thread, thread, sizeof lock_data->thread, lock_data);
    if (lock_data->hh.tbl == NULL) {
        free(lock_data);
        return NULL;
    }
    lock_node_hand_over(node, &lock_data->owner);
    session_lease_begin(node->znode->session);
    endangered_begin(&lock_data->endangered, mutex, node->znode->session);
    if (!node->watch_set) {
        lock_data_set_watch_after(lock_data, SET_WATCH_AFTER_MS);
    }
    return lock_data;
}

struct protected_node *lock_data_remove(struct lock_data *lock_data)
{
    struct curator_mutex *mutex = lock_data->node->mutex;
    curator_trace hold = {.event = CURATOR_TRACE_HOLD, .status = lock_data->lost ? CURATOR_LOCK_LOST : CURATOR_OK};
    lock_trace(mutex, hold, lock_data->since, lock_data->node->znode->session);
    framework_log(mutex->framework, CURATOR_LOG_DEBUG, "lock %s was held for %.3f ms", mutex->path,
                  clock_ms_since(lock_data->since));
    struct protected_node *node = lock_node_end(lock_data->node);
    endangered_end(&lock_data->endangered);
    guard_path_end(lock_data->guard_path, node);
    framework_timer_cancel(mutex->framework, &lock_data->set_watch);
    session_lease_end(node->session);
    HASH_DEL(mutex->lock_data_by_thread, lock_data);
    free(lock_data);
    return node;
}

bool lock_data_is_lost(struct lock_data *lock_data)
{
    session_check_lease(lock_data->node->znode->session); /* tells the observer, so sets lost */
    return lock_data->lost || session_is_dead(lock_data->node->znode->session);
}
