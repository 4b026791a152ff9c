/* SPDX-License-Identifier: Apache-2.0 */
/* The C peer with a name service that is slow or fails, as environment variables say. */
#include "own_names.h"

#include <stdlib.h>

static int number(const char *variable)
{
    const char *value = getenv(variable);
    return value != NULL ? atoi(value) : 0;
}

__attribute__((constructor)) static void read_environment(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    atomic_store(&other_look_up_ms, number("CURATOR_LOOK_UP_MS"));
    atomic_store(&quick_look_ups, number("CURATOR_QUICK_LOOK_UPS"));
    atomic_store(&names_fail_until, now.tv_sec + number("CURATOR_NAMES_FAIL_S"));
}
