/* SPDX-License-Identifier: Apache-2.0 */
/* What a log line of the ZooKeeper client says, for which the client gives nothing but its text. */
#ifndef CURATOR_ZK_ZK_LOG_LINE_H
#define CURATOR_ZK_ZK_LOG_LINE_H

#include <curator/log.h>
#include <stddef.h>

enum zk_log_kind {
    ZK_LOG_OTHER,
    ZK_LOG_BREAK,   /* a connection has ended */
    ZK_LOG_ATTEMPT, /* one could not be made: comes many times a second while no server can be reached */
    ZK_LOG_ROUTINE, /* what this library logs better itself, or what is repeated with each attempt */
};

struct zk_log_line {
    enum zk_log_kind kind;
    curator_log_level level; /* one below that of the client: its errors are what this library copes with */
    unsigned source;         /* a hash of the place in the client that it comes from */
    const char *text;        /* without time, process, level and place; points into the message */
};

struct zk_log_line zk_log_line_parse(const char *message);

/* "connection to 10.0.0.1:2181 failed: server refused to accept the client (Connection refused)". For breaks and
 * attempts. */
void zk_log_line_connection(const struct zk_log_line *line, char *buffer, size_t size);

#endif
