/* SPDX-License-Identifier: Apache-2.0 */
/* Names by which a node is found again after a create whose answer was lost: _c_<uuid>-<name>. */
#ifndef CURATOR_FRAMEWORK_PROTECTED_NAME_H
#define CURATOR_FRAMEWORK_PROTECTED_NAME_H

#include "base/uuid.h"

#include <stdbool.h>

/* What such a path has beside the parent and the name: "/_c_", the UUID, and "-". */
#define PROTECTED_NAME_BYTES (4 + UUID_LENGTH + 1)

/* "<parent>/_c_<uuid>-<name>", to be freed; NULL if out of memory. The parent is not "/". */
char *protected_name_path(const char *parent, const char *uuid, const char *name);

/* Whether a created node's path is the one asked for and, if the server was to append one, a sequence: digits, with a
 * minus in front once the numbers have wrapped. */
bool protected_name_is_created(const char *path, const char *prefix, bool sequential);

/* Whether a node's name, without its parent, begins with "_c_<uuid>-". */
bool protected_name_has_uuid(const char *name, const char *uuid);

#endif
