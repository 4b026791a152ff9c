/* SPDX-License-Identifier: Apache-2.0 */
/* The connection of one framework: what its parts share, its start, and its end. */
#include "client/client.h"

#include "base/clock.h"
#include "base/container_of.h"
#include "base/fork.h"
#include "client/connect_timeout.h"
#include "zk/reaper.h"
#include "zk/session_descriptors.h"
#include "zk/session_timer.h"

#include <errno.h>
#include <string.h>

#define LOAN_WAIT_MS 1000

static void client_on_accepted(struct session_group *sessions)
{
    connection_accepted(&container_of(sessions, struct client, sessions)->connection);
}

static void client_on_changed(struct session_group *sessions, struct session *session, enum session_event event)
{
    connection_changed(&container_of(sessions, struct client, sessions)->connection, session, event);
}

static bool client_callbacks_are_idle(const struct session_group *sessions)
{
    const struct client_settings *settings = &container_of(sessions, const struct client, sessions)->settings;
    return settings->callbacks_are_idle(settings->context);
}

/*
 * The mutex is held for microseconds, but also while a request is given to the ZooKeeper client, which wakes a thread
 * that may take the processor. Who finds it taken looks again for a moment before it sleeps, which pays where many
 * threads share the session: compat-tests/bench/run --work threads.
 */
static int client_mutex_init(pthread_mutex_t *mutex)
{
#ifdef __GLIBC__
    pthread_mutexattr_t attributes;
    int rc = pthread_mutexattr_init(&attributes);
    if (rc != 0) {
        return rc;
    }
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP);
    rc = pthread_mutex_init(mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
    return rc;
#else
    return pthread_mutex_init(mutex, NULL);
#endif
}

static int init_conditions(struct client *client)
{
    int rc = wakers_init(&client->wakers);
    if (rc != 0) {
        return rc;
    }
    rc = condition_init(&client->quiet);
    if (rc != 0) {
        wakers_free(&client->wakers);
    }
    return rc;
}

static void init_sessions(struct client *client)
{
    const struct client_settings *settings = &client->settings;
    const char *chroot = settings->servers->chroot;
    client->sessions = (struct session_group){.mutex = &client->mutex,
                                              .timers = &client->timers,
                                              .wakers = &client->wakers,
                                              .quiet = &client->quiet,
                                              .threads = &client->threads,
                                              .logger = &settings->logger,
                                              .zk_log = {.logger = &settings->logger, .notes = &client->sessions.notes},
                                              .auth_scheme = settings->auth_scheme,
                                              .auth_credentials = settings->auth_credentials,
                                              .chroot_length = chroot != NULL ? strlen(chroot) : 0,
                                              .timeout_ms = settings->session_timeout_ms,
                                              .accepted = client_on_accepted,
                                              .changed = client_on_changed,
                                              .callbacks_are_idle = client_callbacks_are_idle,
                                              .notes = SERVER_NOTES_INIT,
                                              .timer = {.run = session_timer_run},
                                              .mark = {.run = session_descriptors_run}};
    connection_init(&client->connection, settings, &client->sessions);
    client->connection.timeout.run = connect_timeout_run;
}

int client_init(struct client *client, const struct client_settings *settings)
{
    *client = (struct client){.settings = *settings,
                              .fork_generation = fork_generation(),
                              .host_address_known = !settings->wants_host_address};
    int rc = client->fork_generation != 0 ? client_mutex_init(&client->mutex) : ENOMEM;
    if (rc != 0) {
        return rc;
    }
    rc = init_conditions(client);
    if (rc != 0) {
        pthread_mutex_destroy(&client->mutex);
        return rc;
    }
    thread_group_init(&client->threads, &client->timers);
    init_sessions(client);
    rc = timer_thread_start(&client->timers, &client->mutex);
    if (rc != 0) {
        pthread_cond_destroy(&client->quiet);
        wakers_free(&client->wakers);
        pthread_mutex_destroy(&client->mutex);
    }
    return rc;
}

/* On the thread of the look-up. */
static bool host_address_found(void *context, const struct resolution *resolution, struct resolved *resolved)
{
    struct client *client = context;
    pthread_mutex_lock(&client->mutex);
    bool ours = client->host_look_up == resolution;
    if (ours) {
        client->host_look_up = NULL;
        client->host_address_known = true;
        memcpy(client->host_address, resolved->host_address, sizeof client->host_address);
        wakers_signal_all(&client->wakers);
        thread_group_leave(&client->threads);
    }
    pthread_mutex_unlock(&client->mutex);
    return ours;
}

int client_start(struct client *client)
{
    pthread_mutex_lock(&client->mutex);
    client->started = clock_now();
    int rc = 0;
    if (client->settings.wants_host_address) {
        const struct resolution_request request = {.done = host_address_found, .context = client};
        rc = resolution_start(&client->threads, &request, &client->host_look_up);
    }
    if (rc == 0) {
        connection_open(&client->connection);
    }
    pthread_mutex_unlock(&client->mutex);
    return rc;
}

void client_stop_calls(struct client *client)
{
    pthread_mutex_lock(&client->mutex);
    client->sessions.closing = true;
    pthread_cond_broadcast(&client->quiet);
    wakers_signal_all(&client->wakers);
    while (client->calls != NULL) {
        pthread_cond_wait(&client->quiet, &client->mutex);
    }
    pthread_mutex_unlock(&client->mutex);
}

static void stop_host_look_up(struct client *client)
{
    pthread_mutex_lock(&client->mutex);
    struct resolution *host_look_up = client->host_look_up;
    client->host_look_up = NULL;
    pthread_mutex_unlock(&client->mutex);
    resolution_cancel(host_look_up);
}

curator_status client_close(struct client *client, bool *lent)
{
    stop_host_look_up(client);
    connection_stop(&client->connection);

    pthread_mutex_lock(&client->mutex);
    int64_t loans_until = clock_after(clock_now(), LOAN_WAIT_MS);
    while (session_any_lent(&client->sessions) && clock_now() < loans_until) {
        condition_wait_until(&client->quiet, &client->mutex, loans_until);
    }
    *lent = reaper_close_all(&client->sessions);
    int lingering = client->sessions.lingering;
    pthread_mutex_unlock(&client->mutex);
    timer_thread_stop(&client->timers);
    pthread_mutex_lock(&client->mutex);
    thread_group_join(&client->threads);
    pthread_mutex_unlock(&client->mutex);
    if (*lent) {
        return CURATOR_ERROR;
    }
    return lingering > 0 ? CURATOR_CONNECTION_LOSS : CURATOR_OK;
}

void client_free(struct client *client)
{
    connection_free(&client->connection);
    wakers_free(&client->wakers);
    thread_group_free(&client->threads);
    client_settings_free(&client->settings);
    pthread_cond_destroy(&client->quiet);
    pthread_mutex_destroy(&client->mutex);
}
