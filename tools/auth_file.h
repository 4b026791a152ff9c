/* SPDX-License-Identifier: Apache-2.0 */
/* Credentials from a file, as arguments are visible to everybody on the machine. */
#ifndef CURATOR_LOCK_AUTH_FILE_H
#define CURATOR_LOCK_AUTH_FILE_H

#include <stdbool.h>

/*
 * Reads "scheme:credentials" from the file's first line. The scheme is to be freed with auth_free(); the credentials
 * point into it. False if the file cannot be used, which has been reported.
 */
bool auth_file_read(const char *path, char **scheme, const char **credentials);

void auth_free(char *scheme);

#endif
