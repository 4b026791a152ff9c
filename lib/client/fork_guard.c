/* SPDX-License-Identifier: Apache-2.0 */
/* Tells a child process from the one that opened a framework. */
#include "client/fork_guard.h"

#include <pthread.h>
#include <stdatomic.h>

static atomic_uint generation = 1;
static pthread_once_t installed = PTHREAD_ONCE_INIT;

static void count_fork(void)
{
    atomic_fetch_add_explicit(&generation, 1, memory_order_relaxed);
}

static void install(void)
{
    pthread_atfork(NULL, NULL, count_fork);
}

unsigned fork_generation(void)
{
    pthread_once(&installed, install);
    return atomic_load_explicit(&generation, memory_order_relaxed);
}
