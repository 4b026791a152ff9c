/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long a session certainly lives. The server expires a session no earlier than a session timeout T after it heard
 * from it, so until T after the sending of the last answered request no one else can have got our locks. The ZooKeeper
 * client is no help here: it notices a dead server late, and an expiry only when a server answers again.
 */
#include "client/session.h"

#include "client/client.h"
#include "client/clock.h"
#include "client/log_slot.h"
#include "client/request.h"

static int64_t timeout_of(const struct session *session)
{
    return session->timeout_ms * NANOSECONDS_PER_MILLISECOND;
}

static int64_t next_probe(const struct session *session)
{
    int64_t last = session->probed > session->answered ? session->probed : session->answered;
    return last + timeout_of(session) / 3;
}

void session_lease_begin(struct session *session)
{
    if (session->leases++ == 0) {
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
    if (!session->dead && session->leases > 0 && clock_lease_now() >= session->answered + timeout_of(session)) {
        log_line(&session->client->settings.logger, CURATOR_LOG_WARN,
                 "session 0x%llx: no answer for a session timeout of %lld ms; it must be taken for expired",
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
    struct request *request = request_exists(session, NULL, "/");
    request_abandon(request); /* without memory for it the next one is due in T/3 */
}

/* While locks depend on it, or until it speaks again. Returns the lease clock's time at which something is due again. */
static int64_t keep_lease(struct session *session)
{
    int64_t now = clock_lease_now();
    int64_t timeout = timeout_of(session);
    if (session->connected && now >= next_probe(session)) {
        probe(session, now);
    }
    int64_t quiet_at = session->answered + timeout / 3 * 2;
    if (session->connected && !session->silent && now >= quiet_at) {
        session_fell_silent(session);
    }
    int64_t due = session->answered + timeout;
    if (session->connected && next_probe(session) < due) {
        due = next_probe(session);
    }
    if (session->connected && !session->silent && quiet_at < due) {
        due = quiet_at;
    }
    return due;
}

int64_t session_keep_up(struct session *session)
{
    int64_t due = NEVER;
    if (session->new_socket && session->connected) {
        session->new_socket = false;
        session_mark_socket(session);
    }
    if (!session_check_lease(session) && (session->leases > 0 || session->silent)) {
        due = clock_now() + (keep_lease(session) - clock_lease_now());
    }
    bool waits_to_expire = session->id != 0 || session->client->resolved;
    if (!session->dead && !session->connected && waits_to_expire) {
        int64_t over = clock_after(session->disconnected_at, session->timeout_ms);
        if (clock_now() >= over) {
            session_die(session, ZSESSIONEXPIRED);
        } else if (over < due) {
            due = over;
        }
    }
    if (session->dead && !session->retiring) {
        session_consider_retiring(session);
        if (!session->retiring && session->retire_at < due && session->loans == 0) {
            due = session->retire_at;
        }
    }
    return due;
}
