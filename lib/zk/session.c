/* SPDX-License-Identifier: Apache-2.0 */
/* One ZooKeeper session: its states, who learns of them, and its death. */
#include "zk/session.h"

#include "base/clock.h"
#include "zk/zk_log.h"

#include <assert.h>
#include <stdlib.h>
#include <utlist.h>

#define TO(state) (1U << (state))

bool session_state_may_follow(enum session_state from, enum session_state to)
{
    static const unsigned legal[] = {
        [STATE_OPENING] = TO(STATE_CONNECTING),
        [STATE_CONNECTING] = TO(STATE_CONNECTED) | TO(STATE_OVER),
        [STATE_CONNECTED] = TO(STATE_DISCONNECTED) | TO(STATE_OVER),
        [STATE_DISCONNECTED] = TO(STATE_CONNECTED) | TO(STATE_OVER),
        [STATE_OVER] = 0,
    };
    return (legal[from] & TO(to)) != 0;
}

bool session_teardown_may_follow(enum teardown_state from, enum teardown_state to)
{
    static const unsigned legal[] = {
        [TEARDOWN_NONE] = TO(TEARDOWN_PENDING),
        [TEARDOWN_PENDING] = TO(TEARDOWN_CLOSING) | TO(TEARDOWN_EXPIRING),
        [TEARDOWN_CLOSING] = TO(TEARDOWN_PENDING) | TO(TEARDOWN_CLOSED),
        [TEARDOWN_EXPIRING] = TO(TEARDOWN_PENDING),
        [TEARDOWN_CLOSED] = 0,
    };
    return (legal[from] & TO(to)) != 0;
}

void session_set_state(struct session *session, enum session_state state)
{
    assert(session_state_may_follow(session->state, state));
    session->state = state;
}

void session_set_teardown(struct session *session, enum teardown_state teardown)
{
    assert(session_teardown_may_follow(session->teardown, teardown));
    session->teardown = teardown;
}

void session_ref(struct session *session)
{
    session->references++;
}

void session_unref(struct session *session)
{
    if (--session->references == 0) {
        free(session->servers);
        free(session->new_servers);
        free(session);
    }
}

bool session_is_connected(const struct session *session)
{
    return session->state == STATE_CONNECTED;
}

bool session_is_dead(const struct session *session)
{
    return session->teardown != TEARDOWN_NONE;
}

bool session_usable(const struct session *session)
{
    return session_is_connected(session) && !session_is_dead(session) && !session->unresponsive &&
           !session->authenticating;
}

bool session_over_on_server(const struct session *session)
{
    return session->state == STATE_OVER || session->expiry_failed;
}

bool session_handle_is_over(const struct session *session)
{
    if (session_is_dead(session) || session->handle == NULL) {
        return session_is_dead(session) || !session->moving;
    }
    return is_unrecoverable(session->handle) != ZOK;
}

bool session_any_lent(const struct session_group *group)
{
    const struct session *session;
    DL_FOREACH (group->all, session) {
        if (session->loans > 0) {
            return true;
        }
    }
    return false;
}

void session_tell(struct session *session, enum session_event event)
{
    struct session_observer *observer, *next;
    DL_FOREACH_SAFE (session->observers, observer, next) {
        observer->changed(observer, event);
    }
    session->group->changed(session->group, session, event);
    wakers_signal_all(session->group->wakers);
}

void session_announce(struct session *session)
{
    if (session_usable(session)) {
        session->announced = true;
        session_tell(session, SESSION_CONNECTED);
    }
}

void session_observe(struct session *session, struct session_observer *observer)
{
    DL_APPEND(session->observers, observer);
}

void session_forget(struct session *session, struct session_observer *observer)
{
    DL_DELETE(session->observers, observer);
}

void session_die(struct session *session, int rc)
{
    if (session_is_dead(session)) {
        return;
    }
    session_set_teardown(session, TEARDOWN_PENDING);
    session->death = rc;
    zk_log_mute(session->zk_log);
    session->teardown_at = clock_after(clock_now(), session->timeout_ms);
    struct outstanding_request *request, *next;
    DL_FOREACH_SAFE (session->outstanding, request, next) {
        request->finish(request, rc);
    }
    session_tell(session, SESSION_DIED);
    timer_schedule(session->group->timers, &session->group->timer, 0);
}
