/* SPDX-License-Identifier: Apache-2.0 */
/* Lines on standard error, each in one write, so that lines of several processes do not mix. Any thread. */
#ifndef CURATOR_LOCK_MESSAGE_H
#define CURATOR_LOCK_MESSAGE_H

enum verbosity { QUIET = -1, NORMAL, VERBOSE, DEBUG };

/* Set once, before there are threads. */
void message_set_verbosity(int verbosity);
int message_verbosity(void);

/* Something failed: printed always. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Something that the user should know: not with -q. */
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Only with -v. */
void inform(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A wrong call: says so with a hint at the help, and answers EXIT_USAGE. */
int wrong_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
