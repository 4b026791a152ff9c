/* SPDX-License-Identifier: Apache-2.0 */
/* The watch of an attempt on a node before its own. Caller holds client->mutex. */
#ifndef CURATOR_LOCKS_PREDECESSOR_WATCH_H
#define CURATOR_LOCKS_PREDECESSOR_WATCH_H

#include "zk/request.h"
#include "zk/watch.h"

struct attempt;

/* Embedded in the attempt. What it says is true of the connection that still lasts. */
struct predecessor_watch {
    struct watcher watcher;
    struct session *session;
    struct attempt *attempt;
    void (*on_event)(struct attempt *attempt, enum watch_event event); /* called when all below is up to date */
    char *path;                                                        /* NULL: nothing is watched */
    bool set;                                                          /* asked for, and not used up */
    bool gone;                                                         /* the node was deleted */
    int64_t gone_at;                                                   /* when we learnt that; clock_now() */
    char data[DATA_KEPT];                                              /* of the node, the first bytes */
    int32_t data_length;                                               /* of all of it; 0: none, or not read yet */
    int64_t owner;                                                     /* the node's session */
};

void predecessor_watch_init(struct predecessor_watch *watch, struct session *session, struct attempt *attempt,
                            void (*on_event)(struct attempt *attempt, enum watch_event event));

/* Turns to this child of a parent, unless that is watched already. False: out of memory. */
bool predecessor_watch_retarget(struct predecessor_watch *watch, const char *parent, const char *name);
void predecessor_watch_discard(struct predecessor_watch *watch);

/* The connection has been lost or is back: nothing is known of the node any more. */
void predecessor_watch_reset(struct predecessor_watch *watch);

/*
 * Reads the node, so that no watch stays on a missing one. NULL if that is not needed, or, with *failed, for want of
 * memory. The answer goes to predecessor_watch_answered().
 */
struct request *predecessor_watch_send(struct predecessor_watch *watch, struct wait_group *group, bool *failed);
void predecessor_watch_answered(struct predecessor_watch *watch, const struct request *request); /* NULL: not needed */

#endif
