/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of a request as a server counts them. */
#include "zk/request_size.h"

#include <string.h>

#define HEADER (2 * sizeof(int32_t)) /* number and type of the request */

size_t request_size_acl(const struct ACL_vector *acl)
{
    size_t size = sizeof(int32_t); /* how many */
    for (int32_t i = 0; i < acl->count; i++) {
        const struct Id *id = &acl->data[i].id;
        size += sizeof(int32_t) + REQUEST_STRING_BYTES(strlen(id->scheme)) + REQUEST_STRING_BYTES(strlen(id->id));
    }
    return size;
}

size_t request_size_create(size_t path, size_t data, size_t acl_bytes)
{
    return HEADER + REQUEST_STRING_BYTES(path) + REQUEST_STRING_BYTES(data) + acl_bytes + sizeof(int32_t);
}

size_t request_size_set_data(size_t path, size_t data)
{
    return HEADER + REQUEST_STRING_BYTES(path) + REQUEST_STRING_BYTES(data) + sizeof(int32_t);
}

size_t request_size_auth(size_t scheme, size_t credentials)
{
    return HEADER + sizeof(int32_t) + REQUEST_STRING_BYTES(scheme) + REQUEST_STRING_BYTES(credentials);
}
