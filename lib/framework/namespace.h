/* SPDX-License-Identifier: Apache-2.0 */
/* The name space: a prefix that every path of a client gets on its way out and loses on its way back. */
#ifndef CURATOR_FRAMEWORK_NAMESPACE_H
#define CURATOR_FRAMEWORK_NAMESPACE_H

#include <curator/status.h>

/* CURATOR_INVALID_ARGUMENT and a sentence unless "/" + name_space is a valid path. NULL and "" mean none. */
curator_status namespace_validate(const char *name_space);

/* The full path of a valid user path, to be freed; NULL if out of memory. */
char *namespace_fix(const char *name_space, const char *path);

/* The user path of a full path: points into path, or is the literal "/". A path from elsewhere comes back whole. */
const char *namespace_unfix(const char *name_space, const char *path);

#endif
