/* SPDX-License-Identifier: Apache-2.0 */
/* The lease of a session, by the lease clock. */
#include "zk/session_lease.h"

#include "base/clock.h"

#include <utlist.h>

static enum lease_demand demand_of(const struct session *session)
{
    if (session->unresponsive) {
        return LEASE_UNRESPONSIVE;
    }
    if (session->renewals_awaited > 0) {
        return LEASE_AWAITED;
    }
    return session->dependents > 0 ? LEASE_HELD : LEASE_IDLE;
}

int64_t session_lease_next_probe(const struct session *session)
{
    return lease_next_probe(&session->lease, demand_of(session));
}

bool session_lease_fresh(const struct session *session)
{
    return lease_is_fresh(&session->lease, clock_lease_now());
}

bool session_lease_secure(const struct session *session)
{
    return lease_is_secure(&session->lease, clock_lease_now());
}

bool session_lease_outlasts(const struct session *session, int64_t margin)
{
    return lease_outlasts(&session->lease, clock_lease_now(), margin);
}

int64_t session_lease_remaining(const struct session *session)
{
    return session_is_dead(session) ? 0 : clock_later(0, lease_end(&session->lease) - clock_lease_now());
}

void session_lease_alarm_add(struct session *session, struct lease_alarm *alarm)
{
    alarm->raised = false;
    DL_APPEND(session->lease_alarms, alarm);
    timer_schedule(session->group->timers, &session->group->timer,
                   clock_for_lease(lease_end(&session->lease) - alarm->margin));
}

void session_lease_alarm_remove(struct session *session, struct lease_alarm *alarm)
{
    DL_DELETE(session->lease_alarms, alarm);
}

int64_t session_lease_check_alarms(struct session *session)
{
    return lease_alarms_check(session->lease_alarms, &session->lease, clock_lease_now(), &session->lease_alarm_raised);
}

void session_await_renewal(struct session *session)
{
    if (session->renewals_awaited++ == 0) {
        timer_schedule(session->group->timers, &session->group->timer, 0); /* the next probe is due earlier now */
    }
}

void session_renewal_not_awaited(struct session *session)
{
    session->renewals_awaited--;
}

void session_lease_begin(struct session *session)
{
    if (session->dependents++ == 0) {
        int64_t wait = session_lease_next_probe(session) - clock_lease_now();
        timer_schedule(session->group->timers, &session->group->timer, clock_now() + wait);
    }
}

void session_lease_end(struct session *session)
{
    session->dependents--;
}

bool session_check_lease(struct session *session)
{
    if (!session_is_dead(session) && session->dependents > 0 && clock_lease_now() >= lease_end(&session->lease)) {
        session_die(session, ZSESSIONEXPIRED);
    }
    return session_is_dead(session);
}

static void session_responsive(struct session *session)
{
    session->unresponsive = false;
    if (!session->announced) {
        session_announce(session);
    } else if (session_usable(session)) {
        session_tell(session, SESSION_RESPONSIVE);
    }
}

void session_lease_answered(struct session *session, int64_t sent)
{
    int64_t now = clock_lease_now();
    lease_answered(&session->lease, sent, now);
    /* A renewal prepares them again. There may be thousands, so an answer leaves them alone otherwise. */
    if (session->lease_alarm_raised && !session_is_dead(session)) {
        int64_t alarm_at = session_lease_check_alarms(session);
        if (alarm_at != NEVER) {
            timer_schedule(session->group->timers, &session->group->timer, clock_for_lease(alarm_at));
        }
    }
    /* Else the loss could follow at once, in a session that lives. */
    bool needed = session->dependents > 0 || session->renewals_awaited > 0;
    bool renewed = !needed || lease_is_secure(&session->lease, now);
    if (session->unresponsive && renewed) {
        session_responsive(session);
    }
    if (session->renewals_awaited > 0 && renewed) {
        wakers_signal_all(session->group->wakers);
    }
}

int64_t session_lease_check_answers(struct session *session, int64_t now)
{
    if (session->unresponsive || demand_of(session) == LEASE_IDLE) {
        return NEVER;
    }
    int64_t unresponsive_at = lease_unresponsive_at(&session->lease);
    if (now >= unresponsive_at) {
        session->unresponsive = true;
        session_tell(session, SESSION_UNRESPONSIVE);
    }
    return unresponsive_at;
}
