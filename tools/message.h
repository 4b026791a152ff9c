/* SPDX-License-Identifier: Apache-2.0 */
/* Lines on standard error, each in one write, so that lines of several processes do not mix. Any thread. */
#ifndef CURATOR_LOCK_MESSAGE_H
#define CURATOR_LOCK_MESSAGE_H

#include <stdbool.h>

enum verbosity { QUIET = -1, NORMAL, VERBOSE, DEBUG };

/* Set once, before there are threads. */
void message_set_verbosity(int verbosity);
int message_verbosity(void);

/*
 * From here on a thread writes the lines, so that who prints one never waits for who reads it. Once, before there are
 * other threads, in a process that does not fork any more. False: there is no thread, which has been reported.
 */
bool message_start_writer(void);

/* Before the process ends: waits until the lines are written, or 2 s. */
void message_end(void);

/* Something failed: printed always. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Something that the user should know: not with -q. */
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Only with -v. */
void inform(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A wrong call: says so with a hint at the help, and answers EXIT_USAGE. */
int wrong_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
