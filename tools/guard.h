/* SPDX-License-Identifier: Apache-2.0 */
/* The time in which the command runs and the lock is held: signals, loss, danger, job control, the command's end. */
#ifndef CURATOR_LOCK_GUARD_H
#define CURATOR_LOCK_GUARD_H

#include "lock.h"
#include "supervisor.h"
#include "terminal.h"

/* Starts the command under the lock and waits for its end. The status to exit with, if the lock was not lost: that has
 * been reported. */
int guard_command(struct lock *lock, struct supervisor *supervisor, const struct supervisor_setup *setup,
                  const struct terminal *terminal, bool *lost);

#endif
