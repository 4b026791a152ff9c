/* SPDX-License-Identifier: Apache-2.0 */
/* The connection of one framework: opening sessions one after the other, and closing them all. */
#include "client/client.h"

#include "base/clock.h"
#include "base/container_of.h"
#include "base/fork.h"
#include "base/log.h"
#include "client/call.h"
#include "client/name_resolution.h"
#include "zk/reaper.h"
#include "zk/request.h"
#include "zk/session_descriptors.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#define FIRST_PAUSE_MS 50
#define LONGEST_PAUSE_DOUBLINGS 6 /* 3.2 s */
#define LOAN_WAIT_MS 1000

static _Thread_local unsigned callback_thread; /* the fork generation in which it became one; 0: it is none */

void client_mark_callback_thread(void)
{
    callback_thread = fork_generation();
}

bool client_on_callback_thread(void)
{
    return callback_thread == fork_generation();
}

const char *client_servers_text(const struct client *client, char *buffer, size_t size)
{
    const struct connect_string *servers = client->settings.servers;
    size_t rest =
        strlen(client->problem) + sizeof " and 4294967295 more ()"; /* the reason tells more than a long list */
    size_t room = size > rest ? size - rest : 0;
    size_t used = 0, i = 0;
    buffer[0] = '\0';
    for (; i < servers->count; i++) {
        const struct connect_server *server = &servers->servers[i];
        int length = snprintf(buffer + used, size - used, i == 0 ? "%s:%d" : ",%s:%d", server->host, server->port);
        if (i > 0 && used + (size_t)length > room) {
            break;
        }
        used += (size_t)length < size - used ? (size_t)length : size - used - 1;
    }
    if (i < servers->count) {
        used += (size_t)snprintf(buffer + used, size - used, " and %zu more", servers->count - i);
    }
    if (client->problem[0] != '\0' && used < size) {
        snprintf(buffer + used, size - used, " (%s)", client->problem);
    }
    return buffer;
}

static void forget_addresses(struct client *client)
{
    for (size_t i = 0; i < client->address_count; i++) {
        free(client->addresses[i]);
    }
    free(client->addresses);
    free(client->ports);
    client->addresses = NULL;
    client->ports = NULL;
    client->address_count = 0;
}

static void try_again_later(struct client *client)
{
    int doublings =
        client->connect_failures < LONGEST_PAUSE_DOUBLINGS ? client->connect_failures : LONGEST_PAUSE_DOUBLINGS;
    client->connect_failures++;
    timer_schedule(&client->timers, &client->connect, clock_after(clock_now(), FIRST_PAUSE_MS << doublings));
}

void client_note_problem(struct client *client, const char *what)
{
    snprintf(client->problem, sizeof client->problem, "%s", what);
    log_line(&client->settings.logger, CURATOR_LOG_WARN, "no session: %s", what);
}

static void no_session(struct client *client, int error)
{
    char why[128];
    client_note_problem(client, strerror_r(error, why, sizeof why));
    try_again_later(client);
}

/* On the timer thread. Lets go of the mutex while the handle is opened: the closing of the client waits for it. */
static void open_session(struct client *client)
{
    char *servers = connect_string_for_client((const char *const *)client->addresses, client->ports,
                                              client->address_count, client->settings.servers->chroot);
    int error = ENOMEM;
    if (servers != NULL) {
        client->opening = true;
        client->session = session_open(client, servers, &error);
        client->opening = false;
        pthread_cond_broadcast(&client->quiet);
    }
    free(servers);
    if (client->session == NULL) {
        no_session(client, error);
        return;
    }
    client->addresses_used = true;
    timer_schedule(&client->timers, &client->session_timer, 0);
}

static bool wants_session(const struct client *client)
{
    return !client->closing && !client->auth_failed && client->session == NULL;
}

static void run_connect(struct timer *timer)
{
    struct client *client = container_of(timer, struct client, connect);
    if (!wants_session(client)) {
        return;
    }
    if (client->address_count > 0 && !(client->resolved && client->addresses_used)) {
        open_session(client);
        return;
    }
    int rc = client->resolution == NULL ? resolution_start(client, RESOLVE_SERVERS, &client->resolution) : 0;
    if (rc != 0) {
        no_session(client, rc);
    }
}

static void take_addresses(struct client *client, struct resolved *resolved)
{
    bool unanswered = resolved->problem[0] == '\0' && client->unanswered > 0;
    snprintf(client->problem, sizeof client->problem, "%s", unanswered ? NO_ANSWER : resolved->problem);
    client->addresses_used = false; /* without new ones the old ones may do */
    if (resolved->count > 0) {
        forget_addresses(client);
        client->addresses = resolved->addresses;
        client->ports = resolved->ports;
        client->address_count = resolved->count;
        resolved->addresses = NULL;
        resolved->ports = NULL;
        resolved->count = 0;
    }
}

bool client_addresses_resolved(struct client *client, const struct resolution *resolution, struct resolved *resolved)
{
    pthread_mutex_lock(&client->mutex);
    bool ours = client->resolution == resolution;
    if (ours) {
        client->resolution = NULL;
        take_addresses(client, resolved);
        if (client->address_count > 0) {
            client_connect(client);
        } else {
            try_again_later(client);
        }
        client_thread_ends(client);
    }
    pthread_mutex_unlock(&client->mutex);
    return ours;
}

bool client_host_address_found(struct client *client, const struct resolution *resolution, const char *host_address)
{
    pthread_mutex_lock(&client->mutex);
    bool ours = client->host_look_up == resolution;
    if (ours) {
        client->host_look_up = NULL;
        client->host_address_known = true;
        memcpy(client->host_address, host_address, sizeof client->host_address);
        struct call *call;
        DL_FOREACH (client->calls, call) {
            call_wake(call);
        }
        client_thread_ends(client);
    }
    pthread_mutex_unlock(&client->mutex);
    return ours;
}

static void run_join(struct timer *timer)
{
    client_thread_join(container_of(timer, struct client, join));
}

void client_connect(struct client *client)
{
    if (!client->closing && !client->auth_failed) {
        timer_schedule(&client->timers, &client->connect, 0);
    }
}

static void run_mark(struct timer *timer)
{
    session_descriptors_look(container_of(timer, struct client, mark));
}

static void on_session_timer(struct timer *timer)
{
    struct client *client = container_of(timer, struct client, session_timer);
    int64_t due = NEVER;
    struct session *session, *next;
    DL_FOREACH_SAFE (client->sessions, session, next) {
        int64_t wanted = session_on_timer(session);
        due = wanted < due ? wanted : due;
    }
    if (due != NEVER) {
        timer_schedule(&client->timers, &client->session_timer, due);
    }
}

/*
 * The mutex is held for microseconds, but also while a request is given to the ZooKeeper client, which wakes a thread
 * that may take the processor. Who finds it taken looks again for a moment before it sleeps, which pays where many
 * threads share the session: compat-tests/bench/run --work threads.
 */
static int mutex_init(pthread_mutex_t *mutex)
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

int client_init(struct client *client, const struct client_settings *settings)
{
    *client = (struct client){.fork_generation = fork_generation(),
                              .connect = {.run = run_connect},
                              .session_timer = {.run = on_session_timer},
                              .mark = {.run = run_mark},
                              .join = {.run = run_join}};
    if (client->fork_generation == 0) {
        return ENOMEM;
    }
    int rc = mutex_init(&client->mutex);
    if (rc != 0) {
        return rc;
    }
    rc = wakers_init(&client->wakers);
    if (rc != 0) {
        pthread_mutex_destroy(&client->mutex);
        return rc;
    }
    rc = condition_init(&client->quiet);
    if (rc != 0) {
        wakers_free(&client->wakers);
        pthread_mutex_destroy(&client->mutex);
        return rc;
    }
    client->settings = *settings;
    client->host_address_known = !settings->wants_host_address;
    for (size_t i = 0; i < settings->servers->count; i++) {
        client->resolved = client->resolved || !settings->servers->servers[i].numeric;
    }
    rc = timer_thread_start(&client->timers, &client->mutex);
    if (rc != 0) {
        pthread_cond_destroy(&client->quiet);
        wakers_free(&client->wakers);
        pthread_mutex_destroy(&client->mutex);
        return rc;
    }
    return 0;
}

int client_start(struct client *client)
{
    pthread_mutex_lock(&client->mutex);
    client->started = clock_now();
    int rc = 0;
    if (client->settings.wants_host_address) {
        rc = resolution_start(client, LOOK_UP_THIS_HOST, &client->host_look_up);
    }
    if (rc == 0) {
        client_connect(client);
    }
    pthread_mutex_unlock(&client->mutex);
    return rc;
}

void client_stop_calls(struct client *client)
{
    pthread_mutex_lock(&client->mutex);
    client->closing = true;
    pthread_cond_broadcast(&client->quiet);
    struct call *call;
    DL_FOREACH (client->calls, call) {
        call_wake(call);
    }
    while (client->calls != NULL) {
        pthread_cond_wait(&client->quiet, &client->mutex);
    }
    pthread_mutex_unlock(&client->mutex);
}

static bool any_lent(const struct client *client)
{
    const struct session *session;
    DL_FOREACH (client->sessions, session) {
        if (session->loans > 0) {
            return true;
        }
    }
    return false;
}

curator_status client_close(struct client *client, bool *lent)
{
    pthread_mutex_lock(&client->mutex);
    struct resolution *resolution = client->resolution;
    struct resolution *host_look_up = client->host_look_up;
    client->resolution = NULL;
    client->host_look_up = NULL;
    pthread_mutex_unlock(&client->mutex);
    resolution_cancel(resolution);
    resolution_cancel(host_look_up);

    pthread_mutex_lock(&client->mutex);
    while (client->opening) {
        pthread_cond_wait(&client->quiet, &client->mutex);
    }
    int64_t loans_until = clock_after(clock_now(), LOAN_WAIT_MS);
    while (any_lent(client) && clock_now() < loans_until) {
        condition_wait_until(&client->quiet, &client->mutex, loans_until);
    }
    client->sessions_lingering = 0;
    struct session *session, *next;
    DL_FOREACH_SAFE (client->sessions, session, next) {
        session_die(session, ZCLOSING);
        session_consider_teardown(session);
    }
    reaper_finish_here(client);
    *lent = any_lent(client);
    while (client->reapers > 0 || (client->sessions != NULL && !*lent)) {
        pthread_cond_wait(&client->quiet, &client->mutex);
    }
    int lingering = client->sessions_lingering;
    pthread_mutex_unlock(&client->mutex);
    timer_thread_stop(&client->timers);
    pthread_mutex_lock(&client->mutex);
    client_thread_join(client);
    pthread_mutex_unlock(&client->mutex);
    if (*lent) {
        return CURATOR_ERROR;
    }
    return lingering > 0 ? CURATOR_CONNECTION_LOSS : CURATOR_OK;
}

void client_settings_free(struct client_settings *settings)
{
    connect_string_free(settings->servers);
    free(settings->auth_scheme);
    free(settings->auth_credentials);
    *settings = (struct client_settings){0};
}

void client_free(struct client *client)
{
    forget_addresses(client);
    wakers_free(&client->wakers);
    client_thread_forget(client);
    client_settings_free(&client->settings);
    pthread_cond_destroy(&client->quiet);
    pthread_mutex_destroy(&client->mutex);
}
