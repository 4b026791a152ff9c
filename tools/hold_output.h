/* SPDX-License-Identifier: Apache-2.0 */
/* The line that `hold` prints when it has the lock. Who reads it may be late: the lock is guarded meanwhile. */
#ifndef CURATOR_LOCK_HOLD_OUTPUT_H
#define CURATOR_LOCK_HOLD_OUTPUT_H

#include "lock.h"
#include "writer.h"

#include <stdbool.h>

/* To stay as long as the process, see writer.h. */
struct hold_output {
    struct writer writer;
    int written; /* readable when it is; -1: that is known */
    bool looked_at, ready;
};

/* Starts to write it. False: it cannot be, which has been reported. */
bool hold_output_start(struct hold_output *output, const struct lock *lock, bool json);

/*
 * Whether it could be written, as far as is known; the first time after a short wait. systemd hears of READY as soon as
 * it is.
 */
bool hold_output_look(struct hold_output *output);

/* Ends it, unless somebody has still to read. */
void hold_output_end(struct hold_output *output);

#endif
