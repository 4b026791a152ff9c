/* SPDX-License-Identifier: Apache-2.0 */
/* Log lines on their way to the user's logger. */
#include "base/log_queue.h"

#include "base/cancellation.h"
#include "base/clock.h"
#include "base/fork.h"
#include "base/thread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct log_entry {
    struct log_entry *next;
    unsigned long dropped_before; /* lines that there was no room for, between the one before and this one */
    curator_log_level level;
    char line[];
};

static _Thread_local const struct log_queue *delivering; /* on the thread of a queue: that queue */

/* Releases the mutex meanwhile. Logged as an error, so that every logger learns that its lines are missing. */
static void deliver_dropped(struct log_queue *queue, unsigned long dropped)
{
    char line[128];
    snprintf(line, sizeof line, "%lu log lines were dropped here: the logger was too slow, or memory was short",
             dropped);
    pthread_mutex_unlock(&queue->mutex);
    queue->logger.log(CURATOR_LOG_ERROR, line, queue->logger.context);
    pthread_mutex_lock(&queue->mutex);
}

static void deliver_first(struct log_queue *queue)
{
    struct log_entry *entry = queue->first;
    if (entry->dropped_before > 0) {
        unsigned long dropped = entry->dropped_before;
        entry->dropped_before = 0;
        deliver_dropped(queue, dropped);
        return;
    }
    queue->first = entry->next;
    if (queue->first == NULL) {
        queue->last = &queue->first;
    }
    queue->count--;
    pthread_mutex_unlock(&queue->mutex);
    queue->logger.log(entry->level, entry->line, queue->logger.context);
    free(entry);
    pthread_mutex_lock(&queue->mutex);
}

static void *run_log_queue(void *context)
{
    struct log_queue *queue = context;
    delivering = queue;
    cancellation_off(); /* the user's code runs here, and can learn this thread's id */
    pthread_mutex_lock(&queue->mutex);
    for (;;) {
        if (queue->first != NULL) {
            deliver_first(queue);
        } else if (queue->dropped > 0) {
            unsigned long dropped = queue->dropped;
            queue->dropped = 0;
            deliver_dropped(queue, dropped);
        } else if (queue->stopping) {
            break;
        } else {
            pthread_cond_wait(&queue->changed, &queue->mutex);
        }
    }
    pthread_mutex_unlock(&queue->mutex);
    return NULL;
}

static struct log_entry *entry_new(curator_log_level level, const char *line)
{
    size_t size = strlen(line) + 1;
    struct log_entry *entry = malloc(sizeof *entry + size);
    if (entry != NULL) {
        entry->next = NULL;
        entry->dropped_before = 0;
        entry->level = level;
        memcpy(entry->line, line, size);
    }
    return entry;
}

/* In a child process the mutex may be held by a thread that is not there. */
static void put(curator_log_level level, const char *line, void *context)
{
    struct log_queue *queue = context;
    if (queue->fork_generation != fork_generation()) {
        return;
    }
    struct log_entry *entry = entry_new(level, line);
    pthread_mutex_lock(&queue->mutex);
    bool queued = !queue->stopping && entry != NULL && queue->count < LOG_QUEUE_LINES;
    if (queued) {
        entry->dropped_before = queue->dropped;
        queue->dropped = 0;
        *queue->last = entry;
        queue->last = &entry->next;
        queue->count++;
    } else if (!queue->stopping) {
        queue->dropped++;
    }
    pthread_cond_signal(&queue->changed);
    pthread_mutex_unlock(&queue->mutex);
    if (!queued) {
        free(entry);
    }
}

int log_queue_start(struct log_queue *queue, const curator_logger *logger)
{
    *queue = (struct log_queue){.logger = *logger, .fork_generation = fork_generation()};
    queue->last = &queue->first;
    if (logger->log == NULL) {
        return 0;
    }
    int rc = pthread_mutex_init(&queue->mutex, NULL);
    if (rc != 0) {
        return rc;
    }
    rc = condition_init(&queue->changed);
    if (rc != 0) {
        pthread_mutex_destroy(&queue->mutex);
        return rc;
    }
    rc = thread_start(&queue->thread, run_log_queue, queue);
    if (rc != 0) {
        pthread_cond_destroy(&queue->changed);
        pthread_mutex_destroy(&queue->mutex);
        return rc;
    }
    queue->started = true;
    return 0;
}

curator_logger log_queue_logger(struct log_queue *queue)
{
    return queue->started ? (curator_logger){.log = put, .context = queue, .level = queue->logger.level}
                          : (curator_logger){.log = NULL};
}

void log_queue_stop(struct log_queue *queue)
{
    if (!queue->started) {
        return;
    }
    pthread_mutex_lock(&queue->mutex);
    queue->stopping = true;
    pthread_cond_signal(&queue->changed);
    pthread_mutex_unlock(&queue->mutex);
    pthread_join(queue->thread, NULL);
}

void log_queue_free(struct log_queue *queue)
{
    if (queue->started) {
        pthread_cond_destroy(&queue->changed);
        pthread_mutex_destroy(&queue->mutex);
        queue->started = false;
    }
}

bool log_queue_on_thread(const struct log_queue *queue)
{
    return delivering == queue;
}
