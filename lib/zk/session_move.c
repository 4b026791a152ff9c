/* SPDX-License-Identifier: Apache-2.0 */
/* Moves a living session to other servers of its ensemble. */
#include "zk/session_move.h"

#include "base/clock.h"
#include "base/log.h"
#include "zk/reaper.h"
#include "zk/request.h"
#include "zk/session_events.h"
#include "zk/session_open.h"
#include "zk/watch.h"
#include "zk/zk_log.h"

#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PAUSE_MS 1
#define FIND_MS 500       /* for so long the socket of a connected handle is looked for */
#define LEAVE_MS 3000     /* for so long its end is awaited */
#define HANDSHAKE_MS 1000 /* for so long the answer to a request for the session is awaited */
#define REOPEN_PAUSE_MS 100

/* A list of servers that names none: zoo_set_servers() keeps it, refuses it, and changes nothing else. */
static const char NOWHERE[] = "-";

static bool list_names(const char *servers, const char *server)
{
    size_t length = strlen(server);
    for (const char *found = strstr(servers, server); found != NULL; found = strstr(found + 1, server)) {
        bool begins = found == servers || found[-1] == ',';
        if (begins && (found[length] == '\0' || found[length] == ',' || found[length] == '/')) {
            return true;
        }
    }
    return false;
}

/* Whether the server that it is connected to is among the new ones. */
static bool may_stay(const struct session *session)
{
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    char host[NI_MAXHOST], port[NI_MAXSERV], server[NI_MAXHOST + NI_MAXSERV + 2];
    if (zookeeper_get_connected_host(session->handle, (struct sockaddr *)&address, &length) == NULL ||
        getnameinfo((struct sockaddr *)&address, length, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
        return false; /* the connection has broken already */
    }
    (void)snprintf(server, sizeof server, "%s:%s", host, port);
    return list_names(session->new_servers, server);
}

/* Without the mutex, for as long as nobody else can close the handle. */
static void pause_shortly(void)
{
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_MS * NANOSECONDS_PER_MILLISECOND}, NULL);
}

/* How a handle is freed of its connection. */
struct leaving {
    zhandle_t *handle;
    struct handle_descriptors descriptors;
    int64_t began;
    char *servers; /* those that it has */
    bool nowhere;  /* they were taken from it */
};

/*
 * Without servers the handle does not begin to connect when this connection has ended. Only while it is connected:
 * otherwise client 3.8 may be writing the list to its log that this replaces.
 */
static void break_connection(struct leaving *leaving, int socket)
{
    if (!leaving->nowhere) {
        leaving->nowhere = true;
        zoo_set_servers(leaving->handle, NOWHERE);
    }
    shutdown(socket, SHUT_RDWR);
    close(socket);
}

/* False: its socket was not found. */
static bool try_to_break(struct leaving *leaving)
{
    if (leaving->descriptors.polled == 0) {
        (void)close_on_exec_look(&leaving->descriptors); /* it was not seen at work yet */
    }
    int socket = close_on_exec_copy_socket(&leaving->descriptors, leaving->handle);
    if (socket >= 0) {
        break_connection(leaving, socket);
    }
    return socket >= 0;
}

/*
 * Ends the handle's connection, if it has one. True: it has none, and none can come about before it is closed, since
 * after the request to close it the handle's thread takes one step more, and would need two; so closing it does not
 * close the session. (If this thread loses the processor between the last look and that request, for as long as a
 * whole handshake takes, the session is closed, and the loss reported.) False: it is as it was, as the system does not
 * show which socket is its own.
 */
static bool leave_servers(struct leaving *leaving)
{
    int64_t connected_since = 0; /* as far as this call has seen; 0: it is not */
    for (;;) {
        int64_t now = clock_now();
        int state = zoo_state(leaving->handle);
        bool associating = state == ZOO_ASSOCIATING_STATE && now < clock_after(leaving->began, HANDSHAKE_MS);
        if (state != ZOO_CONNECTED_STATE && !associating) {
            return true;
        }
        connected_since = associating ? 0 : connected_since != 0 ? connected_since : now;
        if (!associating && !try_to_break(leaving) &&
            now >= clock_after(connected_since, leaving->nowhere ? LEAVE_MS : FIND_MS)) {
            break;
        }
        pause_shortly();
    }
    if (leaving->nowhere) {
        leaving->nowhere = false;
        zoo_set_servers(leaving->handle, leaving->servers); /* the same as before, so this breaks nothing */
    }
    return false;
}

static void finish_outstanding_requests(struct session *session)
{
    struct outstanding_request *request, *next;
    for (request = session->outstanding; request != NULL; request = next) {
        next = request->next;
        request->finish(request, ZCONNECTIONLOSS);
    }
}

/*
 * Without the mutex. The handle has connected again, and cannot be parted from its server: the close ends the session
 * and gives its locks to others. Those who hold them are told before.
 */
static void lose_session(struct session *session)
{
    struct session_group *group = session->group;
    pthread_mutex_lock(group->mutex);
    if (!session_is_dead(session)) {
        session_die(session, ZSESSIONEXPIRED);
    }
    reaper_await_told(session);
    pthread_mutex_unlock(group->mutex);
}

/* Releases the mutex meanwhile. The session has no handle afterwards. */
static void close_handle(struct session *session, struct leaving *leaving)
{
    session_disconnected(session); /* the event may not have come yet, and will not be listened to any more */
    session->handle = NULL;
    finish_outstanding_requests(session);
    pthread_mutex_unlock(session->group->mutex);

    bool left = leave_servers(leaving); /* it may have tried again meanwhile */

    if (!left) {
        lose_session(session);
    }
    zookeeper_close(leaving->handle); /* joins its threads: the mutex, which their callbacks take, is not held */

    pthread_mutex_lock(session->group->mutex);
    request_finish_all(session); /* for the ZooKeeper client's own account: they have finished */
    watch_forget_set(session);
    session->descriptors = (struct handle_descriptors){.reading_end = -1};
}

/* Whether a handle without a connection is worth its trouble: a dead session gets one so that it can be closed. */
static bool wants_handle(const struct session *session)
{
    return !session_over_on_server(session) && !(session_is_dead(session) && clock_now() >= session->teardown_at);
}

/* Releases the mutex meanwhile. Tries until there is a handle, or none is wanted. */
static void open_next_handle(struct session *session)
{
    struct session_group *group = session->group;
    int error = 0;
    bool said = false;
    while (wants_handle(session)) {
        if (session->new_servers != NULL) {
            free(session->servers);
            session->servers = session->new_servers;
            session->new_servers = NULL;
        }
        if (!session_is_dead(session)) {
            zk_log_unmute(session->zk_log, &group->zk_log);
        }
        if (session_reopen(session, &error)) {
            return;
        }
        char why[128];
        if (!said) {
            log_line(group->logger, CURATOR_LOG_WARN, "session 0x%llx: no connection could be opened: %s",
                     (unsigned long long)session->id, strerror_r(error, why, sizeof why));
        }
        said = true;
        int64_t again_at = clock_after(clock_now(), REOPEN_PAUSE_MS);
        while (!group->closing && clock_now() < again_at) {
            condition_wait_until(group->quiet, group->mutex, again_at);
        }
        if (group->closing) {
            return;
        }
    }
}

static void move_session(struct session *session)
{
    struct session_group *group = session->group;
    struct leaving leaving = {.handle = session->handle,
                              .began = clock_now(),
                              .descriptors = session->descriptors,
                              .servers = strndup(session->servers, strcspn(session->servers, "/"))};
    zk_log_mute(session->zk_log); /* what the old handle says from here on would be misleading */
    pthread_mutex_unlock(group->mutex);
    bool left = leaving.servers != NULL && leave_servers(&leaving);
    pthread_mutex_lock(group->mutex);
    session->cannot_break = !left;
    if (left) {
        close_handle(session, &leaving);
        open_next_handle(session);
    } else {
        if (!session_is_dead(session)) {
            zk_log_unmute(session->zk_log, &group->zk_log);
        }
        log_line(group->logger, CURATOR_LOG_INFO,
                 "session 0x%llx stays with its server until that connection breaks: the system does not show its "
                 "socket",
                 (unsigned long long)session->id);
    }
    free(leaving.servers);
}

static void *run_move(void *context)
{
    struct session *session = context;
    struct session_group *group = session->group;
    pthread_mutex_lock(group->mutex);
    move_session(session);
    session->moving = false;
    if (session_is_dead(session)) {
        reaper_consider(session);
    }
    timer_schedule(group->timers, &group->timer, 0); /* servers may have been set meanwhile */
    session_unref(session);
    reaper_end(group);
    return NULL;
}

void session_move_consider(struct session *session)
{
    struct session_group *group = session->group;
    if (session->new_servers == NULL || session->moving || session->loans > 0 || session_is_dead(session) ||
        group->closing) {
        return;
    }
    if (session_is_connected(session) && (session->cannot_break || may_stay(session))) {
        return;
    }
    session->moving = true;
    session_ref(session);
    if (!reaper_begin(session, run_move)) {
        session->moving = false;
        session_unref(session);
        timer_schedule(group->timers, &group->timer, clock_after(clock_now(), REOPEN_PAUSE_MS));
    }
}

void session_move_to(struct session *session, char *servers)
{
    free(session->new_servers);
    session->new_servers = servers;
    session->cannot_break = false;
    session_move_consider(session);
}
