/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a server accepts the request that creates a lock's node. */
#include "framework/node_size.h"

#include "base/error.h"
#include "client/connect_string.h"
#include "framework/protected_name.h"
#include "zk/request_size.h"

#include <string.h>

struct node_size node_size_below(const struct connect_string *servers, const char *name_space)
{
    return (struct node_size){.chroot = servers->chroot != NULL ? strlen(servers->chroot) : 0,
                              .name_space = name_space != NULL && name_space[0] != '\0' ? 1 + strlen(name_space) : 0};
}

curator_status node_size_check(const struct node_size *size, const char *caller)
{
    size_t name = PROTECTED_NAME_BYTES + size->name;
    size_t path = size->chroot + size->name_space + size->path + name;
    size_t all = request_size_create(path, 0, size->acl);
    if (size->data <= REQUEST_MAX_BYTES && all + size->data <= REQUEST_MAX_BYTES) {
        return CURATOR_OK;
    }
    return fail(CURATOR_INVALID_ARGUMENT,
                "%s: more than the %d bytes that a server accepts in one request: chroot %zu + name space %zu + lock "
                "path %zu + node name %zu + data %zu + ACL %zu + the rest %zu",
                caller, REQUEST_MAX_BYTES, size->chroot, size->name_space, size->path, name, size->data, size->acl,
                all - path - size->acl);
}
