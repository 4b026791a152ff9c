/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of a request as a server counts them: all that follows the length in front of it. A server drops the
 * connection that sends more than its jute.maxbuffer, and with it every other request on it.
 */
#ifndef CURATOR_ZK_REQUEST_SIZE_H
#define CURATOR_ZK_REQUEST_SIZE_H

#include <stddef.h>
#include <stdint.h>
#include <zookeeper/zookeeper.h>

#define REQUEST_MAX_BYTES 0xfffff /* jute.maxbuffer, if nobody has set it */

/* A string or a buffer: its length goes in front of it. */
#define REQUEST_STRING_BYTES(length) (sizeof(int32_t) + (length))

size_t request_size_acl(const struct ACL_vector *acl);

/* Paths are those that the server gets: with the chroot. */
size_t request_size_create(size_t path, size_t data, size_t acl_bytes);
size_t request_size_set_data(size_t path, size_t data);
size_t request_size_auth(size_t scheme, size_t credentials);

/* Of the watches set anew at a reconnect, beside the paths' REQUEST_STRING_BYTES: the header, a zxid, three counts. */
#define REQUEST_SET_WATCHES_BYTES (2 * sizeof(int32_t) + sizeof(int64_t) + 3 * sizeof(int32_t))

#endif
