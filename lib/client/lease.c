/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long a session certainly lives, and the probes that keep this known while locks depend on it.
 *
 * The leader of the ensemble expires a session a session timeout T after it last heard of it. The ZooKeeper client is
 * no help in keeping ahead of that: it notices a dead server late, an expiry only when a server answers again, and a
 * follower that has lost its leader goes on answering reads and pings. So:
 * - Only answers that come from the leader count: to create, delete, set and sync.
 * - Such an answer to a request sent at s proves that the leader could be reached at s. What it has heard of the
 * session by then it heard in the follower's answers to its pings, sent every half tick: everything up to half a tick
 * before s. Within the probe interval before that there was a request of ours. The lease is counted from there.
 * - In the first moments after a grant on a session that was idle, there was only a ping of the ZooKeeper client's, up to
 * T/3 before. The lease is shorter then, though no shorter than 0.55 T.
 */
#include "client/session.h"

#include "client/client.h"
#include "client/clock.h"
#include "client/connecting.h"
#include "client/log_slot.h"
#include "client/request.h"

#define PROBES_PER_TIMEOUT 12
#define PINGS_PER_TIMEOUT 3   /* what the ZooKeeper client sends on an idle session */
#define SILENT_AFTER_PROBES 4 /* unanswered */
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

/* Whether requests of ours have gone out often enough for long enough; before, only the client's pings have. */
static bool is_settled(const struct session *session)
{
    return session->leases > 0 &&
           session->answered - session->leased_since >= half_tick(session) + probe_interval(session);
}

static int64_t lease_end(const struct session *session)
{
    int64_t timeout = timeout_of(session);
    if (is_settled(session)) {
        return session->answered + timeout - half_tick(session) - probe_interval(session);
    }
    int64_t length = timeout - half_tick(session) - timeout / PINGS_PER_TIMEOUT;
    int64_t least = timeout / 20 * 11; /* so that a short interruption does not cost a lock that has just been got */
    return session->answered + (length > least ? length : least);
}

static int64_t next_probe(const struct session *session)
{
    int64_t last = session->probed > session->answered ? session->probed : session->answered;
    return last + probe_interval(session);
}

bool session_lease_fresh(const struct session *session)
{
    return clock_lease_now() < session->answered + probe_interval(session);
}

bool session_lease_over(const struct session *session)
{
    return clock_lease_now() >= lease_end(session);
}

void session_lease_begin(struct session *session)
{
    if (session->leases++ == 0) {
        session->leased_since = session->answered;
        int64_t wait = next_probe(session) - clock_lease_now();
        upkeep_schedule(&session->client->upkeep, &session->client->keep_up, clock_now() + wait);
    }
}

void session_lease_end(struct session *session)
{
    session->leases--;
}

bool session_check_lease(struct session *session)
{
    if (!session->dead && session->leases > 0 && session_lease_over(session)) {
        log_line(
            &session->client->settings.logger, CURATOR_LOG_WARN,
            "session 0x%llx: the ensemble's leader has not answered for too long for a session timeout of %lld ms; "
            "the session must be taken for expired",
            (unsigned long long)session->id, (long long)session->timeout_ms);
        session_die(session, ZSESSIONEXPIRED);
    }
    return session->dead;
}

void session_answered(struct session *session, int64_t sent)
{
    if (sent > session->answered) {
        session->answered = sent;
    }
    if (session->silent) {
        session_spoke(session);
    }
}

static void probe(struct session *session, int64_t now)
{
    session->probed = now;
    struct request *request = request_sync(session, NULL, "/");
    request_abandon(request); /* without memory for it the next one is due soon */
}

/* While connected, and locks depend on it or it is silent. Returns the lease clock's time at which to look again. */
static int64_t keep_probing(struct session *session)
{
    int64_t now = clock_lease_now();
    if (now >= next_probe(session)) {
        probe(session, now);
    }
    int64_t heard = session->answered > session->connected_at ? session->answered : session->connected_at;
    int64_t silent_at = heard + SILENT_AFTER_PROBES * probe_interval(session);
    if (!session->silent && now >= silent_at) {
        session_fell_silent(session);
    }
    return !session->silent && silent_at < next_probe(session) ? silent_at : next_probe(session);
}

static int64_t earlier(int64_t one, int64_t other)
{
    return one < other ? one : other;
}

static int64_t keep_lease(struct session *session)
{
    int64_t due = NEVER; /* lease clock */
    if (session_check_lease(session)) {
        return NEVER;
    }
    if (session->connected && (session->leases > 0 || session->silent)) {
        due = keep_probing(session);
    }
    if (session->leases > 0) {
        due = earlier(due, lease_end(session));
    }
    return due == NEVER ? NEVER : clock_now() + (due - clock_lease_now());
}

int64_t session_keep_up(struct session *session)
{
    int64_t due = earlier(keep_lease(session), connecting_keep_up(session));
    if (session->dead) {
        due = session_consider_retiring(session);
    }
    return due;
}
