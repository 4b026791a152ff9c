/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long a session is waited for that is not connected.
 *
 * The ZooKeeper client gives each server two thirds of the session timeout to accept a connection and to answer the
 * request for a session: 40 s by default. A server that is just starting accepts connections which it never answers,
 * and one that is unreachable does not refuse them either. A session that never began has nothing to lose, so its
 * handle is given up sooner, for one that tries again.
 */
#include "client/connect_timeout.h"

#include "base/backoff.h"
#include "base/clock.h"
#include "base/container_of.h"
#include "client/connection.h"

#define LOOKS_PER_TRY 4
#define TRIES_PER_CONNECTION_TIMEOUT 3
#define SHORTEST_TRY_MS 1000
#define LONGEST_TRY_DOUBLINGS 6

/* Longer with each round of the servers, so that one which is slow to answer is not asked for new sessions for ever. */
static int64_t patience_ms(const struct connection *connection)
{
    int64_t longest = connection->settings->connection_timeout_ms / TRIES_PER_CONNECTION_TIMEOUT;
    int64_t patience = clock_later(clock_earlier(longest, connection->session->timeout_ms), SHORTEST_TRY_MS);
    size_t addresses = connection->addresses.count;
    return backoff_ms(patience, connection->unanswered / (addresses > 0 ? addresses : 1), LONGEST_TRY_DOUBLINGS);
}

/* Not between two tries, when the ZooKeeper client waits a little because it was refused. */
static bool is_trying(const struct session *session)
{
    int state = zoo_state(session->handle);
    return state == ZOO_CONNECTING_STATE || state == ZOO_ASSOCIATING_STATE;
}

/* As many tries as there are addresses, then the names are looked up again. */
static void give_up_session(struct connection *connection)
{
    size_t addresses = connection->addresses.count;
    connection->unanswered++;
    connection->addresses_used = addresses == 0 || connection->unanswered % addresses == 0;
    connection_note_problem(connection, NO_ANSWER);
    session_die(connection->session, ZSESSIONEXPIRED);
}

/*
 * For a session that never connected. Several looks in a row that find it trying count as one try. Nothing is done if
 * our limit would exceed the ZooKeeper client's own, or while the handle is lent: its requests may wait for it.
 */
static int64_t await_first_answer(struct connection *connection)
{
    const struct session *session = connection->session;
    int64_t now = clock_now();
    int64_t patience = patience_ms(connection);
    if (patience + 2 * patience / LOOKS_PER_TRY >= session->timeout_ms / 3 * 2) {
        return NEVER;
    }
    if (!is_trying(session) || session->loans > 0) {
        connection->trying_since = 0;
    } else if (connection->trying_since == 0) {
        connection->trying_since = now;
    } else if (now >= clock_after(connection->trying_since, patience)) {
        give_up_session(connection);
        return NEVER;
    }
    return clock_after(now, patience / LOOKS_PER_TRY);
}

/*
 * One that began is over when its timeout is, which the server counts also while this machine sleeps; one that never
 * did only if its servers' names may lead elsewhere by now.
 */
static int64_t await_return(struct connection *connection)
{
    struct session *session = connection->session;
    if (session->state == STATE_CONNECTING && !connection->has_names) {
        return NEVER;
    }
    int64_t over = clock_after(session->disconnected_at, session->timeout_ms);
    if (clock_lease_now() >= over) {
        session_die(session, ZSESSIONEXPIRED);
        return NEVER;
    }
    return clock_for_lease(over);
}

void connect_timeout_run(struct timer *timer)
{
    struct connection *connection = container_of(timer, struct connection, timeout);
    const struct session *session = connection->session;
    if (session == NULL || session_is_connected(session)) {
        return;
    }
    int64_t due = await_return(connection);
    if (connection->session == session && session->state == STATE_CONNECTING) {
        due = clock_earlier(due, await_first_answer(connection));
    }
    if (connection->session == session && due != NEVER) {
        timer_schedule(connection->sessions->timers, &connection->timeout, due);
    }
}
