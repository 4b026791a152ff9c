/* SPDX-License-Identifier: Apache-2.0 */
/* The servers, and why each could not be used, for sentences. The caller holds the client's mutex. */
#ifndef CURATOR_CLIENT_SERVERS_TEXT_H
#define CURATOR_CLIENT_SERVERS_TEXT_H

#include "client/connection.h"

#define SERVERS_TEXT_SIZE 640

/*
 * As many servers as there is room for, each with what is known of it, and the last problem that concerns them all:
 * "10.0.0.1:2181 (connection refused), zk2:2181 (cannot resolve the host name: Name or service not known)".
 */
const char *servers_text(const struct connection *connection, char buffer[SERVERS_TEXT_SIZE]);

#endif
