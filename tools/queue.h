/* SPDX-License-Identifier: Apache-2.0 */
/* The queue of one lock path, whatever kind of lock it is. */
#ifndef CURATOR_LOCK_QUEUE_H
#define CURATOR_LOCK_QUEUE_H

#include "options.h"

#include <curator/curator.h>
#include <stdint.h>

struct queue {
    const char *path;
    curator_mutex *mutex;
    curator_read_write_lock *lock;  /* the same path as a read-write lock */
    bool is_read_write;             /* so it was when it was last read */
    curator_contenders *contenders; /* NULL until it was read */
};

/* CURATOR_OK, or why the path is none. To be closed in any case. */
curator_status queue_open(struct queue *queue, curator_framework *framework, const char *path);
void queue_close(struct queue *queue);

/* Reads the contenders anew; those read before stay unless CURATOR_OK. */
curator_status queue_read(struct queue *queue);

/* Both, and the wait for a connection in between: so a wrong path needs no server. EXIT_DONE, or reported. */
int queue_open_and_read(struct queue *queue, curator_framework *framework, const struct common_options *options,
                        const char *path);

/* Whom a contender waits for: an index; the contender's own if it holds. */
size_t queue_behind(const struct queue *queue, size_t index);

/* Milliseconds since the creation of its node, by this host's clock; never negative. */
int64_t queue_age_ms(const curator_contender *contender);

const char *queue_kind_name(curator_contender_kind kind);

#endif
