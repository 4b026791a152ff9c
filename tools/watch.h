/* SPDX-License-Identifier: Apache-2.0 */
/* Learns that queues have changed: one ZooKeeper watch for each, however long it is. */
#ifndef CURATOR_LOCK_WATCH_H
#define CURATOR_LOCK_WATCH_H

#include "options.h"
#include "queue.h"

/* Before there are threads, which must not get the signal of a new size. A descriptor for it; -1: reported. */
int watch_prepare(void);

/* What to follow, and who shows it: draw() answers false if it cannot. */
struct watch {
    struct queue *queues;
    size_t count;
    bool (*draw)(const struct queue *queues, size_t count, void *context);
    void *context;
    int sizes; /* what watch_prepare() answered */
};

/*
 * Draws the queues as they are, and again whenever one has changed or the terminal has another size. Ends only by a
 * failure: the status to exit with, which has been reported.
 */
int watch_queues(curator_framework *framework, const struct common_options *options, const struct watch *watch);

#endif
