/* SPDX-License-Identifier: Apache-2.0 */
/* A copy of the caller's ACL. */
#ifndef CURATOR_FRAMEWORK_ACL_H
#define CURATOR_FRAMEWORK_ACL_H

#include <stdbool.h>
#include <zookeeper/zookeeper.h>

/* False, with *copy empty: out of memory. */
bool acl_copy(const struct ACL_vector *acl, struct ACL_vector *copy);
void acl_free(struct ACL_vector *acl);

#endif
