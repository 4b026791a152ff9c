/* SPDX-License-Identifier: Apache-2.0 */
/* The processes below this one, wherever they have moved: into process groups and sessions of their own. */
#ifndef CURATOR_LOCK_DESCENDANTS_H
#define CURATOR_LOCK_DESCENDANTS_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Makes this process the parent of every descendant that loses its own, so that none can leave us. False: the kernel
 * does not offer it.
 */
bool adopt_orphans(void);

/*
 * Sends the signal to every descendant of this process but those of the process group `spared`; 0 spares nobody. How
 * many there are that could be signalled. New ones may appear meanwhile: to end all, call it with SIGKILL until it says
 * 0. -1: they could not be listed, as there is no /proc, or that of another PID namespace.
 */
int signal_descendants(int number, pid_t spared);

#endif
