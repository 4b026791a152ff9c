/* SPDX-License-Identifier: Apache-2.0 */
/* Counts what somebody waits for. */
#include "base/wait_group.h"

#include <stddef.h>

void wait_group_add(struct wait_group *group)
{
    if (group != NULL) {
        group->pending++;
    }
}

void wait_group_done(struct wait_group *group)
{
    if (group != NULL && --group->pending == 0) {
        waker_signal(group->wakers, group->waker);
    }
}

void wait_group_forget(struct wait_group *group)
{
    if (group != NULL) {
        group->pending--;
    }
}
