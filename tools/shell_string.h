/* SPDX-License-Identifier: Apache-2.0 */
/* The string of -c. */
#ifndef CURATOR_LOCK_SHELL_STRING_H
#define CURATOR_LOCK_SHELL_STRING_H

#include <stdbool.h>

/*
 * Whether "exec " can stand before it without changing what it does: one command, and one that is no part of the shell.
 * In doubt not: then the shell stays, in the command's process group as everything else.
 */
bool is_simple_command(const char *string);

#endif
