/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of the library, which receive none of the program's signals. */
#ifndef CURATOR_BASE_THREAD_H
#define CURATOR_BASE_THREAD_H

#include <pthread.h>
#include <signal.h>

/* 0 or an errno value. */
int thread_start(pthread_t *thread, void *(*run)(void *context), void *context);

/* Around what starts threads in somebody else's code: a thread inherits the signal mask of the one that starts it. */
void signals_block(sigset_t *before);
void signals_restore(const sigset_t *before);

#endif
