/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Routes the ZooKeeper client's log lines to the right logger. Its log callback gets nothing but the text, so each
 * session in use has a callback function of its own out of a fixed number; sessions beyond that are silent. Lines that
 * come often are counted instead: a client without a server logs dozens a second.
 */
#ifndef CURATOR_ZK_ZK_LOG_H
#define CURATOR_ZK_ZK_LOG_H

#include "base/log_limit.h"
#include "zk/server_notes.h"

#include <curator/log.h>

#define ZK_LOG_PLACES 16

struct zk_log;

/* Where the lines of all sessions of a client go. Constant, but for the counters. */
struct zk_log_sink {
    const curator_logger *logger;           /* may have no function */
    struct server_notes *notes;             /* has each line first, whatever is logged */
    struct log_limit attempts;              /* to connect that failed */
    struct log_limit places[ZK_LOG_PLACES]; /* other lines, by the hash of where they come from */
};

#define ZK_LOG_ATTEMPTS "attempts at all servers" /* what sink->attempts counts */

/* A connection is made: each line may be logged anew when it is lost. */
void zk_log_connected(struct zk_log_sink *sink);

/* Never NULL. The sink stays with the caller, and must live until the slot is given back. */
struct zk_log *zk_log_take(struct zk_log_sink *sink);

/* Nothing more is passed on: the session is dead, and what happens to its handle matters to nobody. */
void zk_log_mute(struct zk_log *slot);
void zk_log_unmute(struct zk_log *slot, struct zk_log_sink *sink); /* what it was taken with */
void zk_log_give_back(struct zk_log *slot);
void (*zk_log_callback(const struct zk_log *slot))(const char *message);

#endif
