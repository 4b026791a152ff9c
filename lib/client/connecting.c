/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long a session is waited for that is not connected.
 *
 * The ZooKeeper client gives each server two thirds of the session timeout to accept a connection and to answer the
 * request for a session: 40 s by default. A server that is just starting accepts connections which it never answers, and
 * one that is unreachable does not refuse them either. A session that never began has nothing to lose, so its handle is
 * given up sooner, for one that tries again.
 */
#include "client/connecting.h"

#include "base/clock.h"
#include "client/client.h"
#include "zk/session.h"

#define LOOKS_PER_TRY 4
#define TRIES_PER_CONNECTION_TIMEOUT 3
#define SHORTEST_TRY_MS 1000
#define LONGEST_TRY_DOUBLINGS 6

/* Longer with each round of the servers, so that one which is slow to answer is not asked for new sessions for ever. */
static int64_t patience_ms(const struct session *session)
{
    const struct client *client = session->client;
    int64_t patience = client->settings.connection_timeout_ms / TRIES_PER_CONNECTION_TIMEOUT;
    patience = patience < session->timeout_ms ? patience : session->timeout_ms;
    patience = patience > SHORTEST_TRY_MS ? patience : SHORTEST_TRY_MS;
    size_t rounds = client->unanswered / (client->address_count > 0 ? client->address_count : 1);
    return patience << (rounds < LONGEST_TRY_DOUBLINGS ? rounds : LONGEST_TRY_DOUBLINGS);
}

/* Not between two tries, when the ZooKeeper client waits a little because it was refused. */
static bool is_trying(const struct session *session)
{
    int state = zoo_state(session->handle);
    return state == ZOO_CONNECTING_STATE || state == ZOO_ASSOCIATING_STATE;
}

/* As many tries as there are addresses, then the names are looked up again. */
static void give_up(struct session *session)
{
    struct client *client = session->client;
    client->unanswered++;
    client->addresses_used = client->address_count == 0 || client->unanswered % client->address_count == 0;
    client_note_problem(client, NO_ANSWER);
    session_die(session, ZSESSIONEXPIRED);
}

/*
 * One that never began. What is seen at several looks in a row is taken for one try. No longer than the ZooKeeper client
 * tries itself; and requests by a handle that is lent may wait for just this session.
 */
static int64_t await_first_answer(struct session *session)
{
    int64_t now = clock_now();
    int64_t patience = patience_ms(session);
    if (patience + 2 * patience / LOOKS_PER_TRY >= session->timeout_ms / 3 * 2) {
        return NEVER;
    }
    if (!is_trying(session) || session->loans > 0) {
        session->trying_since = 0;
    } else if (session->trying_since == 0) {
        session->trying_since = now;
    } else if (now >= clock_after(session->trying_since, patience)) {
        give_up(session);
        return NEVER;
    }
    return clock_after(now, patience / LOOKS_PER_TRY);
}

/* One that began is over when its timeout is, which the server counts also while this machine sleeps; one that never did only if its servers' names may lead elsewhere by now. */
static int64_t await_return(struct session *session)
{
    if (session->id == 0 && !session->client->resolved) {
        return NEVER;
    }
    int64_t over = clock_after(session->disconnected_at, session->timeout_ms);
    if (clock_lease_now() >= over) {
        session_die(session, ZSESSIONEXPIRED);
        return NEVER;
    }
    return clock_for_lease(over);
}

int64_t connect_on_timer(struct session *session)
{
    if (session->dead || session->connected) {
        return NEVER;
    }
    int64_t over = await_return(session);
    if (session->dead || session->id != 0) {
        return over;
    }
    int64_t look = await_first_answer(session);
    return look < over ? look : over;
}
