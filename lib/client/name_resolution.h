/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks names up on a thread of its own, which nobody has to wait for: getaddrinfo() can block for as long as it likes
 * and cannot be stopped.
 */
#ifndef CURATOR_CLIENT_NAME_RESOLUTION_H
#define CURATOR_CLIENT_NAME_RESOLUTION_H

#include "client/client.h"

#include <stdbool.h>

struct resolution;

enum resolution_kind { RESOLVE_SERVERS, LOOK_UP_THIS_HOST };

/* With the client's mutex held; the client is told by client_addresses_resolved() and client_host_address_found().
 * 0 or an errno value. */
int resolution_start(struct client *client, enum resolution_kind kind, struct resolution **out);

/* Without the mutex: the client will not be told any more. NULL is fine. */
void resolution_cancel(struct resolution *resolution);

/* What was found. The client takes what it wants and leaves NULL. */
struct resolved {
    char **addresses;
    uint16_t *ports;
    size_t count;
    char problem[PROBLEM_SIZE]; /* not empty if a name could not be resolved */
};

#endif
