/* SPDX-License-Identifier: Apache-2.0 */
/* This host's address as Java writes it: the default data of lock nodes. */
#ifndef CURATOR_CLIENT_HOST_ADDRESS_H
#define CURATOR_CLIENT_HOST_ADDRESS_H

#include <netinet/in.h>
#include <stdbool.h>

/* Room for eight groups of four digits, the separators, and the end. */
#define JAVA_ADDRESS_SIZE 40

/*
 * As InetAddress.getLocalHost().getHostAddress(); empty if there is none. May block on name resolution. False: no
 * memory for the look-up.
 */
bool host_address_text(char text[JAVA_ADDRESS_SIZE]);

/* An IPv6 address in Java's form, which leaves nothing out: "fe80:0:0:0:0:0:0:1". */
void host_address_format_v6(const struct in6_addr *address, char text[JAVA_ADDRESS_SIZE]);

#endif
