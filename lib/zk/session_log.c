/* SPDX-License-Identifier: Apache-2.0 */
/* What a session says in the log about its begin and its end. */
#include "zk/session_log.h"

#include "base/log.h"

#include <netdb.h>
#include <stdio.h>
#include <sys/socket.h>

#define SERVER_SIZE (NI_MAXHOST + NI_MAXSERV + 4)

/* The server's address, as seen from here. */
static const char *server_text(zhandle_t *handle, char *buffer, size_t size)
{
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    char host[NI_MAXHOST], port[NI_MAXSERV];
    if (zookeeper_get_connected_host(handle, (struct sockaddr *)&address, &length) == NULL ||
        getnameinfo((struct sockaddr *)&address, length, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
        return "its server"; /* the connection has broken again already */
    }
    (void)snprintf(buffer, size, address.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
    return buffer;
}

void session_log_connected(const struct session *session, bool first)
{
    const struct session_group *group = session->group;
    unsigned long long id = (unsigned long long)session->id;
    char buffer[SERVER_SIZE];
    if (!log_wanted(group->logger, CURATOR_LOG_INFO)) {
        return;
    }
    const char *server = server_text(session->handle, buffer, sizeof buffer);
    if (first) {
        log_line(group->logger, CURATOR_LOG_INFO,
                 "session 0x%llx is open at %s, with a timeout of %lld ms (requested: %lld ms)", id, server,
                 (long long)session->timeout_ms, (long long)group->timeout_ms);
    } else {
        log_line(group->logger, CURATOR_LOG_INFO, "session 0x%llx is connected again, to %s", id, server);
    }
}

void session_log_closed(const struct session *session)
{
    log_line(session->group->logger, CURATOR_LOG_INFO, "session 0x%llx is closed", (unsigned long long)session->id);
}

void session_log_refused(const struct session *session)
{
    const char *scheme = session->group->auth_scheme;
    log_line(session->group->logger, CURATOR_LOG_ERROR,
             "the server refused the credentials of scheme \"%s\"; no other session is opened, and calls that need one "
             "answer CURATOR_NO_AUTH",
             scheme != NULL ? scheme : "(none)");
}

const char *session_death_text(const struct session *session)
{
    if (session->death == ZCLOSING) {
        return "it was closed";
    }
    if (session->death == ZAUTHFAILED) {
        return "the server refused the credentials";
    }
    if (session->state == STATE_OVER) {
        return "the server has expired it";
    }
    return session->authenticating ? "its credentials could not be sent"
                                   : "the ensemble's leader has not answered for so long that it must be taken for "
                                     "expired";
}
