/* SPDX-License-Identifier: Apache-2.0 */
/* What tells a process apart from all others. */
#include "base/error.h"

#include <curator/framework.h>
#include <errno.h> /* program_invocation_short_name */
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

curator_status curator_process_identity(char **identity)
{
    if (identity == NULL) {
        return fail(CURATOR_INVALID_ARGUMENT, "%s: the pointer for the result is NULL", __func__);
    }
    *identity = NULL;
    char host[HOST_NAME_MAX + 1] = "";
    if (gethostname(host, sizeof host - 1) != 0 || host[0] == '\0') {
        return fail(CURATOR_ERROR, "%s: this host has no name", __func__);
    }
    char *text;
    if (asprintf(&text, "%s/%ld/%s", host, (long)getpid(), program_invocation_short_name) < 0) {
        return fail(CURATOR_NO_MEMORY, "%s: no memory", __func__);
    }
    *identity = text;
    return CURATOR_OK;
}
