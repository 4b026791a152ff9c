/* SPDX-License-Identifier: Apache-2.0 */
/* Log lines and traces on their way to the user's logger and tracer. */
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
    bool is_trace;
    curator_trace trace;
    char text[]; /* the line, or the trace's path */
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

static void deliver(const struct log_queue *queue, const struct log_entry *entry)
{
    if (entry->is_trace) {
        queue->tracer.trace(&entry->trace, queue->tracer.context);
    } else {
        queue->logger.log(entry->level, entry->text, queue->logger.context);
    }
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
    *(entry->is_trace ? &queue->traces : &queue->lines) -= 1;
    pthread_mutex_unlock(&queue->mutex);
    deliver(queue, entry);
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

static struct log_entry *entry_new(const char *text)
{
    size_t size = strlen(text) + 1;
    struct log_entry *entry = malloc(sizeof *entry + size);
    if (entry != NULL) {
        *entry = (struct log_entry){.next = NULL};
        memcpy(entry->text, text, size);
    }
    return entry;
}

static void append(struct log_queue *queue, struct log_entry *entry)
{
    entry->dropped_before = queue->dropped;
    queue->dropped = 0;
    *queue->last = entry;
    queue->last = &entry->next;
}

/* In a child process the mutex may be held by a thread that is not there. */
static void put_line(curator_log_level level, const char *line, void *context)
{
    struct log_queue *queue = context;
    if (queue->fork_generation != fork_generation()) {
        return;
    }
    struct log_entry *entry = entry_new(line);
    pthread_mutex_lock(&queue->mutex);
    bool queued = !queue->stopping && entry != NULL && queue->lines < LOG_QUEUE_LINES;
    if (queued) {
        entry->level = level;
        append(queue, entry);
        queue->lines++;
    } else if (!queue->stopping) {
        queue->dropped++;
    }
    pthread_cond_signal(&queue->changed);
    pthread_mutex_unlock(&queue->mutex);
    if (!queued) {
        free(entry);
    }
}

static void put_trace(const curator_trace *trace, void *context)
{
    struct log_queue *queue = context;
    if (queue->fork_generation != fork_generation()) {
        return;
    }
    struct log_entry *entry = entry_new(trace->path != NULL ? trace->path : "");
    pthread_mutex_lock(&queue->mutex);
    bool queued = !queue->stopping && entry != NULL && queue->traces < LOG_QUEUE_TRACES;
    if (queued) {
        entry->is_trace = true;
        entry->trace = *trace;
        entry->trace.path = trace->path != NULL ? entry->text : NULL;
        entry->trace.dropped = queue->dropped_traces;
        queue->dropped_traces = 0;
        append(queue, entry);
        queue->traces++;
    } else if (!queue->stopping) {
        queue->dropped_traces++;
    }
    pthread_cond_signal(&queue->changed);
    pthread_mutex_unlock(&queue->mutex);
    if (!queued) {
        free(entry);
    }
}

int log_queue_start(struct log_queue *queue, const curator_logger *logger, const curator_tracer *tracer)
{
    *queue = (struct log_queue){.logger = *logger, .tracer = *tracer, .fork_generation = fork_generation()};
    queue->last = &queue->first;
    if (logger->log == NULL && tracer->trace == NULL) {
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
    return queue->logger.log != NULL && queue->started
               ? (curator_logger){.log = put_line, .context = queue, .level = queue->logger.level}
               : (curator_logger){.log = NULL};
}

curator_tracer log_queue_tracer(struct log_queue *queue)
{
    return queue->tracer.trace != NULL && queue->started ? (curator_tracer){.trace = put_trace, .context = queue}
                                                         : (curator_tracer){.trace = NULL};
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
