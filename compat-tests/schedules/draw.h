/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers that a seed decides. */
#ifndef CURATOR_SCHEDULES_DRAW_H
#define CURATOR_SCHEDULES_DRAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void draw_seed(uint64_t seed);

uint64_t draw(void);
size_t draw_below(size_t end); /* 0 to end - 1; end must be above 0 */
bool draw_once_in(size_t times);
int64_t draw_between(int64_t first, int64_t last);

/* A second stream, for what the library draws: its UUIDs and pauses. */
uint64_t draw_for_library(void);

#endif
