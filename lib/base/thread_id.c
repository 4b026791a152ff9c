/* SPDX-License-Identifier: Apache-2.0 */
/* A thread's identity that is never used again. */
#include "base/thread_id.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_uint_least64_t last;
static _Thread_local uint64_t own;

uint64_t thread_id(void)
{
    if (own == 0) {
        own = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
    }
    return own;
}

pid_t thread_system_id(void)
{
    return (pid_t)syscall(SYS_gettid); /* not kept: the thread of a child process has another one */
}

bool thread_has_ended(pid_t system_id)
{
    return syscall(SYS_tgkill, getpid(), system_id, 0) != 0 && errno == ESRCH;
}
