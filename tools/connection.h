/* SPDX-License-Identifier: Apache-2.0 */
/* The framework that a command works with, and what a failure of the library makes of the exit status. */
#ifndef CURATOR_LOCK_CONNECTION_H
#define CURATOR_LOCK_CONNECTION_H

#include "options.h"

#include <curator/curator.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Starts the framework. The nodes' data is host/pid/program, if --data does not say something else. EXIT_DONE, or the
 * status to exit with: the reason has been reported.
 */
int connection_open(curator_framework **framework, const struct common_options *options);

/* Waits for the server, at most as long as the connection time-out and limit_ms. As connection_open(). */
int connection_await(curator_framework *framework, const struct common_options *options, int64_t limit_ms);

/* Whether a server has ever answered the framework of this process. */
bool connection_was_made(void);

/*
 * Ends the framework. If no server has ever answered, it is left as it is for the process's end: there is nothing to
 * clean up but, if an answer comes right now, a session without a node, and to close in order would wait for servers
 * that are silent.
 */
void connection_close(curator_framework *framework);

/* Reports the failure of a call, by the library's sentence, and answers the status to exit with. */
int failure(curator_status status);

/* Only the status. */
int exit_status_of(curator_status status);

#endif
