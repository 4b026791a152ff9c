/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a log line of the ZooKeeper client says. It looks like this:
 *
 *     2026-01-02 03:04:05,678:123(0x7f12):ZOO_ERROR@handle_socket_error_msg@1902: Socket 10.0.0.1:2181 zk retcode=-4,
 *     errno=111(Connection refused): server refused to accept the client
 */
#include "zk/zk_log_line.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char SOCKET[] = "Socket ";
static const char ERRNO[] = "errno=";

static const struct {
    const char *name;
    curator_log_level level;
} levels[] = {{"ZOO_ERROR@", CURATOR_LOG_WARN},
              {"ZOO_WARN@", CURATOR_LOG_INFO},
              {"ZOO_INFO@", CURATOR_LOG_DEBUG},
              {"ZOO_DEBUG@", CURATOR_LOG_DEBUG}};

/* Behind "function@number: ". Sets the hash of it. */
static const char *skip_place(const char *place, unsigned *source)
{
    const char *end = strstr(place, ": ");
    if (end == NULL) {
        return place;
    }
    for (const char *byte = place; byte < end; byte++) {
        *source = *source * 31 + (unsigned char)*byte;
    }
    return end + 2;
}

static enum zk_log_kind kind_of(const char *text)
{
    if (strncmp(text, "Delaying connection", strlen("Delaying connection")) == 0 ||
        strstr(text, "has expired") != NULL) {
        return ZK_LOG_ROUTINE;
    }
    if (strncmp(text, SOCKET, strlen(SOCKET)) != 0) {
        return ZK_LOG_OTHER;
    }
    bool attempt =
        strstr(text, "refused") != NULL || strstr(text, "timed out") != NULL || strstr(text, "handshake") != NULL;
    return attempt ? ZK_LOG_ATTEMPT : ZK_LOG_BREAK;
}

struct zk_log_line zk_log_line_parse(const char *message)
{
    struct zk_log_line line = {.level = CURATOR_LOG_DEBUG, .text = message};
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        const char *found = strstr(message, levels[i].name);
        if (found != NULL) {
            line.level = levels[i].level;
            line.text = skip_place(found + strlen(levels[i].name), &line.source);
            break;
        }
    }
    line.kind = kind_of(line.text);
    if (line.kind == ZK_LOG_ATTEMPT || line.kind == ZK_LOG_ROUTINE) {
        line.level = CURATOR_LOG_DEBUG;
    }
    return line;
}

void zk_log_line_connection(const struct zk_log_line *line, char *buffer, size_t size)
{
    const char *server = line->text + strlen(SOCKET);
    const char *why = strstr(server, ERRNO);
    const char *bracket = why != NULL ? strchr(why, '(') : NULL;
    const char *what = bracket != NULL ? strstr(bracket, "): ") : NULL;
    if (what == NULL) { /* another release may write it otherwise */
        (void)snprintf(buffer, size, "connection failed: %s", line->text);
        return;
    }
    int reason = why[strlen(ERRNO)] != '0' ? (int)(what - bracket - 1) : 0;
    what += strlen("): ");
    const char *timed_out = strstr(what, "timed out");
    if (timed_out != NULL) { /* what is before names the server again */
        what = timed_out;
        reason = 0;
    }
    (void)snprintf(buffer, size, "connection to %.*s failed: %.*s%s%.*s%s", (int)strcspn(server, " "), server,
                   (int)strcspn(what, "\n"), what, reason > 0 ? " (" : "", reason, bracket + 1, reason > 0 ? ")" : "");
}
