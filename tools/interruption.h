/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals during a call that blocks in the library. A thread reads them; one that ends the wait closes the framework,
 * which ends every call on it, those that begin later too, and deletes what it has on the server.
 */
#ifndef CURATOR_LOCK_INTERRUPTION_H
#define CURATOR_LOCK_INTERRUPTION_H

#include <curator/curator.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct interruption {
    int signals; /* the descriptor of signals.h */
    int stop;    /* an eventfd: the call is over */
    curator_framework *framework;
    pthread_t thread;
    atomic_int signal; /* that ended the wait; 0: none */
};

/* False: there is no thread or descriptor for it, which has been reported. */
bool interruption_begin(struct interruption *interruption, int signals, curator_framework *framework);

/*
 * The signal that has closed the framework, or 0. Signals are from now on for the caller to read. Without
 * wait_for_close the framework may still be being closed: then nothing that belongs to it may be touched any more.
 */
int interruption_end(struct interruption *interruption, bool wait_for_close);

#endif
