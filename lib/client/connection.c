/* SPDX-License-Identifier: Apache-2.0 */
/* The current session of a client, and how the next one is opened. */
#include "client/connection.h"

#include "base/backoff.h"
#include "base/clock.h"
#include "base/container_of.h"
#include "base/log.h"
#include "zk/session_move.h"
#include "zk/session_open.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_PAUSE_MS 50
#define MAX_DOUBLINGS 6 /* 3.2 s */

void connection_note_problem(struct connection *connection, const char *what)
{
    snprintf(connection->problem, sizeof connection->problem, "%s", what);
    char line[sizeof "no session: " + PROBLEM_SIZE];
    snprintf(line, sizeof line, "no session: %s", connection->problem);
    log_limited(&connection->settings->logger, CURATOR_LOG_WARN, &connection->sessions->zk_log.attempts, line,
                ZK_LOG_ATTEMPTS);
}

struct session *connection_usable_session(const struct connection *connection)
{
    return connection->session != NULL && session_usable(connection->session) ? connection->session : NULL;
}

static bool wants_session(const struct connection *connection)
{
    const struct session_group *sessions = connection->sessions;
    return !sessions->closing && !sessions->auth_refused && connection->session == NULL;
}

/* Of servers that were exchanged, whether there is a session or not. */
static bool wants_addresses(const struct connection *connection)
{
    const struct session_group *sessions = connection->sessions;
    return !sessions->closing && !sessions->auth_refused && connection->unresolved;
}

static void open_later(struct connection *connection)
{
    int64_t pause = backoff_ms(FIRST_PAUSE_MS, connection->failures++, MAX_DOUBLINGS);
    timer_schedule(connection->sessions->timers, &connection->connect, clock_after(clock_now(), pause));
}

static void open_failed(struct connection *connection, int error)
{
    char why[128];
    connection_note_problem(connection, strerror_r(error, why, sizeof why));
    open_later(connection);
}

/* For the ZooKeeper client; NULL: out of memory. */
static char *servers_for_client(const struct connection *connection)
{
    const struct address_list *addresses = &connection->addresses;
    return connect_string_for_client((const char *const *)addresses->addresses, addresses->ports, addresses->count,
                                     connection->servers->chroot);
}

/* On the timer thread. Releases the mutex while the handle is opened: connection_stop() waits for it. */
static void open_now(struct connection *connection)
{
    char *servers = servers_for_client(connection);
    unsigned exchanges = connection->exchanges;
    int error = ENOMEM;
    if (servers != NULL) {
        connection->opening = true;
        connection->session = session_open(connection->sessions, servers, &error);
        connection->opening = false;
        pthread_cond_broadcast(connection->sessions->quiet);
    }
    free(servers);
    if (connection->session == NULL) {
        open_failed(connection, error);
        return;
    }
    if (connection->exchanges != exchanges) { /* it has asked servers that are not wanted any more */
        session_die(connection->session, ZSESSIONEXPIRED);
        return;
    }
    connection->addresses_used = true;
    connection->trying_since = 0;
    timer_schedule(connection->sessions->timers, &connection->timeout, 0);
}

static void take_addresses(struct connection *connection, struct resolved *resolved)
{
    bool unanswered = resolved->list.count > 0 && connection->unanswered > 0;
    snprintf(connection->problem, sizeof connection->problem, "%s", unanswered ? NO_ANSWER : resolved->problem);
    free(connection->name_errors);
    connection->name_errors = resolved->name_errors;
    resolved->name_errors = NULL;
    connection->addresses_used = false; /* without new ones the old ones may do */
    if (resolved->list.count > 0) {
        address_list_clear(&connection->addresses);
        connection->addresses = resolved->list;
        resolved->list = (struct address_list){0};
    }
}

/* With the addresses of the new servers. A session that has never been connected has nothing to lose. */
static void leave_former_servers(struct connection *connection)
{
    struct session *session = connection->session;
    if (session == NULL) {
        return;
    }
    if (session->id == 0) {
        session_die(session, ZSESSIONEXPIRED);
        return;
    }
    char *servers = servers_for_client(connection);
    if (servers == NULL) {
        connection->unresolved = true; /* all again, after a pause */
        open_later(connection);
        return;
    }
    connection->addresses_used = true;
    session_move_to(session, servers);
}

/* A session lives on meanwhile. */
static void note_unresolved(struct connection *connection)
{
    const int *errors = connection->name_errors;
    char line[PROBLEM_SIZE + 128];
    snprintf(line, sizeof line, "the new servers cannot be looked up: %.64s: %.64s",
             connection->servers->servers[0].host, errors != NULL ? gai_strerror(errors[0]) : connection->problem);
    log_limited(&connection->settings->logger, CURATOR_LOG_WARN, &connection->look_up_failures, line, "times");
}

static void take_resolved(struct connection *connection, struct resolved *resolved)
{
    bool exchanged = connection->unresolved;
    take_addresses(connection, resolved);
    if (connection->addresses.count > 0) {
        connection->unresolved = false;
        log_limit_end(&connection->look_up_failures);
        connection_open(connection);
        if (exchanged) {
            leave_former_servers(connection);
        }
        return;
    }
    if (connection->session != NULL) {
        note_unresolved(connection);
    }
    open_later(connection);
}

/* On the thread of the look-up. */
static bool servers_resolved(void *context, const struct resolution *resolution, struct resolved *resolved)
{
    struct connection *connection = context;
    pthread_mutex_lock(connection->sessions->mutex);
    bool ours = connection->resolution == resolution;
    if (ours) {
        connection->resolution = NULL;
        if (connection->look_up_is_old) {
            connection->look_up_is_old = false;
            connection_open(connection);
        } else {
            take_resolved(connection, resolved);
        }
        thread_group_leave(connection->sessions->threads);
    }
    pthread_mutex_unlock(connection->sessions->mutex);
    return ours;
}

static void connect_on_timer(struct timer *timer)
{
    struct connection *connection = container_of(timer, struct connection, connect);
    if (!wants_session(connection) && !wants_addresses(connection)) {
        return;
    }
    bool known = connection->addresses.count > 0 && !connection->unresolved;
    if (known && !(connection->has_names && connection->addresses_used)) {
        open_now(connection);
        return;
    }
    const struct resolution_request request = {
        .servers = connection->servers, .done = servers_resolved, .context = connection};
    int rc = connection->resolution == NULL
                 ? resolution_start(connection->sessions->threads, &request, &connection->resolution)
                 : 0;
    if (rc != 0) {
        open_failed(connection, rc);
    }
}

static void use_servers(struct connection *connection, const struct connect_string *servers)
{
    connection->servers = servers;
    connection->has_names = false;
    for (size_t i = 0; i < servers->count; i++) {
        connection->has_names = connection->has_names || !servers->servers[i].numeric;
    }
}

void connection_init(struct connection *connection, const struct client_settings *settings,
                     struct session_group *sessions)
{
    *connection = (struct connection){.settings = settings, .sessions = sessions, .connect = {.run = connect_on_timer}};
    use_servers(connection, settings->servers);
}

void connection_set_servers(struct connection *connection, struct connect_string *servers)
{
    connect_string_free(connection->exchanged);
    connection->exchanged = servers;
    connection->exchanges++;
    connection->unresolved = true;
    connection->look_up_is_old = connection->resolution != NULL;
    use_servers(connection, servers);
    free(connection->name_errors);
    connection->name_errors = NULL;
    address_list_clear(&connection->addresses);
    connection->addresses_used = false;
    connection->failures = 0;
    connection->unanswered = 0;
    connection->problem[0] = '\0';
    server_notes_clear(&connection->sessions->notes);
    connection_open(connection);
}

void connection_open(struct connection *connection)
{
    if (!connection->sessions->closing && !connection->sessions->auth_refused) {
        timer_schedule(connection->sessions->timers, &connection->connect, 0);
    }
}

void connection_accepted(struct connection *connection)
{
    connection->failures = 0;
    connection->unanswered = 0;
    connection->problem[0] = '\0';
    server_notes_clear(&connection->sessions->notes);
    zk_log_connected(&connection->sessions->zk_log);
    timer_cancel(connection->sessions->timers, &connection->timeout);
}

void connection_changed(struct connection *connection, const struct session *session, enum session_event event)
{
    if (connection->session == session) {
        connection->settings->session_changed(connection->settings->context, event);
    }
    if (event == SESSION_DISCONNECTED) {
        timer_schedule(connection->sessions->timers, &connection->timeout, 0);
    } else if (event == SESSION_DIED) {
        connection->session = connection->session == session ? NULL : connection->session;
        connection_open(connection);
    }
}

void connection_stop(struct connection *connection)
{
    struct session_group *sessions = connection->sessions;
    pthread_mutex_lock(sessions->mutex);
    struct resolution *resolution = connection->resolution;
    connection->resolution = NULL;
    pthread_mutex_unlock(sessions->mutex);
    resolution_cancel(resolution);
    pthread_mutex_lock(sessions->mutex);
    while (connection->opening) {
        pthread_cond_wait(sessions->quiet, sessions->mutex);
    }
    pthread_mutex_unlock(sessions->mutex);
}

void connection_free(struct connection *connection)
{
    address_list_clear(&connection->addresses);
    free(connection->name_errors);
    connect_string_free(connection->exchanged);
}
