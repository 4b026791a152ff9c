/* SPDX-License-Identifier: Apache-2.0 */
/* Looks names up on a thread of its own. */
#include "client/name_resolution.h"

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
    pthread_mutex_t mutex; /* guards cancelled and references; taken before the client's mutex, never after it */
    bool cancelled;
    int references; /* the thread's and the client's */
    struct resolution_request request;
    struct connect_server *servers; /* a copy; NULL: this host's own address */
    size_t count;
};

void address_list_clear(struct address_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->addresses[i]);
    }
    free(list->addresses);
    free(list->ports);
    free(list->servers);
    *list = (struct address_list){0};
}

static void resolution_unref(struct resolution *resolution)
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

static bool add_address(struct address_list *list, const char *address, uint16_t port, size_t server)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->ports[i] == port && strcmp(list->addresses[i], address) == 0) {
            return true;
        }
    }
    char **addresses = realloc(list->addresses, (list->count + 1) * sizeof *addresses);
    if (addresses != NULL) {
        list->addresses = addresses;
    }
    uint16_t *ports = realloc(list->ports, (list->count + 1) * sizeof *ports);
    if (ports != NULL) {
        list->ports = ports;
    }
    size_t *servers = realloc(list->servers, (list->count + 1) * sizeof *servers);
    if (servers != NULL) {
        list->servers = servers;
    }
    char *copy = strdup(address);
    if (addresses == NULL || ports == NULL || servers == NULL || copy == NULL) {
        free(copy);
        return false;
    }
    addresses[list->count] = copy;
    servers[list->count] = server;
    ports[list->count++] = port;
    return true;
}

/* False: out of memory. */
static bool resolve(struct resolved *resolved, const struct connect_server *server, size_t index)
{
    const struct addrinfo hints = {
        .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = server->numeric ? AI_NUMERICHOST : 0};
    struct addrinfo *found = NULL;
    int rc = getaddrinfo(server->host, NULL, &hints, &found);
    if (rc != 0) {
        resolved->name_errors[index] = rc;
        return rc != EAI_MEMORY;
    }
    bool kept = true;
    for (const struct addrinfo *one = found; one != NULL && kept; one = one->ai_next) {
        char address[NI_MAXHOST];
        rc = getnameinfo(one->ai_addr, one->ai_addrlen, address, sizeof address, NULL, 0, NI_NUMERICHOST);
        if (rc != 0) {
            resolved->name_errors[index] = rc;
            kept = rc != EAI_MEMORY;
        } else {
            kept = add_address(&resolved->list, address, server->port, index);
        }
    }
    freeaddrinfo(found);
    return kept;
}

/* All servers or, without memory for one of them, none: a list that is not whole would be believed in for long. */
static void resolve_all(struct resolved *resolved, const struct resolution *resolution)
{
    resolved->name_errors = calloc(resolution->count, sizeof *resolved->name_errors);
    bool kept = resolved->name_errors != NULL;
    for (size_t i = 0; i < resolution->count && kept; i++) {
        kept = resolve(resolved, &resolution->servers[i], i);
    }
    if (!kept) {
        address_list_clear(&resolved->list);
        free(resolved->name_errors);
        resolved->name_errors = NULL;
        snprintf(resolved->problem, sizeof resolved->problem, "no memory to resolve the host names");
    }
}

/* What it finds, lock nodes contain for as long as the client lives; so a moment without memory is waited for. */
static void look_up_this_host(char text[JAVA_ADDRESS_SIZE])
{
    for (int i = 0; i < HOST_ADDRESS_TRIES && !host_address_text(text); i++) {
        nanosleep(&(struct timespec){.tv_nsec = HOST_ADDRESS_PAUSE_MS * 1000000L}, NULL);
    }
}

static void *run_resolution(void *context)
{
    struct resolution *resolution = context;
    struct resolved resolved = {0};
    if (resolution->servers == NULL) {
        look_up_this_host(resolved.host_address);
    } else {
        resolve_all(&resolved, resolution);
    }
    pthread_mutex_lock(&resolution->mutex);
    if (!resolution->cancelled && resolution->request.done(resolution->request.context, resolution, &resolved)) {
        resolution->references--; /* the client's, which has forgotten it; this thread is joined */
    } else {
        pthread_detach(pthread_self());
    }
    pthread_mutex_unlock(&resolution->mutex);
    address_list_clear(&resolved.list);
    free(resolved.name_errors);
    resolution_unref(resolution);
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

int resolution_start(struct thread_group *threads, const struct resolution_request *request, struct resolution **out)
{
    struct resolution *resolution = calloc(1, sizeof *resolution);
    if (resolution == NULL) {
        return ENOMEM;
    }
    pthread_mutex_init(&resolution->mutex, NULL);
    resolution->references = 1;
    resolution->request = *request;
    int rc = request->servers != NULL && !copy_servers(resolution, request->servers) ? ENOMEM : 0;
    if (rc == 0) {
        resolution->references = 2;
        rc = thread_group_start(threads, run_resolution, resolution);
    }
    if (rc != 0) {
        resolution->references = 1;
        resolution_unref(resolution);
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
    resolution->cancelled = true;
    pthread_mutex_unlock(&resolution->mutex);
    resolution_unref(resolution);
}
