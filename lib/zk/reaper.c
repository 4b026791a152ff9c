/* SPDX-License-Identifier: Apache-2.0 */
/* Ends dead sessions. */
#include "zk/reaper.h"

#include "base/clock.h"
#include "base/log.h"
#include "client/client.h"
#include "zk/handle.h"

#include <utlist.h>

#define DRAIN_MS 1000
#define CLOSE_ANSWERED_WITHIN_MS 1400 /* zookeeper_close() waits 1500 ms for the server, and then says nothing of it */
#define ATTACH_FOR_MS 3000
#define ATTACH_MS 500
#define EXPIRY_TOLD_MS 200

static void note_lingering(struct session *session)
{
    struct client *client = session->client;
    client->sessions_lingering++;
    log_line(&client->settings.logger, CURATOR_LOG_WARN,
             "session 0x%llx could not be closed on the server; it may linger for %lld ms",
             (unsigned long long)session->id, (long long)session->timeout_ms);
}

/* The last touch: whoever waits for reapers == 0 joins what has ended, and may then free the client. */
static void end_thread(struct client *client)
{
    client->reapers--;
    client_thread_ends(client);
    pthread_cond_broadcast(&client->quiet);
    pthread_mutex_unlock(&client->mutex);
}

/*
 * Until all is answered. A connection that is silent, but not broken yet, may be replaced by one on which the session
 * can be closed in order, so it is waited for as long as for one that is broken already. Woken by the last answer, by
 * the break (which ends what is outstanding), and by the closing of the client.
 */
static void drain(struct session *session)
{
    struct client *client = session->client;
    int64_t at_least = clock_after(clock_now(), DRAIN_MS);
    while (session->connected && session->outstanding != NULL) {
        int64_t deadline = client->closing || session->teardown_at < at_least ? at_least : session->teardown_at;
        if (clock_now() >= deadline) {
            return;
        }
        condition_wait_until(&client->quiet, &client->mutex, deadline);
    }
}

/* Whether it broke meanwhile, and may still come back to be closed in order. */
static bool may_come_back(const struct session *session)
{
    return !session->connected && !session->over_on_server && session->id != 0 && !session->client->closing &&
           clock_now() < session->teardown_at;
}

/* With the mutex held, which it lets go of meanwhile. The session is gone afterwards. */
static void close_drained(struct session *session)
{
    struct client *client = session->client;
    bool told = session->connected && session->outstanding == NULL;
    bool needs_telling = session->id != 0 && !session->over_on_server;
    zhandle_t *handle = session->handle;
    int64_t started = clock_now();
    pthread_mutex_unlock(&client->mutex);

    zookeeper_close(handle); /* joins its threads: the mutex, which their callbacks take, is not held */

    pthread_mutex_lock(&client->mutex);
    told = told && clock_now() - started < CLOSE_ANSWERED_WITHIN_MS * NANOSECONDS_PER_MILLISECOND;
    if (needs_telling && !told) {
        note_lingering(session);
    }
    session_handle_closed(session);
}

static void *close_handle(void *context)
{
    struct session *session = context;
    struct client *client = session->client;
    pthread_mutex_lock(&client->mutex);
    drain(session);
    if (may_come_back(session)) {
        session->closing_handle = false; /* the reconnect, the client's closing or teardown_at decides anew */
        timer_schedule(&client->timers, &client->session_timer, session->teardown_at);
    } else {
        close_drained(session);
    }
    end_thread(client);
    return NULL;
}

/* The second handle. */
struct attachment {
    struct handle_descriptors descriptors; /* set until it is opened, then its watcher's */
    enum close_on_exec marked;
    pthread_mutex_t mutex; /* guards opened, settled and over */
    pthread_cond_t changed;
    bool opened;  /* its watcher waits for this */
    bool settled; /* connected, or the session is over */
    bool over;    /* the session is, says the server */
};

static void set(struct attachment *attachment, bool *what)
{
    pthread_mutex_lock(&attachment->mutex);
    *what = true;
    pthread_cond_broadcast(&attachment->changed);
    pthread_mutex_unlock(&attachment->mutex);
}

static void mark_attached(struct attachment *attachment, zhandle_t *handle)
{
    pthread_mutex_lock(&attachment->mutex);
    while (!attachment->opened) {
        pthread_cond_wait(&attachment->changed, &attachment->mutex);
    }
    pthread_mutex_unlock(&attachment->mutex);
    if (attachment->marked != CANNOT_MARK) {
        attachment->marked = close_on_exec_connected(&attachment->descriptors, handle);
    }
}

static void on_attached(zhandle_t *handle, int type, int state, const char *path, void *context)
{
    (void)path;
    struct attachment *attachment = context;
    if (type != ZOO_SESSION_EVENT) {
        return;
    }
    if (state == ZOO_CONNECTED_STATE) {
        mark_attached(attachment, handle);
    }
    if (state == ZOO_EXPIRED_SESSION_STATE) {
        set(attachment, &attachment->over);
    }
    if (state == ZOO_CONNECTED_STATE || state == ZOO_EXPIRED_SESSION_STATE) {
        set(attachment, &attachment->settled);
    }
}

static void discard_line(const char *message)
{
    (void)message;
}

/* Joins the session with a handle of our own and closes that, which ends the session for everyone. True: the server says
 * that it is over. */
static bool attach_and_close(const char *servers, int64_t timeout_ms, const clientid_t *id)
{
    struct attachment attachment = {.mutex = PTHREAD_MUTEX_INITIALIZER};
    if (condition_init(&attachment.changed) != 0) {
        return false;
    }
    const struct handle_options options = {.servers = servers,
                                           .timeout_ms = timeout_ms,
                                           .id = id,
                                           .watcher = on_attached,
                                           .context = &attachment,
                                           .log = discard_line};
    int error;
    zhandle_t *handle = handle_open(&options, &attachment.descriptors, &attachment.marked, &error);
    if (handle != NULL) { /* otherwise the next try may find a thread or a descriptor */
        int64_t deadline = clock_after(clock_now(), ATTACH_MS);
        if (attachment.marked == MARK_LATER) {
            attachment.marked = close_on_exec_watch(&attachment.descriptors, ATTACH_MS / 2);
        }
        set(&attachment, &attachment.opened);
        pthread_mutex_lock(&attachment.mutex);
        while (!attachment.settled && clock_now() < deadline) {
            condition_wait_until(&attachment.changed, &attachment.mutex, deadline);
        }
        pthread_mutex_unlock(&attachment.mutex);
        zookeeper_close(handle);
    }
    pthread_cond_destroy(&attachment.changed);
    pthread_mutex_destroy(&attachment.mutex);
    return attachment.over;
}

/* The lent handle takes the session back as often as it can; who closes it first wins. It learns of it as an expiry. */
static void end(struct session *session)
{
    struct client *client = session->client;
    clientid_t id = session->id_and_password;
    int64_t give_up_at = clock_after(clock_now(), ATTACH_FOR_MS);
    while (!session->over_on_server && clock_now() < give_up_at) {
        pthread_mutex_unlock(&client->mutex);
        bool over = attach_and_close(session->servers, session->timeout_ms, &id);
        pthread_mutex_lock(&client->mutex);
        session->over_on_server = session->over_on_server || over;
        int64_t deadline = clock_after(clock_now(), EXPIRY_TOLD_MS);
        while (!session->over_on_server && clock_now() < deadline) {
            condition_wait_until(&client->quiet, &client->mutex, deadline);
        }
    }
    if (!session->over_on_server) {
        note_lingering(session);
    }
    session->being_expired = false;
    session->over_on_server = true; /* as far as it is in our power */
    session_consider_teardown(session);
}

static void *end_session(void *context)
{
    struct session *session = context;
    struct client *client = session->client;
    pthread_mutex_lock(&client->mutex);
    end(session);
    session_unref(session);
    end_thread(client);
    return NULL;
}

static bool start(struct session *session, void *(*run)(void *context))
{
    struct client *client = session->client;
    if (client_thread_start(client, run, session) == 0) {
        client->reapers++;
        return true;
    }
    session->teardown_at = clock_after(clock_now(), DRAIN_MS); /* tried again after a while */
    timer_schedule(&client->timers, &client->session_timer, session->teardown_at);
    return false;
}

void reaper_close_handle(struct session *session)
{
    session->closing_handle = start(session, close_handle);
}

void reaper_expire_session(struct session *session)
{
    session_ref(session);
    session->being_expired = start(session, end_session);
    if (!session->being_expired) {
        session_unref(session);
    }
}

/* A session that no thread could be had for. */
static struct session *first_unattended(const struct client *client)
{
    struct session *session;
    DL_FOREACH (client->sessions, session) {
        bool wanted = session->loans == 0 || (session->connected && !session->over_on_server);
        if (wanted && !session->closing_handle && !session->being_expired) {
            return session;
        }
    }
    return NULL;
}

void reaper_finish_here(struct client *client)
{
    for (struct session *session = first_unattended(client); session != NULL; session = first_unattended(client)) {
        if (session->loans == 0) {
            session->closing_handle = true;
            drain(session);
            close_drained(session);
        } else {
            session->being_expired = true;
            session_ref(session);
            end(session);
            session_unref(session);
        }
    }
}
