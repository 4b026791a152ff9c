/* SPDX-License-Identifier: Apache-2.0 */
/* The connect string: what the user wrote taken apart, and what the C client wants put together. */
#ifndef CURATOR_CLIENT_CONNECT_STRING_H
#define CURATOR_CLIENT_CONNECT_STRING_H

#include <curator/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct connect_server {
    char *host; /* without the brackets of an IPv6 address */
    uint16_t port;
    bool numeric; /* the host is an address, not a name to be resolved */
};

/* Owned by whoever parsed it; never changes. */
struct connect_string {
    size_t count; /* 1 or more */
    struct connect_server *servers;
    char *chroot; /* NULL: none */
};

/*
 * Takes "host:port,host:port/chroot" apart and hands it out in *out, to be freed with connect_string_free().
 * CURATOR_INVALID_ARGUMENT with what is wrong and where, CURATOR_NO_MEMORY. *out is NULL unless CURATOR_OK.
 */
curator_status connect_string_parse(const char *text, struct connect_string **out);

/* NULL is fine. */
void connect_string_free(struct connect_string *connect);

/*
 * The string for zookeeper_init() out of count >= 1 numeric addresses: IPv6 without brackets, and the first address
 * once more at the end of an even list, on which the C client would not fail over. To be freed; NULL if out of memory.
 */
char *connect_string_for_client(const char *const *addresses, const uint16_t *ports, size_t count, const char *chroot);

#endif
