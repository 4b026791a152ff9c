/* SPDX-License-Identifier: Apache-2.0 */
/* What sessions do by the clock. */
#include "zk/session_timer.h"

#include "base/clock.h"
#include "base/container_of.h"
#include "zk/reaper.h"
#include "zk/request.h"
#include "zk/session_lease.h"
#include "zk/session_move.h"

#include <utlist.h>

/* While connected. Returns the lease clock's time at which to look again. */
static int64_t keep_probing(struct session *session)
{
    int64_t now = clock_lease_now();
    if (now >= session_lease_next_probe(session)) {
        session->lease.probed = now;
        request_abandon(request_sync(session, NULL, "/")); /* without memory for it the next one is due soon */
    }
    int64_t check_at = session_lease_check_answers(session, now);
    return clock_earlier(check_at, session_lease_next_probe(session));
}

/* When to look again: clock_now() or NEVER. */
static int64_t keep_lease(struct session *session)
{
    if (session_check_lease(session)) {
        return NEVER;
    }
    int64_t due = session_is_connected(session) ? keep_probing(session) : NEVER; /* lease clock */
    if (session->dependents > 0) {
        due = clock_earlier(due, session_lease_check_alarms(session));
        return clock_for_lease(clock_earlier(due, lease_end(&session->lease)));
    }
    return due == NEVER ? NEVER : clock_now() + (due - clock_lease_now());
}

void session_timer_run(struct timer *timer)
{
    struct session_group *group = container_of(timer, struct session_group, timer);
    int64_t due = NEVER;
    struct session *session, *next;
    DL_FOREACH_SAFE (group->all, session, next) {
        int64_t wanted = keep_lease(session);
        session_move_consider(session);
        if (session_is_dead(session)) {
            wanted = reaper_consider(session);
        }
        due = clock_earlier(due, wanted);
    }
    if (due != NEVER) {
        timer_schedule(group->timers, &group->timer, due);
    }
}
