/* SPDX-License-Identifier: Apache-2.0 */
/* Routes the ZooKeeper client's log lines to the right logger. */
#include "zk/zk_log.h"

#include "base/fork.h"
#include "base/log.h"
#include "zk/zk_log_line.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/*
 * No mutex: the ZooKeeper client logs while it holds locks of its own. A session's callback is called by its handle's
 * threads and by callers of that handle: not after zookeeper_close(), which comes before the slot is given back.
 */
struct zk_log {
    atomic_uint taken; /* the fork generation that took it: what a parent process has taken is free here; 0: free */
    _Atomic(struct zk_log_sink *) sink; /* NULL: silent */
    void (*callback)(const char *message);
};

/* A line that is counted instead is still passed on for debugging. */
static void relay_line(struct zk_log_sink *sink, const struct zk_log_line *parsed)
{
    char line[LOG_LINE_SIZE];
    struct log_limit *place = &sink->places[parsed->source % ZK_LOG_PLACES];
    bool about_connection = parsed->kind == ZK_LOG_BREAK || parsed->kind == ZK_LOG_ATTEMPT;
    if (about_connection) {
        zk_log_line_connection(parsed, line, sizeof line);
        bool attempt = parsed->kind == ZK_LOG_ATTEMPT;
        struct log_limit *limit = attempt ? &sink->attempts : place;
        if (log_limited(sink->logger, CURATOR_LOG_WARN, limit, line, attempt ? ZK_LOG_ATTEMPTS : "times")) {
            return;
        }
    }
    snprintf(line, sizeof line, "zookeeper: %s", parsed->text);
    line[strcspn(line, "\n")] = '\0';
    if (about_connection || parsed->level == CURATOR_LOG_DEBUG ||
        !log_limited(sink->logger, parsed->level, place, line, "times")) {
        log_text(sink->logger, CURATOR_LOG_DEBUG, line);
    }
}

static void relay(const struct zk_log *slot, const char *message)
{
    struct zk_log_sink *sink = atomic_load(&slot->sink);
    if (sink == NULL || message == NULL) {
        return;
    }
    server_notes_take(sink->notes, message);
    if (sink->logger->log != NULL) {
        struct zk_log_line parsed = zk_log_line_parse(message);
        relay_line(sink, &parsed);
    }
}

#define SLOT_COUNT 16
#define LOGGED_ONLY 8 /* so many are left to sessions whose lines somebody reads */

static struct zk_log slots[SLOT_COUNT];

#define SLOT(number)                                                                                                   \
    static void callback_##number(const char *message)                                                                 \
    {                                                                                                                  \
        relay(&slots[number], message);                                                                                \
    }

static void callback_silent(const char *message)
{
    (void)message;
}
SLOT(0)
SLOT(1)
SLOT(2)
SLOT(3)
SLOT(4)
SLOT(5)
SLOT(6)
SLOT(7)
SLOT(8)
SLOT(9)
SLOT(10)
SLOT(11)
SLOT(12)
SLOT(13)
SLOT(14)
SLOT(15)

static struct zk_log slots[SLOT_COUNT] = {
    {.callback = callback_0},  {.callback = callback_1},  {.callback = callback_2},  {.callback = callback_3},
    {.callback = callback_4},  {.callback = callback_5},  {.callback = callback_6},  {.callback = callback_7},
    {.callback = callback_8},  {.callback = callback_9},  {.callback = callback_10}, {.callback = callback_11},
    {.callback = callback_12}, {.callback = callback_13}, {.callback = callback_14}, {.callback = callback_15}};
static struct zk_log silent = {.callback = callback_silent};

void zk_log_connected(struct zk_log_sink *sink)
{
    log_limit_end(&sink->attempts);
    for (size_t i = 0; i < ZK_LOG_PLACES; i++) {
        log_limit_end(&sink->places[i]);
    }
}

struct zk_log *zk_log_take(struct zk_log_sink *sink)
{
    unsigned generation = fork_generation();
    for (size_t i = sink->logger->log != NULL ? 0 : LOGGED_ONLY; i < SLOT_COUNT; i++) {
        unsigned before = atomic_load(&slots[i].taken);
        if (before != generation && atomic_compare_exchange_strong(&slots[i].taken, &before, generation)) {
            atomic_store(&slots[i].sink, sink);
            return &slots[i];
        }
    }
    return &silent;
}

void zk_log_mute(struct zk_log *slot)
{
    atomic_store(&slot->sink, NULL);
}

void zk_log_unmute(struct zk_log *slot, struct zk_log_sink *sink)
{
    if (slot != &silent) {
        atomic_store(&slot->sink, sink);
    }
}

void zk_log_give_back(struct zk_log *slot)
{
    zk_log_mute(slot);
    if (slot != &silent) {
        atomic_store(&slot->taken, 0);
    }
}

void (*zk_log_callback(const struct zk_log *slot))(const char *)
{
    return slot->callback;
}
