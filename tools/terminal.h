/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The controlling terminal, which is handed to the command's process group and taken back. All functions do nothing
 * without a terminal.
 */
#ifndef CURATOR_LOCK_TERMINAL_H
#define CURATOR_LOCK_TERMINAL_H

#include <stdbool.h>
#include <sys/types.h>
#include <termios.h>

struct terminal {
    int fd; /* -1: there is none */
    bool has_modes;
    struct termios modes; /* when we were started */
};

void terminal_open(struct terminal *terminal);

/* Whether it is ours: our process group is in the foreground. */
bool terminal_is_ours(const struct terminal *terminal);

/* From our group to that one, if it is ours. */
void terminal_give(const struct terminal *terminal, pid_t group);

/* From that group to ours, if it is that group's. */
void terminal_take_back(const struct terminal *terminal, pid_t group);

/* A program that was killed may have left it without echo. Does not wait for output, which Ctrl-S may have stopped. */
void terminal_restore_modes(const struct terminal *terminal);

#endif
