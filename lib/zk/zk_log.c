/* SPDX-License-Identifier: Apache-2.0 */
/* Routes the ZooKeeper client's log lines to the right logger. */
#include "zk/zk_log.h"

#include "base/fork.h"
#include "base/log.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/*
 * No mutex: the ZooKeeper client logs while it holds locks of its own. A session's callback is called by its handle's
 * threads and by callers of that handle: not after zookeeper_close(), which comes before the slot is given back.
 */
struct zk_log {
    atomic_uint taken; /* the fork generation that took it: what a parent process has taken is free here; 0: free */
    _Atomic(const curator_logger *) logger;
    _Atomic(struct server_notes *) notes;
    void (*callback)(const char *message);
};

static curator_log_level level_of(const char *message)
{
    if (strstr(message, "ZOO_ERROR@") != NULL) {
        return CURATOR_LOG_ERROR;
    }
    if (strstr(message, "ZOO_WARN@") != NULL) {
        return CURATOR_LOG_WARN;
    }
    return strstr(message, "ZOO_INFO@") != NULL ? CURATOR_LOG_INFO : CURATOR_LOG_DEBUG;
}

static void relay(const struct zk_log *slot, const char *message)
{
    const curator_logger *logger = atomic_load(&slot->logger);
    struct server_notes *notes = atomic_load(&slot->notes);
    if (logger == NULL || notes == NULL || message == NULL) {
        return;
    }
    server_notes_take(notes, message);
    if (logger->log == NULL) {
        return;
    }
    char line[LOG_LINE_SIZE];
    snprintf(line, sizeof line, "zookeeper: %s", message);
    line[strcspn(line, "\n")] = '\0';
    log_text(logger, level_of(message), line);
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

struct zk_log *zk_log_take(const curator_logger *logger, struct server_notes *notes)
{
    unsigned generation = fork_generation();
    for (size_t i = logger->log != NULL ? 0 : LOGGED_ONLY; i < SLOT_COUNT; i++) {
        unsigned before = atomic_load(&slots[i].taken);
        if (before != generation && atomic_compare_exchange_strong(&slots[i].taken, &before, generation)) {
            atomic_store(&slots[i].notes, notes);
            atomic_store(&slots[i].logger, logger);
            return &slots[i];
        }
    }
    return &silent;
}

void zk_log_give_back(struct zk_log *slot)
{
    if (slot != &silent) {
        atomic_store(&slot->logger, NULL);
        atomic_store(&slot->notes, NULL);
        atomic_store(&slot->taken, 0);
    }
}

void (*zk_log_callback(const struct zk_log *slot))(const char *)
{
    return slot->callback;
}
