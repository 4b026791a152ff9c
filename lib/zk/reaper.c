/* SPDX-License-Identifier: Apache-2.0 */
/* Ends dead sessions. */
#include "zk/reaper.h"

#include "base/clock.h"
#include "base/log.h"
#include "zk/attachment.h"
#include "zk/request.h"
#include "zk/session_log.h"
#include "zk/watch.h"
#include "zk/zk_log.h"

#include <string.h>
#include <utlist.h>

#define DRAIN_MS 1000
#define TOLD_MS 1000
#define HANDSHAKE_MS 2000
#define CLOSE_ANSWERED_WITHIN_MS 1400 /* zookeeper_close() waits 1500 ms for the server, and then says nothing of it */
#define ATTACH_FOR_MS 3000
#define EXPIRY_TOLD_MS 200

static void note_lingering(struct session *session)
{
    struct session_group *group = session->group;
    group->lingering++;
    if (session->id == 0) {
        log_line(group->logger, CURATOR_LOG_WARN,
                 "a server has not answered the request for a session; if it opens one, that lingers for %lld ms",
                 (long long)session->timeout_ms);
        return;
    }
    log_line(group->logger, CURATOR_LOG_WARN,
             "session 0x%llx could not be closed on the server; it may linger for %lld ms",
             (unsigned long long)session->id, (long long)session->timeout_ms);
}

void reaper_end(struct session_group *group)
{
    group->reapers--;
    thread_group_leave(group->threads);
    pthread_cond_broadcast(group->quiet);
    pthread_mutex_unlock(group->mutex);
}

static size_t server_count(const struct session *session)
{
    size_t count = 1;
    for (const char *comma = strchr(session->servers, ','); comma != NULL; comma = strchr(comma + 1, ',')) {
        count++;
    }
    return count;
}

/* Whether its handle connects for the first time: to a new session, or to one that moves to other servers. */
static bool is_arriving(const struct session *session)
{
    return session->handle != NULL &&
           (session->state == STATE_CONNECTING || (session->state == STATE_DISCONNECTED && !session->handle_known));
}

/*
 * A client that is closed while it connects. The server opens a session when it gets the request for one, and the
 * ZooKeeper client may be sending that at this moment: closed now, it would leave a session that nobody knows. So the
 * connection is awaited, to be closed in order, until each server has refused once. Woken by the connection, and by the
 * failure of the try. A session that was given up for want of an answer has waited long enough.
 */
static void await_handshake(struct session *session)
{
    struct session_group *group = session->group;
    int64_t deadline = clock_after(clock_now(), HANDSHAKE_MS);
    for (size_t left = server_count(session); left > 0 && session->death == ZCLOSING; left--) {
        struct request *probe = is_arriving(session) ? request_probe(session) : NULL;
        if (probe == NULL) {
            return;
        }
        while (!probe->finished && is_arriving(session) && clock_now() < deadline) {
            condition_wait_until(group->quiet, group->mutex, deadline);
        }
        request_abandon(probe);
    }
}

void reaper_await_told(const struct session *session)
{
    struct session_group *group = session->group;
    int64_t deadline = clock_after(clock_now(), TOLD_MS);
    bool given_up = session->id != 0 && session->death != ZCLOSING; /* by the lease, and not by the server */
    while (given_up && !session_over_on_server(session) && !group->closing && !group->callbacks_are_idle(group) &&
           clock_now() < deadline) {
        condition_wait_until(group->quiet, group->mutex, deadline);
    }
}

/*
 * Until all is answered. A connection that is silent, but not broken yet, may be replaced by one on which the session
 * can be closed in order, so it is waited for as long as for one that is broken already. Woken by the last answer, by
 * the break (which ends what is outstanding), and by the closing of the client.
 */
static void drain_session(struct session *session)
{
    struct session_group *group = session->group;
    await_handshake(session);
    reaper_await_told(session);
    int64_t at_least = clock_after(clock_now(), DRAIN_MS);
    while (session_is_connected(session) && session->outstanding != NULL) {
        int64_t deadline = group->closing || session->teardown_at < at_least ? at_least : session->teardown_at;
        if (clock_now() >= deadline) {
            return;
        }
        condition_wait_until(group->quiet, group->mutex, deadline);
    }
}

/* Whether it broke meanwhile, and may still come back to be closed in order. */
static bool may_come_back(const struct session *session)
{
    return !session_is_connected(session) && !session_over_on_server(session) && session->id != 0 &&
           !session->group->closing && clock_now() < session->teardown_at;
}

/* The session is gone afterwards. */
static void forget_handle(struct session *session)
{
    session->handle = NULL;
    session_set_teardown(session, TEARDOWN_CLOSED);
    zk_log_give_back(session->zk_log);
    request_finish_all(session);
    watch_forget_set(session);
    DL_DELETE(session->group->all, session);
    session_unref(session);
}

/* Releases the mutex meanwhile. The session is gone afterwards. */
static void close_drained(struct session *session)
{
    struct session_group *group = session->group;
    bool ended = session_is_connected(session) && session->outstanding == NULL;
    zhandle_t *handle = session->handle;
    bool asked_for = session->state == STATE_CONNECTING && zoo_state(handle) == ZOO_ASSOCIATING_STATE;
    bool lives_on = (session->id != 0 || asked_for) && !session_over_on_server(session);
    int64_t started = clock_now();
    pthread_mutex_unlock(group->mutex);

    zookeeper_close(handle); /* joins its threads: the mutex, which their callbacks take, is not held */

    pthread_mutex_lock(group->mutex);
    ended = ended && clock_now() - started < CLOSE_ANSWERED_WITHIN_MS * NANOSECONDS_PER_MILLISECOND;
    if (lives_on && !ended) {
        note_lingering(session);
    } else if (lives_on) {
        session_log_closed(session);
    }
    forget_handle(session);
}

static void *run_close(void *context)
{
    struct session *session = context;
    struct session_group *group = session->group;
    pthread_mutex_lock(group->mutex);
    drain_session(session);
    if (may_come_back(session)) {
        session_set_teardown(session, TEARDOWN_PENDING); /* the reconnect, the closing or teardown_at decides anew */
        timer_schedule(group->timers, &group->timer, session->teardown_at);
    } else {
        close_drained(session);
    }
    reaper_end(group);
    return NULL;
}

/* The lent handle takes the session back as often as it can; who closes it first wins. It learns of it as an expiry. */
static void expire_session(struct session *session)
{
    struct session_group *group = session->group;
    clientid_t id = session->id_and_password;
    reaper_await_told(session);
    int64_t give_up_at = clock_after(clock_now(), ATTACH_FOR_MS);
    while (!session_over_on_server(session) && clock_now() < give_up_at) {
        pthread_mutex_unlock(group->mutex);
        bool over = attachment_close_session(session->servers, session->timeout_ms, &id);
        pthread_mutex_lock(group->mutex);
        if (over && session->state != STATE_OVER) {
            session_set_state(session, STATE_OVER);
        }
        int64_t deadline = clock_after(clock_now(), EXPIRY_TOLD_MS);
        while (!session_over_on_server(session) && clock_now() < deadline) {
            condition_wait_until(group->quiet, group->mutex, deadline);
        }
    }
    if (!session_over_on_server(session)) {
        session->expiry_failed = true;
        note_lingering(session);
    }
    session_set_teardown(session, TEARDOWN_PENDING);
    reaper_consider(session);
}

static void *run_expire(void *context)
{
    struct session *session = context;
    struct session_group *group = session->group;
    pthread_mutex_lock(group->mutex);
    expire_session(session);
    session_unref(session);
    reaper_end(group);
    return NULL;
}

bool reaper_begin(struct session *session, void *(*run)(void *context))
{
    struct session_group *group = session->group;
    bool begun = thread_group_start(group->threads, run, session) == 0;
    group->reapers += begun ? 1 : 0;
    return begun;
}

static bool start_reaper(struct session *session, void *(*run)(void *context))
{
    struct session_group *group = session->group;
    if (reaper_begin(session, run)) {
        return true;
    }
    session->teardown_at = clock_after(clock_now(), DRAIN_MS); /* tried again after a while */
    timer_schedule(group->timers, &group->timer, session->teardown_at);
    return false;
}

int64_t reaper_consider(struct session *session)
{
    if (session->teardown != TEARDOWN_PENDING || session->moving) {
        return NEVER;
    }
    bool over = session_over_on_server(session) || session->id == 0;
    if (session->loans > 0) {
        /* The handle cannot be closed; but our nodes must not live on for as long as the user keeps it. */
        if (!over && session_is_connected(session) && start_reaper(session, run_expire)) {
            session_ref(session);
            session_set_teardown(session, TEARDOWN_EXPIRING);
        }
        return NEVER;
    }
    /* A session that we gave up by the clock may live on at the server with our nodes: closing the handle while it is
     * not connected would leave them there, so it gets a session timeout to come back and be closed. */
    if (!over && !session_is_connected(session) && !session->group->closing && clock_now() < session->teardown_at) {
        return session->teardown_at;
    }
    if (start_reaper(session, run_close)) {
        session_set_teardown(session, TEARDOWN_CLOSING);
    }
    return NEVER;
}

/* A session for which no thread could be started. */
static struct session *first_unattended(const struct session_group *group)
{
    struct session *session;
    DL_FOREACH (group->all, session) {
        bool wanted = session->loans == 0 || (session_is_connected(session) && !session_over_on_server(session));
        if (wanted && session->teardown == TEARDOWN_PENDING && !session->moving) {
            return session;
        }
    }
    return NULL;
}

static void end_unattended(struct session_group *group)
{
    for (struct session *session = first_unattended(group); session != NULL; session = first_unattended(group)) {
        if (session->loans == 0) {
            session_set_teardown(session, TEARDOWN_CLOSING);
            drain_session(session);
            close_drained(session);
        } else {
            session_set_teardown(session, TEARDOWN_EXPIRING);
            session_ref(session);
            expire_session(session);
            session_unref(session);
        }
    }
}

bool reaper_close_all(struct session_group *group)
{
    group->lingering = 0;
    struct session *session, *next;
    DL_FOREACH_SAFE (group->all, session, next) {
        session_die(session, ZCLOSING);
        reaper_consider(session);
    }
    for (;;) {
        end_unattended(group); /* also those that were being moved */
        if (group->reapers == 0 && (group->all == NULL || session_any_lent(group))) {
            break;
        }
        pthread_cond_wait(group->quiet, group->mutex);
    }
    return session_any_lent(group);
}
