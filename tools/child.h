/* SPDX-License-Identifier: Apache-2.0 */
/* The command itself, as a child of the supervisor. */
#ifndef CURATOR_LOCK_CHILD_H
#define CURATOR_LOCK_CHILD_H

#include "supervisor.h"

/* Starts it with its variables and its process group. -1 and errno: there is none. */
pid_t child_start(const struct supervisor_setup *setup, const struct supervisor_shared *shared);

#endif
