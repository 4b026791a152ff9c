/* SPDX-License-Identifier: Apache-2.0 */
/* Random UUIDs, by which a client finds its own node again. */
#ifndef CURATOR_BASE_UUID_H
#define CURATOR_BASE_UUID_H

#include <stdbool.h>

#define UUID_LENGTH 36

/* Writes a version 4 UUID in lower case; false if the system has no randomness to give. */
bool uuid_random(char uuid[UUID_LENGTH + 1]);

#endif
