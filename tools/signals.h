/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The signals of curator-lock. They are blocked before any thread or process is started, so that every thread of the
 * library inherits that, and read from a descriptor. Dispositions stay as they were: the command inherits them. A
 * signal that is ignored when we start, as SIGHUP below nohup, stays ignored; SIGCHLD, which we need, only for the
 * command.
 */
#ifndef CURATOR_LOCK_SIGNALS_H
#define CURATOR_LOCK_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* Blocks them. The descriptor has those that are handed on to the command; -1: reported. Once. */
int signals_take(void);

/* In the command's process: everything as it was when we were started. */
void signals_restore(void);

/* Whether the signal ends a wait for the lock. */
bool signal_ends_wait(int number);

/*
 * The next signal that waits in the descriptor; 0: none. from_terminal: a key was pressed, so the terminal has sent it
 * to our whole process group.
 */
int signals_next(int fd, bool *from_terminal);

/*
 * Stops this process and its process group, as Ctrl-Z does, until somebody continues them. False: nobody could, as no
 * shell looks after us, and we were not stopped.
 */
bool signals_stop_ourselves(void);

/* "TERM", "SIGTERM" or "15"; 0: no signal. */
int signal_called(const char *name);

#endif
