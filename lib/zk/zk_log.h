/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Routes the ZooKeeper client's log lines to the right logger. Its log callback gets nothing but the text, so each
 * session in use has a callback function of its own out of a fixed number; sessions beyond that are silent.
 */
#ifndef CURATOR_ZK_ZK_LOG_H
#define CURATOR_ZK_ZK_LOG_H

#include "zk/server_notes.h"

#include <curator/log.h>

struct zk_log;

/*
 * Never NULL. The logger, which may have no function, and the notes stay with the caller, and must live until the slot
 * is given back.
 */
struct zk_log *zk_log_take(const curator_logger *logger, struct server_notes *notes);
void zk_log_give_back(struct zk_log *slot);
void (*zk_log_callback(const struct zk_log *slot))(const char *message);

#endif
