/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long a session certainly lives, and the probes that keep this known.
 *
 * The leader of the ensemble expires a session a session timeout T after it last heard of it. The ZooKeeper client is
 * no help in keeping ahead of that: it notices a dead server late, an expiry only when a server answers again, and a
 * follower that has lost its leader goes on answering reads and pings. So only answers that come from the leader count:
 * to create, delete, set and sync. lease_base.h tells what they prove. The lease ends T after that.
 *
 * Probes keep the proof fresh. Where nothing depends on the lease they are rare, and there so that a lock that is got
 * after a pause has a lease at once; the ZooKeeper client's own pings, which they replace, prove nothing.
 */
#include "zk/session.h"

#include "base/clock.h"
#include "base/log.h"
#include "client/call.h"
#include "client/client.h"
#include "client/connecting.h"
#include "zk/request.h"

#include <utlist.h>

#define PROBES_PER_TIMEOUT 24     /* while something depends on the lease */
#define IDLE_PROBES_PER_TIMEOUT 6 /* otherwise */
#define STEPS_PER_TIMEOUT 48
#define FRESH_PER_TIMEOUT 12
#define UNRESPONSIVE_PER_TIMEOUT 3
#define PROBES_PER_HALF_TICK 4 /* at least, while a call waits for the lease */
#define PROBES_TO_RENEW 3
#define STEADY_PROBES 2
/* Half of ZooKeeper's default tick. A server grants no timeout below two ticks, so half a tick is at most T/4. */
#define HALF_TICK_MS 1000

static int64_t timeout_of(const struct session *session)
{
    return session->timeout_ms * NANOSECONDS_PER_MILLISECOND;
}

static int64_t probe_interval(const struct session *session)
{
    return timeout_of(session) / PROBES_PER_TIMEOUT;
}

static int64_t half_tick(const struct session *session)
{
    int64_t half = HALF_TICK_MS * NANOSECONDS_PER_MILLISECOND;
    return half < timeout_of(session) / 4 ? half : timeout_of(session) / 4;
}

static int64_t lease_end(const struct session *session)
{
    return session->lease_base.since + timeout_of(session);
}

/*
 * From here on the lease may end before it can be renewed: half a tick, two probes more, and one for being late. Where it
 * is renewed with every probe already, the half tick is behind us; on a slow line there may be no room for it.
 */
static int64_t secure_until(const struct session *session, bool steady)
{
    return lease_end(session) - (steady ? 0 : half_tick(session)) - PROBES_TO_RENEW * probe_interval(session);
}

static bool is_depended_on(const struct session *session)
{
    return session->leases > 0 || session->unresponsive || session->renewals_awaited > 0;
}

static int64_t earlier(int64_t one, int64_t other)
{
    return one < other ? one : other;
}

static int64_t later(int64_t one, int64_t other)
{
    return one > other ? one : other;
}

static int64_t next_probe(const struct session *session)
{
    int64_t last = later(later(session->probed, session->answered), session->connected_at);
    if (session->unresponsive && session->probed < session->connected_at) {
        return session->connected_at; /* after a reconnect: nobody may use the session before the answer */
    }
    if (session->unresponsive || session->renewals_awaited > 0) { /* somebody waits for the proof */
        return last + earlier(probe_interval(session), half_tick(session) / PROBES_PER_HALF_TICK);
    }
    int64_t soon = last + probe_interval(session);
    if (session->leases > 0) {
        return soon;
    }
    return later(soon, earlier(last + timeout_of(session) / IDLE_PROBES_PER_TIMEOUT, secure_until(session, false)));
}

bool session_lease_fresh(const struct session *session)
{
    return clock_lease_now() < session->answered + timeout_of(session) / FRESH_PER_TIMEOUT;
}

bool session_lease_secure(const struct session *session)
{
    int64_t now = clock_lease_now();
    bool steady = lease_base_is_steady(&session->lease_base, now, STEADY_PROBES * probe_interval(session));
    return now < secure_until(session, steady);
}

/* What is due has changed. */
static void look_soon(struct session *session)
{
    timer_schedule(&session->client->timers, &session->client->session_timer, 0);
}

void session_await_renewal(struct session *session)
{
    if (session->renewals_awaited++ == 0) {
        look_soon(session);
    }
}

void session_renewal_not_awaited(struct session *session)
{
    session->renewals_awaited--;
}

void session_lease_begin(struct session *session)
{
    if (session->leases++ == 0) {
        int64_t wait = next_probe(session) - clock_lease_now();
        timer_schedule(&session->client->timers, &session->client->session_timer, clock_now() + wait);
    }
}

void session_lease_end(struct session *session)
{
    session->leases--;
}

bool session_check_lease(struct session *session)
{
    if (!session->dead && session->leases > 0 && clock_lease_now() >= lease_end(session)) {
        log_line(
            &session->client->settings.logger, CURATOR_LOG_WARN,
            "session 0x%llx: the ensemble's leader has not answered for too long for a session timeout of %lld ms; "
            "the session must be taken for expired",
            (unsigned long long)session->id, (long long)session->timeout_ms);
        session_die(session, ZSESSIONEXPIRED);
    }
    return session->dead;
}

/* Wakes those who wait for the renewal. */
static void tell_renewed(struct session *session)
{
    struct call *call;
    DL_FOREACH (session->client->calls, call) {
        call_wake(call);
    }
}

void session_answered(struct session *session, int64_t sent)
{
    session->answered = later(session->answered, sent);
    lease_base_answered(&session->lease_base, sent, clock_lease_now(), half_tick(session),
                        timeout_of(session) / STEPS_PER_TIMEOUT);
    /* Else the loss could follow at once, in a session that lives. */
    bool renewed = (session->leases == 0 && session->renewals_awaited == 0) || session_lease_secure(session);
    if (session->unresponsive && renewed) {
        session_responsive(session);
    }
    if (session->renewals_awaited > 0 && renewed) {
        tell_renewed(session);
    }
}

static void probe(struct session *session, int64_t now)
{
    session->probed = now;
    struct request *request = request_sync(session, NULL, "/");
    request_abandon(request); /* without memory for it the next one is due soon */
}

/* While connected. Returns the lease clock's time at which to look again. */
static int64_t keep_probing(struct session *session)
{
    int64_t now = clock_lease_now();
    if (now >= next_probe(session)) {
        probe(session, now);
    }
    if (session->unresponsive || !is_depended_on(session)) {
        return next_probe(session);
    }
    int64_t heard = later(session->answered, session->connected_at);
    int64_t unresponsive_at = heard + timeout_of(session) / UNRESPONSIVE_PER_TIMEOUT;
    if (now >= unresponsive_at) {
        session_unresponsive(session);
    }
    return earlier(unresponsive_at, next_probe(session));
}

/* clock_now() or NEVER. */
static int64_t keep_lease(struct session *session)
{
    if (session_check_lease(session)) {
        return NEVER;
    }
    int64_t due = session->connected ? keep_probing(session) : NEVER; /* lease clock */
    if (session->leases > 0) {
        return clock_for_lease(earlier(due, lease_end(session)));
    }
    return due == NEVER ? NEVER : clock_now() + (due - clock_lease_now());
}

int64_t session_on_timer(struct session *session)
{
    int64_t due = earlier(keep_lease(session), connect_on_timer(session));
    if (session->dead) {
        due = session_consider_teardown(session);
    }
    return due;
}
