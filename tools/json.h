/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CURATOR_LOCK_JSON_H
#define CURATOR_LOCK_JSON_H

#include "queue.h"

#include <stdio.h>

/* One array with an object for each contender. Ends with a newline. */
void json_print(FILE *out, const struct queue *queues, size_t count);

#endif
