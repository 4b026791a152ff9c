/* SPDX-License-Identifier: Apache-2.0 */
/* The C peer with a name service that takes CURATOR_LOOK_UP_MS for every name. */
#include "own_names.h"

#include <stdlib.h>

__attribute__((constructor)) static void read_environment(void)
{
    const char *milliseconds = getenv("CURATOR_LOOK_UP_MS");
    if (milliseconds != NULL) {
        atomic_store(&other_look_up_ms, atoi(milliseconds));
    }
}
