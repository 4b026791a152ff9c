/* SPDX-License-Identifier: Apache-2.0 */
/* A hold whose session's lease is about to end, and who is told of it. Caller holds client->mutex. */
#ifndef CURATOR_LOCKS_ENDANGERED_H
#define CURATOR_LOCKS_ENDANGERED_H

#include "locks/mutex_object.h"
#include "zk/session.h"

/* Of one hold, from the grant until it is lost or released. */
struct endangered {
    struct endangered *prev, *next; /* mutex->endangered */
    struct curator_mutex *mutex;    /* NULL: it has ended */
    struct session *session;
    struct lease_alarm alarm; /* in the session's list if the mutex has a margin */
    bool call_due;            /* the function is to be called for this hold */
};

void endangered_begin(struct endangered *endangered, struct curator_mutex *mutex, struct session *session);

/* Ended before: fine. No call comes for this hold afterwards. */
void endangered_end(struct endangered *endangered);

/* How much of the session's lease must be left before a hold counts as endangered: nanoseconds; 0: none ever does. */
int64_t endangered_margin(const struct curator_mutex *mutex, const struct session *session);

#endif
