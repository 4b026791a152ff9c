/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CURATOR_LOCK_TABLE_H
#define CURATOR_LOCK_TABLE_H

#include "queue.h"

#include <stdio.h>

/* Of a terminal; 0: no limit. */
struct table_size {
    size_t columns;
    size_t rows;
};

/* A table of each queue, below a heading if there are several. Nothing that it prints moves the cursor. */
void table_print(FILE *out, const struct queue *queues, size_t count, struct table_size size);

#endif
