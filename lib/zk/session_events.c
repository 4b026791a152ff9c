/* SPDX-License-Identifier: Apache-2.0 */
/* What the handle of a session reports. */
#include "zk/session_events.h"

#include "base/callback_thread.h"
#include "base/clock.h"
#include "base/log.h"
#include "zk/reaper.h"
#include "zk/session.h"
#include "zk/session_descriptors.h"
#include "zk/session_log.h"

#include <string.h>

/*
 * On the handle's I/O thread. A refusal comes as a session event. If the connection breaks before the verdict, this is
 * called with a lock of the ZooKeeper client's held, under which ours must not be taken; the next connection asks
 * again.
 */
static void on_authenticated(int rc, const void *data)
{
    struct session *session = (struct session *)(uintptr_t)data;
    callback_thread_mark();
    if (rc != ZOK) {
        return;
    }
    pthread_mutex_lock(session->group->mutex);
    if (session->authenticating) {
        session->authenticating = false;
        session_announce(session);
    }
    pthread_mutex_unlock(session->group->mutex);
}

/* Sent before any request of ours, and by the ZooKeeper client again at every reconnect. */
static void authenticate(struct session *session)
{
    const struct session_group *group = session->group;
    if (group->auth_scheme == NULL) {
        return;
    }
    session->authenticating = true;
    int rc = zoo_add_auth(session->handle, group->auth_scheme, group->auth_credentials,
                          (int)strlen(group->auth_credentials), on_authenticated, session);
    if (rc != ZOK) {
        log_line(group->logger, CURATOR_LOG_WARN, "credentials could not be sent: %s", zerror(rc));
        session_die(session, ZSESSIONEXPIRED);
    }
}

void session_disconnected(struct session *session)
{
    if (!session_is_connected(session)) {
        return;
    }
    session_set_state(session, STATE_DISCONNECTED);
    session->announced = false;
    session->unresponsive = false; /* no longer believed in at all */
    session->disconnected_at = clock_lease_now();
    session_descriptors_disconnected(session);
    if (!session_is_dead(session)) {
        session_tell(session, SESSION_DISCONNECTED);
        timer_schedule(session->group->timers, &session->group->timer, 0);
    }
}

static void session_connected(struct session *session)
{
    if (session->state == STATE_OVER) {
        return; /* ended meanwhile by way of another handle */
    }
    session_disconnected(session); /* the ZooKeeper client does not report every break */
    bool first = session->state == STATE_CONNECTING;
    bool moved = !first && !session->handle_known;
    session_set_state(session, STATE_CONNECTED);
    /* Until the leader has answered, and the lease is secure. A handle that is new to the session has seen none of its
     * answers, so a server is accepted that lags behind them; that answer brings it up to date. */
    session->unresponsive = session->dependents > 0 || moved;
    session->id_and_password = *zoo_client_id(session->handle);
    session->id = session->id_and_password.client_id;
    session->timeout_ms = zoo_recv_timeout(session->handle);
    session->handle_known = true;
    lease_connected(&session->lease, clock_lease_now(), session->timeout_ms * NANOSECONDS_PER_MILLISECOND, !first);
    if (session_is_dead(session)) {
        reaper_consider(session); /* it lived on at the server after all: now it can be closed in order */
        pthread_cond_broadcast(session->group->quiet);
        return;
    }
    session_log_connected(session, first);
    session->group->accepted(session->group);
    if (first || moved || session->authenticating) {
        authenticate(session);
    }
    session_announce(session);
    timer_schedule(session->group->timers, &session->group->timer, 0);
}

static void session_over(struct session *session, int rc)
{
    if (session->state != STATE_OVER) {
        session_set_state(session, STATE_OVER);
    }
    if (rc == ZAUTHFAILED && !session->group->auth_refused) {
        session->group->auth_refused = true;
        session_log_refused(session);
    }
    session_die(session, rc);
    reaper_consider(session);
    pthread_cond_broadcast(session->group->quiet);
}

/* Until the thread that opens the handle has stored it. */
static void await_opened(struct session *session)
{
    while (session->state == STATE_OPENING || session->reopening) {
        pthread_cond_wait(session->group->quiet, session->group->mutex);
    }
}

void session_on_event(zhandle_t *handle, int type, int state, const char *path, void *context)
{
    (void)path;
    callback_thread_mark();
    if (type != ZOO_SESSION_EVENT) {
        return;
    }
    struct session *session = context;
    struct session_group *group = session->group;
    pthread_mutex_lock(group->mutex);
    await_opened(session);
    if (state == ZOO_CONNECTED_STATE) {
        session_descriptors_connected(session, handle);
    }
    if (session->handle != handle) {
        /* being closed: nothing that still comes matters */
    } else if (state == ZOO_CONNECTED_STATE) {
        session_connected(session);
    } else if (state == ZOO_EXPIRED_SESSION_STATE) {
        session_over(session, ZSESSIONEXPIRED);
    } else if (state == ZOO_AUTH_FAILED_STATE) {
        session_over(session, ZAUTHFAILED);
    } else {
        session_disconnected(session);
    }
    pthread_mutex_unlock(group->mutex);
}
