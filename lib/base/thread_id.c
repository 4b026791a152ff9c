/* SPDX-License-Identifier: Apache-2.0 */
/* A thread's identity that is never used again. */
#include "base/thread_id.h"

#include <stdatomic.h>

static atomic_uint_least64_t last;
static _Thread_local uint64_t own;

uint64_t thread_id(void)
{
    if (own == 0) {
        own = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
    }
    return own;
}
