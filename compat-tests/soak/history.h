/* SPDX-License-Identifier: Apache-2.0 */
/* What a process of the soak records, and the commands it gets. Every line is "WHAT MILLISECONDS DETAILS". */
#ifndef SOAK_HISTORY_H
#define SOAK_HISTORY_H

#include <curator/status.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Opens the file for appending and starts to watch for pauses of this process. Ends the process if it cannot. */
void history_open(const char *name);

/* Stops watching for pauses. */
void history_close(void);

/* One line with the time of now. Any thread. */
void history_write(const char *what, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Ends the process with a sentence unless the status is CURATOR_OK. */
void history_must(curator_status status, const char *what);

/*
 * Whether this word comes on standard input within the time; the end of the input counts as every word. "keep N" may
 * come in between.
 */
bool history_told_to(const char *word, int timeout_ms);

/* Whether "keep N" asked holders to keep the lock for N ms, and that time is not over. Any thread. */
bool history_keeps(void);

int64_t history_now(void); /* milliseconds of CLOCK_MONOTONIC */
void history_sleep(int milliseconds);

#endif
