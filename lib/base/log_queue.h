/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Log lines and traces on their way to the user's logger and tracer, and the thread that hands them out, one after the
 * other, with no lock held. Who logs only queues: the library does so with a mutex held, the ZooKeeper client with
 * locks of its own.
 */
#ifndef CURATOR_BASE_LOG_QUEUE_H
#define CURATOR_BASE_LOG_QUEUE_H

#include <curator/log.h>
#include <curator/tracer.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* What may be queued. Who blocks for longer than it takes to fill this loses lines, or traces, and learns how many. */
#define LOG_QUEUE_LINES 1024
#define LOG_QUEUE_TRACES 1024

struct log_entry;

struct log_queue {
    curator_logger logger; /* the user's; never changes, nor does the tracer */
    curator_tracer tracer;
    unsigned fork_generation;
    bool started; /* there is a thread to be joined, a mutex and a condition; for who starts, stops and frees */
    pthread_t thread;
    pthread_mutex_t mutex;        /* guards all below; nothing else is locked, and nothing waited for, under it */
    pthread_cond_t changed;       /* a line was queued or dropped, or the end was asked for */
    struct log_entry *first;      /* the oldest */
    struct log_entry **last;      /* where the next one goes */
    size_t lines, traces;         /* queued */
    unsigned long dropped;        /* lines, since the newest entry */
    unsigned long dropped_traces; /* since the newest trace */
    bool stopping;
};

/* 0 or an errno value. Without a function in one of both there is no thread, and nothing is queued. */
int log_queue_start(struct log_queue *queue, const curator_logger *logger, const curator_tracer *tracer);

/* A logger and a tracer that put things into the queue, from any thread; they never wait for the user's. */
curator_logger log_queue_logger(struct log_queue *queue);
curator_tracer log_queue_tracer(struct log_queue *queue);

/* Delivers what is queued, ends the thread and waits for it; later lines are dropped. Not on that thread. */
void log_queue_stop(struct log_queue *queue);

/* After the stop, when nobody logs any more. */
void log_queue_free(struct log_queue *queue);

bool log_queue_on_thread(const struct log_queue *queue);

#endif
