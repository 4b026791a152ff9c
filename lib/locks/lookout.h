/* SPDX-License-Identifier: Apache-2.0 */
/* The watch of an attempt on a node before its own. Everything here wants the client's mutex held. */
#ifndef CURATOR_LOCKS_LOOKOUT_H
#define CURATOR_LOCKS_LOOKOUT_H

#include "client/request.h"
#include "client/watch.h"

struct attempt;

/* Embedded in the attempt. What it says, it says of the connection that still lasts. */
struct lookout {
    struct watcher watcher;
    struct attempt *attempt;
    void (*seen)(struct attempt *attempt); /* told of each event, when all below is up to date */
    char *path;                            /* NULL: nothing is watched */
    bool set;                              /* asked for, and not used up */
    bool gone;                             /* the node was deleted */
    int64_t gone_at;                       /* when we learnt that; clock_now() */
    int64_t owner;                         /* its session */
};

void lookout_init(struct lookout *lookout, struct attempt *attempt, void (*seen)(struct attempt *attempt));

/* Turns to the node of this name, unless it is there already. False: out of memory. */
bool lookout_turn(struct lookout *lookout, const char *name);
void lookout_end(struct lookout *lookout);

/* Reads the node, so that no watch stays on a missing one. NULL if that is not needed, or, with *failed, for want of
 * memory. The answer goes to lookout_answered(). */
struct request *lookout_watch(struct lookout *lookout, bool *failed);
void lookout_answered(struct lookout *lookout, const struct request *request); /* NULL: none was needed */

#endif
