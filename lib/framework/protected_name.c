/* SPDX-License-Identifier: Apache-2.0 */
/* Names by which a node is found again after a create whose answer was lost. */
#include "framework/protected_name.h"

#include "base/uuid.h"

#include <stdio.h>
#include <string.h>

#define MARK "_c_"

char *protected_name_path(const char *parent, const char *uuid, const char *name)
{
    char *path = NULL;
    return asprintf(&path, "%s/" MARK "%s-%s", parent, uuid, name) >= 0 ? path : NULL;
}

bool protected_name_is_created(const char *path, const char *prefix, bool sequential)
{
    size_t length = strlen(prefix);
    if (strncmp(path, prefix, length) != 0) {
        return false;
    }
    const char *sequence = path + length;
    if (!sequential) {
        return *sequence == '\0';
    }
    sequence += *sequence == '-';
    size_t digits = strspn(sequence, "0123456789");
    return digits > 0 && sequence[digits] == '\0';
}

bool protected_name_has_uuid(const char *name, const char *uuid)
{
    return strncmp(name, MARK, strlen(MARK)) == 0 && strncmp(name + strlen(MARK), uuid, UUID_LENGTH) == 0 &&
           name[strlen(MARK) + UUID_LENGTH] == '-';
}
