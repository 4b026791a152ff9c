/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts that a thread of their own writes. Who reads them may have stopped, as a terminal does after Ctrl-S, and while
 * a lock is held nothing may wait for that.
 */
#ifndef CURATOR_LOCK_WRITER_H
#define CURATOR_LOCK_WRITER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_TEXTS 256

/* It has to stay where it is until the process ends, as its thread may be writing until then. */
struct writer {
    int fd, event;
    pthread_t thread;
    pthread_mutex_t mutex; /* for what follows */
    pthread_cond_t changed;
    char *texts[MAX_TEXTS]; /* a ring; the first stays in it until it is written */
    size_t first, count;
    size_t dropped; /* since the last text */
    bool failed, ending;
};

enum writer_state { WRITER_BUSY, WRITER_DONE, WRITER_FAILED };

/*
 * Starts the thread for a descriptor, in a process that does not fork any more. False and errno: there is none.
 * `event`, an eventfd or -1, is made readable when all is written, or cannot be.
 */
bool writer_start(struct writer *writer, int fd, int event);

/* Never blocks. Where too much waits already, lines are dropped, and a line says how many. Any thread. */
void writer_put(struct writer *writer, const char *text);

/* Waits until all is written, for so many milliseconds at most. */
enum writer_state writer_await(struct writer *writer, int64_t timeout_ms);

/* The same, and ends the thread unless it still writes. Nothing is written from here on. */
void writer_end(struct writer *writer, int64_t timeout_ms);

#endif
