/* SPDX-License-Identifier: Apache-2.0 */
/* The structure that a member is embedded in. */
#ifndef CURATOR_BASE_CONTAINER_OF_H
#define CURATOR_BASE_CONTAINER_OF_H

#include <stddef.h>

#define container_of(pointer, type, member) ((type *)((char *)(pointer)-offsetof(type, member)))

#endif
