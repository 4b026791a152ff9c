/* SPDX-License-Identifier: Apache-2.0 */
/* Looks names up on a thread of its own. */
#include "client/name_resolution.h"

#include "client/client.h"
#include "client/host_address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define HOST_ADDRESS_TRIES 40 /* for as long as an acquire waits for it */
#define HOST_ADDRESS_PAUSE_MS 50

struct resolution {
    pthread_mutex_t mutex; /* guards client and references; taken before the client's mutex, never after it */
    struct client *client; /* NULL: cancelled */
    int references;        /* the thread's and the client's */
    struct connect_server *servers;
    size_t count;
    enum resolution_kind kind;
};

static void clear_addresses(struct resolved *resolved)
{
    for (size_t i = 0; i < resolved->count; i++) {
        free(resolved->addresses[i]);
    }
    free(resolved->addresses);
    free(resolved->ports);
    resolved->addresses = NULL;
    resolved->ports = NULL;
    resolved->count = 0;
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
    if (resolved->problem[0] == '\0') {
        snprintf(resolved->problem, sizeof resolved->problem, "cannot resolve the host name \"%s\": %s", host, why);
    }
}

/* False: out of memory. */
static bool resolve(struct resolved *resolved, const struct connect_server *server)
{
    const struct addrinfo hints = {
        .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = server->numeric ? AI_NUMERICHOST : 0};
    struct addrinfo *found = NULL;
    int rc = getaddrinfo(server->host, NULL, &hints, &found);
    if (rc != 0) {
        note_problem(resolved, server->host, gai_strerror(rc));
        return rc != EAI_MEMORY;
    }
    bool kept = true;
    for (const struct addrinfo *one = found; one != NULL && kept; one = one->ai_next) {
        char address[NI_MAXHOST];
        rc = getnameinfo(one->ai_addr, one->ai_addrlen, address, sizeof address, NULL, 0, NI_NUMERICHOST);
        if (rc != 0) {
            note_problem(resolved, server->host, gai_strerror(rc));
            kept = rc != EAI_MEMORY;
        } else {
            kept = add_address(resolved, address, server->port);
        }
    }
    freeaddrinfo(found);
    return kept;
}

/* All servers or, without memory for one of them, none: a list that is not whole would be believed in for long. */
static void resolve_all(struct resolved *resolved, const struct resolution *resolution)
{
    for (size_t i = 0; i < resolution->count; i++) {
        if (!resolve(resolved, &resolution->servers[i])) {
            clear_addresses(resolved);
            snprintf(resolved->problem, sizeof resolved->problem, "no memory to resolve the host names");
            return;
        }
    }
}

/* What it finds, lock nodes contain for as long as the client lives; so a moment without memory is waited for. */
static void look_up_this_host(char text[JAVA_ADDRESS_SIZE])
{
    for (int i = 0; i < HOST_ADDRESS_TRIES && !host_address_text(text); i++) {
        nanosleep(&(struct timespec){.tv_nsec = HOST_ADDRESS_PAUSE_MS * 1000000L}, NULL);
    }
}

/* Tells the client what was found. False: it has cancelled. */
static bool tell(struct resolution *resolution, struct resolved *resolved, const char *host_address)
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
    char host_address[JAVA_ADDRESS_SIZE] = "";
    if (resolution->kind == LOOK_UP_THIS_HOST) {
        look_up_this_host(host_address);
    } else {
        resolve_all(&resolved, resolution);
    }
    pthread_mutex_lock(&resolution->mutex);
    if (tell(resolution, &resolved, host_address)) {
        resolution->client = NULL;
        resolution->references--; /* the client's, which has forgotten it; this thread is joined */
    } else {
        pthread_detach(pthread_self());
    }
    pthread_mutex_unlock(&resolution->mutex);
    clear_addresses(&resolved);
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

int resolution_start(struct client *client, enum resolution_kind kind, struct resolution **out)
{
    struct resolution *resolution = calloc(1, sizeof *resolution);
    if (resolution == NULL) {
        return ENOMEM;
    }
    pthread_mutex_init(&resolution->mutex, NULL);
    resolution->references = 1;
    resolution->client = client;
    resolution->kind = kind;
    int rc = kind == RESOLVE_SERVERS && !copy_servers(resolution, client->settings.servers) ? ENOMEM : 0;
    if (rc == 0) {
        resolution->references = 2;
        rc = client_thread_start(client, run_resolution, resolution);
    }
    if (rc != 0) {
        resolution->references = 1;
        let_go(resolution);
        return rc;
    }
    *out = resolution;
    return 0;
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
