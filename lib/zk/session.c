/* SPDX-License-Identifier: Apache-2.0 */
/* One ZooKeeper session: opening, what its handle's watcher reports, dying, and its hand-over to the reaper. */
#include "zk/session.h"

#include "base/clock.h"
#include "base/log.h"
#include "client/call.h"
#include "client/client.h"
#include "zk/handle.h"
#include "zk/reaper.h"
#include "zk/request.h"
#include "zk/session_descriptors.h"
#include "zk/watch.h"
#include "zk/zk_log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

void session_ref(struct session *session)
{
    session->references++;
}

void session_unref(struct session *session)
{
    if (--session->references == 0) {
        free(session->servers);
        free(session);
    }
}

bool session_usable(const struct session *session)
{
    return session->connected && !session->dead && !session->unresponsive && !session->authenticating;
}

bool session_handle_is_over(const struct session *session)
{
    return session->dead || session->handle == NULL || is_unrecoverable(session->handle) != ZOK;
}

static void tell(struct session *session, enum session_event event)
{
    struct client *client = session->client;
    struct session_observer *observer, *next;
    DL_FOREACH_SAFE (session->observers, observer, next) {
        observer->changed(observer, event);
    }
    if (client->session == session) {
        client->settings.session_changed(client->settings.context, event);
    }
    struct call *call;
    DL_FOREACH (client->calls, call) {
        call_wake(call);
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

static void tell_connected(struct session *session)
{
    if (session_usable(session)) {
        session->announced = true;
        tell(session, SESSION_CONNECTED);
    }
}

/*
 * On the handle's I/O thread. A refusal comes as a session event. If the connection breaks before the verdict, this is
 * called with a lock of the ZooKeeper client's held, under which ours must not be taken; the next connection asks again.
 */
static void on_authenticated(int rc, const void *data)
{
    struct session *session = (struct session *)(uintptr_t)data;
    client_mark_callback_thread();
    if (rc != ZOK) {
        return;
    }
    pthread_mutex_lock(&session->client->mutex);
    if (session->authenticating) {
        session->authenticating = false;
        tell_connected(session);
    }
    pthread_mutex_unlock(&session->client->mutex);
}

/* Sent before any request of ours, and by the ZooKeeper client again at every reconnect. */
static void authenticate(struct session *session)
{
    const struct client_settings *settings = &session->client->settings;
    if (settings->auth_scheme == NULL) {
        return;
    }
    session->authenticating = true;
    int rc = zoo_add_auth(session->handle, settings->auth_scheme, settings->auth_credentials,
                          (int)strlen(settings->auth_credentials), on_authenticated, session);
    if (rc != ZOK) {
        log_line(&settings->logger, CURATOR_LOG_WARN, "credentials could not be sent: %s", zerror(rc));
        session_die(session, ZSESSIONEXPIRED);
    }
}

static void on_disconnected(struct session *session)
{
    if (!session->connected) {
        return;
    }
    session->connected = session->announced = false;
    session->unresponsive = false; /* no longer believed in at all */
    session->disconnected_at = clock_lease_now();
    session_descriptors_disconnected(session);
    if (!session->dead) {
        tell(session, SESSION_DISCONNECTED);
        timer_schedule(&session->client->timers, &session->client->session_timer, 0);
    }
}

static void on_connected(struct session *session)
{
    bool first = session->id == 0;
    if (session->connected) { /* the ZooKeeper client does not tell every break */
        on_disconnected(session);
    }
    session->connected = true;
    session->unresponsive = session->leases > 0; /* until the leader has answered, and the lease reaches far enough */
    session->connected_at = clock_lease_now();
    session->id_and_password = *zoo_client_id(session->handle);
    session->id = session->id_and_password.client_id;
    session->timeout_ms = zoo_recv_timeout(session->handle);
    if (session->dead) {
        session_consider_teardown(session); /* it lived on at the server after all: now it can be closed in order */
        return;
    }
    if (!first) {
        lease_base_reconnected(&session->lease_base);
    }
    session->client->connect_failures = 0;
    session->client->unanswered = 0;
    session->client->problem[0] = '\0';
    if (first || session->authenticating) {
        authenticate(session);
    }
    tell_connected(session);
    timer_schedule(&session->client->timers, &session->client->session_timer, 0);
}

static void on_over(struct session *session, int rc)
{
    session->over_on_server = true;
    session->connected = false;
    if (rc == ZAUTHFAILED) {
        session->client->auth_failed = true;
    }
    session_die(session, rc);
    session_consider_teardown(session);
    pthread_cond_broadcast(&session->client->quiet);
}

/* Until the thread that opens the handle has stored it. */
static void await_opened(struct session *session)
{
    while (session->opening) {
        pthread_cond_wait(&session->client->quiet, &session->client->mutex);
    }
}

static void on_session_event(zhandle_t *handle, int type, int state, const char *path, void *context)
{
    (void)path;
    client_mark_callback_thread();
    if (type != ZOO_SESSION_EVENT) {
        return;
    }
    struct session *session = context;
    struct client *client = session->client;
    pthread_mutex_lock(&client->mutex);
    await_opened(session);
    if (state == ZOO_CONNECTED_STATE) {
        session_descriptors_connected(session, handle);
    }
    if (session->handle != handle) {
        /* being closed: nothing that still comes matters */
    } else if (state == ZOO_CONNECTED_STATE) {
        on_connected(session);
    } else if (state == ZOO_EXPIRED_SESSION_STATE) {
        on_over(session, ZSESSIONEXPIRED);
    } else if (state == ZOO_AUTH_FAILED_STATE) {
        on_over(session, ZAUTHFAILED);
    } else {
        on_disconnected(session);
    }
    pthread_mutex_unlock(&client->mutex);
}

void session_unresponsive(struct session *session)
{
    session->unresponsive = true;
    tell(session, SESSION_UNRESPONSIVE);
}

void session_responsive(struct session *session)
{
    session->unresponsive = false;
    if (!session->announced) {
        tell_connected(session);
    } else if (session_usable(session)) {
        tell(session, SESSION_RESPONSIVE);
    }
}

struct session *session_open(struct client *client, const char *servers, int *error)
{
    struct session *session = calloc(1, sizeof *session);
    char *copy = strdup(servers);
    if (session == NULL || copy == NULL) {
        free(session);
        free(copy);
        *error = ENOMEM;
        return NULL;
    }
    session->client = client;
    session->references = 1;
    session->servers = copy;
    session->timeout_ms = client->settings.session_timeout_ms;
    session->disconnected_at = clock_lease_now();
    lease_base_begin(&session->lease_base, session->disconnected_at);
    session->zk_log = zk_log_take(&client->settings.logger);

    session->opening = true;
    const struct handle_options options = {.servers = copy,
                                           .timeout_ms = session->timeout_ms,
                                           .watcher = on_session_event,
                                           .context = session,
                                           .log = zk_log_callback(session->zk_log)};
    struct handle_descriptors descriptors;
    enum close_on_exec marked = MARKED;
    pthread_mutex_unlock(&client->mutex);
    zhandle_t *handle = handle_open(&options, &descriptors, &marked, error);
    pthread_mutex_lock(&client->mutex);
    if (handle == NULL) {
        zk_log_give_back(session->zk_log);
        session_unref(session);
        return NULL;
    }
    session->handle = handle;
    session->opening = false;
    session_descriptors_found(session, &descriptors, marked);
    DL_APPEND(client->sessions, session);
    return session;
}

void session_die(struct session *session, int rc)
{
    if (session->dead) {
        return;
    }
    struct client *client = session->client;
    session->dead = true;
    session->death = rc;
    session->teardown_at = clock_after(clock_now(), session->timeout_ms);
    struct request *request, *next;
    DL_FOREACH_SAFE (session->outstanding, request, next) {
        request_finish(request, rc);
    }
    tell(session, SESSION_DIED);
    if (client->session == session) {
        client->session = NULL;
    }
    client_connect(client);
    timer_schedule(&client->timers, &client->session_timer, 0);
}

int64_t session_consider_teardown(struct session *session)
{
    if (!session->dead || session->closing_handle || session->being_expired) {
        return NEVER;
    }
    bool over = session->over_on_server || session->id == 0;
    if (session->loans > 0) {
        /* The handle cannot be closed; but our nodes must not live on for as long as the user keeps it. */
        if (!over && session->connected) {
            reaper_expire_session(session);
        }
        return NEVER;
    }
    /* A session that we gave up by the clock may live on at the server with our nodes: closing the handle while it is
     * not connected would leave them there, so it gets a session timeout to come back and be closed. */
    if (over || session->connected || session->client->closing || clock_now() >= session->teardown_at) {
        reaper_close_handle(session);
        return NEVER;
    }
    return session->teardown_at;
}

void session_handle_closed(struct session *session)
{
    struct client *client = session->client;
    session->handle = NULL;
    zk_log_give_back(session->zk_log);
    struct request *request, *next;
    DL_FOREACH_SAFE (session->outstanding, request, next) {
        /* The ZooKeeper client forgets some completions when it is closed; none will come any more. */
        DL_DELETE(session->outstanding, request);
        request->outstanding = false;
        watch_request_ends(session, request->watched, false);
        request->watched = NULL;
        request_finish(request, ZCLOSING);
        request_unref(request);
    }
    watch_forget_set(session);
    DL_DELETE(client->sessions, session);
    session_unref(session);
}
