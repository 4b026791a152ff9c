/* SPDX-License-Identifier: Apache-2.0 */
/* Counts what somebody waits for, and wakes them at the last. Guarded by the mutex of its owner. */
#ifndef CURATOR_BASE_WAIT_GROUP_H
#define CURATOR_BASE_WAIT_GROUP_H

#include "base/waker.h"

struct wait_group {
    int pending;
    struct wakers *wakers;
    struct waker *waker;
};

/* NULL is fine in all of them: nobody waits. */
void wait_group_add(struct wait_group *group);
void wait_group_done(struct wait_group *group);
void wait_group_forget(struct wait_group *group); /* one that is not waited for any more: wakes nobody */

#endif
