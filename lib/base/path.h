/* SPDX-License-Identifier: Apache-2.0 */
/* ZooKeeper's rules for paths, as Java checks them before it sends anything; and joining paths. */
#ifndef CURATOR_BASE_PATH_H
#define CURATOR_BASE_PATH_H

#include <curator/status.h>

/*
 * CURATOR_INVALID_ARGUMENT and a sentence naming rule and position if the path is not a valid absolute path. Positions
 * count UTF-16 code units from 0, as in Java; only invalid UTF-8 is placed by its byte.
 */
curator_status path_validate(const char *path);

/* parent + "/" + name, to be freed; NULL if out of memory. The parent is not "/". */
char *path_join(const char *parent, const char *name);

#endif
