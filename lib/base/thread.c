/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of the library, which receive none of the program's signals. */
#include "base/thread.h"

#include <stddef.h>

void signals_block(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, before);
}

void signals_restore(const sigset_t *before)
{
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

int thread_start(pthread_t *thread, void *(*run)(void *), void *context)
{
    sigset_t before;
    signals_block(&before);
    int rc = pthread_create(thread, NULL, run, context);
    signals_restore(&before);
    return rc;
}
