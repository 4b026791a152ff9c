/* SPDX-License-Identifier: Apache-2.0 */
/* Looks names up on a thread of its own. */
#include "client/resolution.h"

#include "client/client.h"
#include "client/host_address.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct resolution {
    pthread_mutex_t mutex; /* guards client and references; taken before the client's mutex, never after it */
    struct client *client; /* NULL: cancelled */
    int references;        /* the thread's and the client's */
    struct connect_server *servers;
    size_t count;
    enum resolution_kind kind;
};

void resolved_clear(struct resolved *resolved)
{
    for (size_t i = 0; i < resolved->count; i++) {
        free(resolved->addresses[i]);
    }
    free(resolved->addresses);
    free(resolved->ports);
    free(resolved->problem);
    *resolved = (struct resolved){0};
}

static void let_go(struct resolution *resolution)
{
    pthread_mutex_lock(&resolution->mutex);
    bool last = --resolution->references == 0;
    pthread_mutex_unlock(&resolution->mutex);
    if (!last) {
        return;
    }
    for (size_t i = 0; i < resolution->count; i++) {
        free(resolution->servers[i].host);
    }
    free(resolution->servers);
    pthread_mutex_destroy(&resolution->mutex);
    free(resolution);
}

static bool add_address(struct resolved *resolved, const char *address, uint16_t port)
{
    for (size_t i = 0; i < resolved->count; i++) {
        if (resolved->ports[i] == port && strcmp(resolved->addresses[i], address) == 0) {
            return true;
        }
    }
    char **addresses = realloc(resolved->addresses, (resolved->count + 1) * sizeof *addresses);
    if (addresses != NULL) {
        resolved->addresses = addresses;
    }
    uint16_t *ports = realloc(resolved->ports, (resolved->count + 1) * sizeof *ports);
    if (ports != NULL) {
        resolved->ports = ports;
    }
    char *copy = strdup(address);
    if (addresses == NULL || ports == NULL || copy == NULL) {
        free(copy);
        return false;
    }
    addresses[resolved->count] = copy;
    ports[resolved->count++] = port;
    return true;
}

static void note_problem(struct resolved *resolved, const char *host, const char *why)
{
    char *text = NULL;
    if (resolved->problem == NULL && asprintf(&text, "cannot resolve the host name \"%s\": %s", host, why) >= 0) {
        resolved->problem = text;
    }
}

static void resolve(struct resolved *resolved, const struct connect_server *server)
{
    const struct addrinfo hints = {
        .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = server->numeric ? AI_NUMERICHOST : 0};
    struct addrinfo *found = NULL;
    int rc = getaddrinfo(server->host, NULL, &hints, &found);
    if (rc != 0) {
        note_problem(resolved, server->host, gai_strerror(rc));
        return;
    }
    for (const struct addrinfo *one = found; one != NULL; one = one->ai_next) {
        char address[NI_MAXHOST];
        rc = getnameinfo(one->ai_addr, one->ai_addrlen, address, sizeof address, NULL, 0, NI_NUMERICHOST);
        if (rc != 0) {
            note_problem(resolved, server->host, gai_strerror(rc));
        } else if (!add_address(resolved, address, server->port)) {
            note_problem(resolved, server->host, "no memory");
        }
    }
    freeaddrinfo(found);
}

/* Tells the client what was found. False: it has cancelled. */
static bool tell(struct resolution *resolution, struct resolved *resolved, char **host_address)
{
    struct client *client = resolution->client;
    if (client == NULL) {
        return false;
    }
    return resolution->kind == RESOLVE_SERVERS ? client_addresses_resolved(client, resolution, resolved)
                                               : client_host_address_found(client, resolution, host_address);
}

static void *run_resolution(void *context)
{
    struct resolution *resolution = context;
    struct resolved resolved = {0};
    char *host_address = resolution->kind == LOOK_UP_THIS_HOST ? host_address_text() : NULL;
    for (size_t i = 0; i < resolution->count; i++) {
        resolve(&resolved, &resolution->servers[i]);
    }
    pthread_mutex_lock(&resolution->mutex);
    if (tell(resolution, &resolved, &host_address)) {
        resolution->client = NULL;
        resolution->references--; /* the client's, which has forgotten it; this thread is joined */
    } else {
        pthread_detach(pthread_self());
    }
    pthread_mutex_unlock(&resolution->mutex);
    resolved_clear(&resolved);
    free(host_address);
    let_go(resolution);
    return NULL;
}

static bool copy_servers(struct resolution *resolution, const struct connect_string *servers)
{
    resolution->servers = calloc(servers->count, sizeof *resolution->servers);
    if (resolution->servers == NULL) {
        return false;
    }
    for (; resolution->count < servers->count; resolution->count++) {
        struct connect_server *copy = &resolution->servers[resolution->count];
        *copy = servers->servers[resolution->count];
        copy->host = strdup(copy->host);
        if (copy->host == NULL) {
            return false;
        }
    }
    return true;
}

bool resolution_start(struct client *client, enum resolution_kind kind, struct resolution **out)
{
    struct resolution *resolution = calloc(1, sizeof *resolution);
    if (resolution == NULL) {
        return false;
    }
    pthread_mutex_init(&resolution->mutex, NULL);
    resolution->references = 1;
    resolution->client = client;
    resolution->kind = kind;
    if (kind == RESOLVE_SERVERS && !copy_servers(resolution, client->settings.servers)) {
        let_go(resolution);
        return false;
    }
    resolution->references = 2;
    pthread_t thread;
    if (thread_start(&thread, run_resolution, resolution) != 0) {
        resolution->references = 1;
        let_go(resolution);
        return false;
    }
    *out = resolution;
    return true;
}

void resolution_cancel(struct resolution *resolution)
{
    if (resolution == NULL) {
        return;
    }
    pthread_mutex_lock(&resolution->mutex);
    resolution->client = NULL;
    pthread_mutex_unlock(&resolution->mutex);
    let_go(resolution);
}
