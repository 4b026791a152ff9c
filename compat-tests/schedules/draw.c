/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers that a seed decides: splitmix64. */
#include "draw.h"

static uint64_t state, state_for_library;

static uint64_t next(uint64_t *where)
{
    uint64_t value = *where += UINT64_C(0x9e3779b97f4a7c15);
    value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
    return value ^ (value >> 31);
}

void draw_seed(uint64_t seed)
{
    state = seed * UINT64_C(0xd1342543de82ef95);
    state_for_library = ~state;
}

uint64_t draw(void)
{
    return next(&state);
}

size_t draw_below(size_t end)
{
    return (size_t)(draw() % end);
}

bool draw_once_in(size_t times)
{
    return draw_below(times) == 0;
}

int64_t draw_between(int64_t first, int64_t last)
{
    return first + (int64_t)(draw() % (uint64_t)(last - first + 1));
}

uint64_t draw_for_library(void)
{
    return next(&state_for_library);
}
