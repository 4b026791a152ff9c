/* SPDX-License-Identifier: Apache-2.0 */
/* What is written to nodes: the user's data, or their compressed form. */
#ifndef CURATOR_FRAMEWORK_STORED_DATA_H
#define CURATOR_FRAMEWORK_STORED_DATA_H

#include "framework/framework.h"

/*
 * Changes data and size into what is to be written. *room, to be freed after its last use, has it if it is not the data
 * itself. Without the mutex or with it. False: out of memory.
 */
bool stored_data_of(const curator_framework *framework, const void **data, size_t *size, void **room);

#endif
