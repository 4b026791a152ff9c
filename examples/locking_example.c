/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Curator's LockingExample: five clients use one resource fifty times each. The resource can serve one user at a time
 * and notices when there are two; the lock sees to it that there never are. Usage: locking_example [host:port,...]
 */
#define _POSIX_C_SOURCE 200809L
#include <curator/curator.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define LOCK_PATH "/examples/locking_example"
#define CLIENTS 5
#define USES_EACH 50

/* Stands for an external resource that only one client at a time may use. */
struct limited_resource {
    atomic_bool in_use;
    atomic_int uses;
    atomic_int collisions;
};

struct client {
    const char *servers;
    struct limited_resource *resource;
    pthread_t thread;
    int number;
    bool succeeded;
};

static void use(struct limited_resource *resource)
{
    int uses = atomic_fetch_add(&resource->uses, 1);
    bool somebody_is_here = atomic_exchange(&resource->in_use, true);
    if (somebody_is_here) {
        atomic_fetch_add(&resource->collisions, 1);
    }
    struct timespec a_moment = {.tv_nsec = (1 + uses % 3) * 1000000L};
    nanosleep(&a_moment, NULL);
    if (!somebody_is_here) {
        atomic_store(&resource->in_use, false);
    }
}

static bool report(const struct client *client, const char *what)
{
    fprintf(stderr, "Client %d, %s: %s\n", client->number, what, curator_last_error());
    return false;
}

static bool work_once(const struct client *client, curator_mutex *mutex)
{
    if (curator_mutex_acquire_for(mutex, 10000) != CURATOR_OK) {
        return report(client, "acquire");
    }
    use(client->resource);
    return curator_mutex_release(mutex) == CURATOR_OK || report(client, "release");
}

static bool work(const struct client *client, curator_framework *framework)
{
    curator_mutex *mutex;
    if (curator_mutex_create(&mutex, framework, LOCK_PATH) != CURATOR_OK) {
        return report(client, "create");
    }
    bool succeeded = true;
    for (int i = 0; i < USES_EACH && succeeded; i++) {
        succeeded = work_once(client, mutex);
    }
    curator_mutex_destroy(mutex);
    return succeeded;
}

/* Each client has a connection of its own, as clients in different processes would. */
static void *run_client(void *argument)
{
    struct client *client = argument;
    curator_retry_policy retry = curator_retry_exponential_backoff(1000, 3);
    curator_framework_options options = {.connect_string = client->servers, .retry_policy = &retry};
    curator_framework *framework;
    if (curator_framework_open(&framework, &options) != CURATOR_OK) {
        client->succeeded = report(client, "open");
        return NULL;
    }
    client->succeeded = work(client, framework);
    curator_framework_close(framework);
    printf("Client %d %s.\n", client->number, client->succeeded ? "has used the resource 50 times" : "gave up");
    return NULL;
}

int main(int argc, char **argv)
{
    struct limited_resource resource = {0};
    struct client clients[CLIENTS];
    for (int i = 0; i < CLIENTS; i++) {
        clients[i] =
            (struct client){.number = i + 1, .servers = argc > 1 ? argv[1] : "127.0.0.1:2181", .resource = &resource};
        if (pthread_create(&clients[i].thread, NULL, run_client, &clients[i]) != 0) {
            fprintf(stderr, "Client %d could not be started.\n", clients[i].number);
            return EXIT_FAILURE;
        }
    }
    bool succeeded = true;
    for (int i = 0; i < CLIENTS; i++) {
        pthread_join(clients[i].thread, NULL);
        succeeded = succeeded && clients[i].succeeded;
    }
    int uses = atomic_load(&resource.uses);
    int collisions = atomic_load(&resource.collisions);
    printf("%d uses, %d of them met another user.\n", uses, collisions);
    return succeeded && uses == CLIENTS * USES_EACH && collisions == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
