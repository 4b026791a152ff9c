/* SPDX-License-Identifier: Apache-2.0 */
/* The watch of an attempt on a node before its own. Everything here wants the client's mutex held. */
#ifndef CURATOR_LOCKS_PREDECESSOR_WATCH_H
#define CURATOR_LOCKS_PREDECESSOR_WATCH_H

#include "zk/request.h"
#include "zk/watch.h"

struct attempt;

/* Embedded in the attempt. What it says, it says of the connection that still lasts. */
struct predecessor_watch {
    struct watcher watcher;
    struct attempt *attempt;
    void (*on_event)(struct attempt *attempt); /* told of each event, when all below is up to date */
    char *path;                                /* NULL: nothing is watched */
    bool set;                                  /* asked for, and not used up */
    bool gone;                                 /* the node was deleted */
    int64_t gone_at;                           /* when we learnt that; clock_now() */
    int64_t owner;                             /* its session */
};

void predecessor_watch_init(struct predecessor_watch *predecessor_watch, struct attempt *attempt,
                            void (*on_event)(struct attempt *attempt));

/* Turns to the node of this name, unless it is there already. False: out of memory. */
bool predecessor_watch_retarget(struct predecessor_watch *predecessor_watch, const char *name);
void predecessor_watch_discard(struct predecessor_watch *predecessor_watch);

/* Reads the node, so that no watch stays on a missing one. NULL if that is not needed, or, with *failed, for want of
 * memory. The answer goes to predecessor_watch_answered(). */
struct request *predecessor_watch_send(struct predecessor_watch *predecessor_watch, bool *failed);
void predecessor_watch_answered(struct predecessor_watch *predecessor_watch,
                                const struct request *request); /* NULL: none was needed */

#endif
