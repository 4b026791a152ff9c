/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks names up on a thread of its own, which nobody has to wait for: getaddrinfo() can block for as long as it likes
 * and cannot be stopped.
 */
#ifndef CURATOR_CLIENT_RESOLUTION_H
#define CURATOR_CLIENT_RESOLUTION_H

#include "client/connect_string.h"

#include <stdbool.h>

struct client;
struct resolution;

enum resolution_kind { RESOLVE_SERVERS, LOOK_UP_THIS_HOST };

/* With the client's mutex held; the client is told by client_addresses_resolved() and client_host_address_found().
 * False: it could not be started. */
bool resolution_start(struct client *client, enum resolution_kind kind, struct resolution **resolution);

/* Without the mutex: the client will not be told any more. NULL is fine. */
void resolution_cancel(struct resolution *resolution);

/* What was found. The client takes what it wants and leaves NULL. */
struct resolved {
    char **addresses;
    uint16_t *ports;
    size_t count;
    char *problem; /* set if a name could not be resolved; may be NULL when out of memory */
};

void resolved_clear(struct resolved *resolved);

#endif
