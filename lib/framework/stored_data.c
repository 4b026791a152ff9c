/* SPDX-License-Identifier: Apache-2.0 */
/* What is written to nodes: the user's data, or their compressed form. */
#include "framework/stored_data.h"

#include "base/gzip.h"

bool stored_data_of(const curator_framework *framework, const void **data, size_t *size, void **room)
{
    *room = NULL;
    if (!framework->options.compresses) {
        return true;
    }
    *room = gzip_compress(*data, *size, size);
    *data = *room;
    return *room != NULL;
}
