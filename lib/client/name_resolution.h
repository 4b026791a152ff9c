/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks names up on a thread of its own, which nobody has to wait for: getaddrinfo() can block for as long as it likes
 * and cannot be stopped.
 */
#ifndef CURATOR_CLIENT_NAME_RESOLUTION_H
#define CURATOR_CLIENT_NAME_RESOLUTION_H

#include "base/thread_group.h"
#include "client/connect_string.h"
#include "client/host_address.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROBLEM_SIZE 128 /* of a sentence; a longer one is cut */

struct resolution;

struct address_list {
    char **addresses; /* numeric */
    uint16_t *ports;
    size_t *servers; /* of which server in the connect string, the first if there are several */
    size_t count;
};

void address_list_clear(struct address_list *list);

struct resolved {
    struct address_list list;
    int *name_errors;                     /* of each server, as of getaddrinfo(); NULL: no memory, or no servers */
    char host_address[JAVA_ADDRESS_SIZE]; /* this host's own; empty if there is none */
    char problem[PROBLEM_SIZE];           /* not empty if there was no memory to resolve the names */
};

/* What to look up. */
struct resolution_request {
    const struct connect_string *servers; /* copied; NULL: this host's own address */
    /*
     * Called without the mutex on the thread of the look-up, which is one of the group: takes the mutex and what it
     * wants, and leaves the group. False: the look-up has been cancelled, and the group is not left.
     */
    bool (*done)(void *context, const struct resolution *resolution, struct resolved *resolved);
    void *context;
};

/* With the mutex of the group held. 0 or an errno value. */
int resolution_start(struct thread_group *threads, const struct resolution_request *request, struct resolution **out);

/* Without the mutex: nothing is called any more. NULL is fine. */
void resolution_cancel(struct resolution *resolution);

#endif
