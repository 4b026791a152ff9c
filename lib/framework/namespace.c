/* SPDX-License-Identifier: Apache-2.0 */
/* The name space: a prefix that every path of a client gets on its way out and loses on its way back. */
#include "framework/namespace.h"

#include "base/error.h"
#include "base/path.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_none(const char *name_space)
{
    return name_space == NULL || *name_space == '\0';
}

/* "/" + name_space + rest */
static char *namespace_join(const char *name_space, const char *rest)
{
    char *path = NULL;
    return asprintf(&path, "/%s%s", name_space, rest) >= 0 ? path : NULL;
}

curator_status namespace_validate(const char *name_space)
{
    if (is_none(name_space)) {
        return CURATOR_OK;
    }
    char *path = namespace_join(name_space, "");
    if (path == NULL) {
        return fail(CURATOR_NO_MEMORY, "out of memory while checking the name space");
    }
    curator_status status = path_validate(path);
    if (status != CURATOR_OK) {
        status = fail(status, "the name space cannot be used: %s", curator_last_error());
    }
    free(path);
    return status;
}

char *namespace_fix(const char *name_space, const char *path)
{
    return is_none(name_space) ? strdup(path) : namespace_join(name_space, strcmp(path, "/") == 0 ? "" : path);
}

const char *namespace_unfix(const char *name_space, const char *path)
{
    if (is_none(name_space) || path[0] != '/') {
        return path;
    }
    size_t length = strlen(name_space);
    if (strncmp(path + 1, name_space, length) != 0) {
        return path;
    }
    const char *rest = path + 1 + length;
    if (*rest == '\0') {
        return "/";
    }
    return *rest == '/' ? rest : path;
}
