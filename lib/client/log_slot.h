/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Routes the ZooKeeper client's log lines to the right logger. Its log callback gets nothing but the text, so each
 * session in use has a callback function of its own out of a fixed number; sessions beyond that are silent.
 */
#ifndef CURATOR_CLIENT_LOG_SLOT_H
#define CURATOR_CLIENT_LOG_SLOT_H

#include <curator/log.h>

struct log_slot;

/* Never NULL. The logger stays with the caller, and must live until the slot is given back. */
struct log_slot *log_slot_take(const curator_logger *logger);
void log_slot_give_back(struct log_slot *slot);
void (*log_slot_callback(const struct log_slot *slot))(const char *message);

/* Logs a line of ours, if the logger wants that level. */
void log_line(const curator_logger *logger, curator_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
