/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How late the machine lets threads run: one that does nothing but sleep for a millisecond at a time. With it a test
 * can tell a call that is late from a machine that is busy.
 */
#include "peer.h"
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static pthread_t sleeper;
static atomic_bool sleeping;
static _Atomic double worst_ms; /* that thread alone writes it while there is one */

static void *sleep_and_look(void *context)
{
    (void)context;
    while (atomic_load(&sleeping)) {
        double before = monotonic_ms();
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        atomic_store(&worst_ms, fmax(atomic_load(&worst_ms), monotonic_ms() - before - 1));
    }
    return NULL;
}

/* lateness begin; lateness so-far, lateness end -> the worst lateness since */
bool lateness_verb(const struct request *request, struct answer *answer)
{
    if (strcmp(request->verb, "lateness") != 0) {
        return false;
    }
    if (strcmp(argument(request, 0), "begin") == 0) {
        atomic_store(&worst_ms, 0);
        atomic_store(&sleeping, true);
        if (pthread_create(&sleeper, NULL, sleep_and_look, NULL) != 0) {
            abort();
        }
    } else {
        if (strcmp(argument(request, 0), "end") == 0) {
            atomic_store(&sleeping, false);
            pthread_join(sleeper, NULL);
        }
        line_add_ms(&answer->values, atomic_load(&worst_ms));
    }
    return true;
}
