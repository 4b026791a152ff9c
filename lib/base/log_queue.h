/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Log lines on their way to the user's logger, and the thread that hands them out, one after the other, with no lock
 * held. Who logs only queues: the library does so with a mutex held, the ZooKeeper client with locks of its
 * own.
 */
#ifndef CURATOR_BASE_LOG_QUEUE_H
#define CURATOR_BASE_LOG_QUEUE_H

#include <curator/log.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* What may be queued. A logger that blocks for longer than it takes to fill this loses lines, and learns how many. */
#define LOG_QUEUE_LINES 1024

struct log_entry;

struct log_queue {
    curator_logger logger; /* the user's; never changes */
    unsigned fork_generation;
    bool started; /* there is a thread to be joined, a mutex and a condition; for who starts, stops and frees */
    pthread_t thread;
    pthread_mutex_t mutex;   /* guards all below; nothing else is locked, and nothing waited for, under it */
    pthread_cond_t changed;  /* a line was queued or dropped, or the end was asked for */
    struct log_entry *first; /* the oldest */
    struct log_entry **last; /* where the next one goes */
    size_t count;
    unsigned long dropped; /* since the newest one */
    bool stopping;
};

/* 0 or an errno value. Without a function in the logger there is no thread, and nothing is queued. */
int log_queue_start(struct log_queue *queue, const curator_logger *logger);

/* A logger that puts lines into the queue, from any thread; it never waits for the user's. */
curator_logger log_queue_logger(struct log_queue *queue);

/* Delivers what is queued, ends the thread and waits for it; later lines are dropped. Not on that thread. */
void log_queue_stop(struct log_queue *queue);

/* After the stop, when nobody logs any more. */
void log_queue_free(struct log_queue *queue);

bool log_queue_on_thread(const struct log_queue *queue);

#endif
