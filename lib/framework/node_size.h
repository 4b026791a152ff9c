/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a server accepts the request that creates a lock's node. Every other request about a lock is smaller: its
 * parents have shorter paths and no data; a delete, a read or a list has neither data nor ACL, which are longer than
 * the sequence in its path.
 */
#ifndef CURATOR_FRAMEWORK_NODE_SIZE_H
#define CURATOR_FRAMEWORK_NODE_SIZE_H

#include <curator/status.h>
#include <stddef.h>

struct connect_string;

/* In bytes. */
struct node_size {
    size_t chroot;
    size_t name_space; /* with its slash */
    size_t path;       /* the lock's */
    size_t name;       /* of the node, as it is asked for: after the UUID */
    size_t data;
    size_t acl; /* as it is sent */
};

/* The parts that come from the connect string and the name space (NULL: none). */
struct node_size node_size_below(const struct connect_string *servers, const char *name_space);

/* CURATOR_INVALID_ARGUMENT, with the parts in the message. */
curator_status node_size_check(const struct node_size *size, const char *caller);

#endif
