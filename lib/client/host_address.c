/* SPDX-License-Identifier: Apache-2.0 */
/* This host's address as Java writes it. */
#include "client/host_address.h"

#include <arpa/inet.h>
#include <limits.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void host_address_format_v6(const struct in6_addr *address, char text[JAVA_ADDRESS_SIZE])
{
    size_t used = 0;
    for (size_t i = 0; i < sizeof address->s6_addr; i += 2) {
        unsigned group = (unsigned)address->s6_addr[i] << 8 | address->s6_addr[i + 1];
        used += (size_t)snprintf(text + used, JAVA_ADDRESS_SIZE - used, i == 0 ? "%x" : ":%x", group);
    }
}

bool host_address_text(char text[JAVA_ADDRESS_SIZE])
{
    char name[HOST_NAME_MAX + 1];
    text[0] = '\0';
    if (gethostname(name, sizeof name) != 0) {
        return true;
    }
    name[sizeof name - 1] = '\0';
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    int rc = getaddrinfo(name, NULL, &hints, &found);
    if (rc != 0) {
        return rc != EAI_MEMORY;
    }
    for (const struct addrinfo *one = found; one != NULL; one = one->ai_next) {
        if (one->ai_family == AF_INET) { /* Java prefers these wherever they stand in the list */
            struct sockaddr_in address;
            memcpy(&address, one->ai_addr, sizeof address);
            inet_ntop(AF_INET, &address.sin_addr, text, JAVA_ADDRESS_SIZE);
            break;
        }
        if (one->ai_family == AF_INET6 && text[0] == '\0') {
            struct sockaddr_in6 address;
            memcpy(&address, one->ai_addr, sizeof address);
            host_address_format_v6(&address.sin6_addr, text);
        }
    }
    freeaddrinfo(found);
    return true;
}
