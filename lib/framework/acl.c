/* SPDX-License-Identifier: Apache-2.0 */
/* A copy of the caller's ACL. */
#include "framework/acl.h"

#include <stdlib.h>
#include <string.h>

bool acl_copy(const struct ACL_vector *acl, struct ACL_vector *copy)
{
    *copy = (struct ACL_vector){.data = calloc((size_t)acl->count, sizeof *copy->data)};
    if (copy->data == NULL) {
        return false;
    }
    for (; copy->count < acl->count; copy->count++) {
        const struct ACL *from = &acl->data[copy->count];
        struct ACL *to = &copy->data[copy->count];
        to->perms = from->perms;
        to->id.scheme = strdup(from->id.scheme);
        to->id.id = strdup(from->id.id);
        if (to->id.scheme == NULL || to->id.id == NULL) {
            copy->count++;
            acl_free(copy);
            return false;
        }
    }
    return true;
}

void acl_free(struct ACL_vector *acl)
{
    for (int32_t i = 0; i < acl->count; i++) {
        free(acl->data[i].id.scheme);
        free(acl->data[i].id.id);
    }
    free(acl->data);
    *acl = (struct ACL_vector){0};
}
