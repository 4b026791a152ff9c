/* SPDX-License-Identifier: Apache-2.0 */
/* The threads on which the ZooKeeper client runs callbacks. */
#include "base/callback_thread.h"

#include "base/fork.h"

static _Thread_local unsigned callback_thread; /* the fork generation in which it became one; 0: it is none */

void callback_thread_mark(void)
{
    callback_thread = fork_generation();
}

bool callback_thread_is_current(void)
{
    return callback_thread == fork_generation();
}
