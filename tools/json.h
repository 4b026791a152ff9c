/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CURATOR_LOCK_JSON_H
#define CURATOR_LOCK_JSON_H

#include "queue.h"

#include <stddef.h>
#include <stdio.h>

/*
 * With its quotes. Text must be UTF-8: U+FFFD stands for each byte that is not. What could control a terminal is
 * escaped: the output may be shown by one.
 */
void json_print_string(FILE *out, const char *text, size_t size);

/* One array with an object for each contender. Ends with a newline. */
void json_print(FILE *out, const struct queue *queues, size_t count);

#endif
