/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asking for a lock: Alice works through a pile of orders and keeps the lock as long as nobody minds. Bob asks her for
 * it; she finishes the order in her hands, releases, and Bob gets the lock. To ask is all one can do: a holder that was
 * not made revocable, or does not listen, goes on. Usage: revoke [host:port,...]
 */
#define _POSIX_C_SOURCE 200809L
#include <curator/curator.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define LOCK_PATH "/examples/revoke"
#define ORDERS 1000
#define ORDER_MS 20

struct client {
    curator_framework *framework;
    curator_mutex *mutex;
};

struct clerk {
    struct client client;
    pthread_t thread;
    atomic_bool asked_to_let_go;
    atomic_int done;
};

static void check(const char *what, curator_status status)
{
    if (status != CURATOR_OK) {
        fprintf(stderr, "%s: %s (%s)\n", what, curator_last_error(), curator_status_string(status));
        exit(EXIT_FAILURE);
    }
}

static struct client open_client(const char *servers)
{
    struct client client;
    check("open", curator_framework_open(&client.framework, &(curator_framework_options){.connect_string = servers}));
    check("create", curator_mutex_create(&client.mutex, client.framework, LOCK_PATH));
    return client;
}

static void close_client(struct client client)
{
    check("destroy", curator_mutex_destroy(client.mutex));
    check("close", curator_framework_close(client.framework));
}

/* On the library's callback thread, which owns nothing: it tells the one who does. */
static void let_go(curator_mutex *mutex, void *context)
{
    (void)mutex;
    struct clerk *clerk = context;
    atomic_store(&clerk->asked_to_let_go, true);
}

static void *work_through_the_orders(void *argument)
{
    struct clerk *alice = argument;
    struct timespec an_order = {.tv_nsec = ORDER_MS * 1000000L};
    check("make revocable", curator_mutex_make_revocable(alice->client.mutex, let_go, alice));
    check("acquire", curator_mutex_acquire(alice->client.mutex));
    while (!atomic_load(&alice->asked_to_let_go) && atomic_load(&alice->done) < ORDERS) {
        nanosleep(&an_order, NULL);
        atomic_fetch_add(&alice->done, 1);
    }
    printf("Alice was asked to let go, after %d of %d orders.\n", atomic_load(&alice->done), ORDERS);
    check("release", curator_mutex_release(alice->client.mutex));
    return NULL;
}

/* Whoever is first in the list holds the lock. */
static void ask_the_holder_to_let_go(struct client client)
{
    curator_participants *participants;
    check("participants", curator_mutex_participants(client.mutex, &participants));
    if (participants->count > 0) {
        printf("Bob asks the holder, %s.\n", participants->paths[0]);
        check("revoke", curator_revoke(client.framework, participants->paths[0]));
    }
    curator_participants_free(participants);
}

int main(int argc, char **argv)
{
    const char *servers = argc > 1 ? argv[1] : "127.0.0.1:2181";
    struct clerk alice = {.client = open_client(servers)};
    struct client bob = open_client(servers);
    if (pthread_create(&alice.thread, NULL, work_through_the_orders, &alice) != 0) {
        fprintf(stderr, "No thread could be started.\n");
        return EXIT_FAILURE;
    }
    while (atomic_load(&alice.done) < 3) { /* by then she holds it */
        nanosleep(&(struct timespec){.tv_nsec = ORDER_MS * 1000000L}, NULL);
    }

    ask_the_holder_to_let_go(bob);
    check("acquire", curator_mutex_acquire_for(bob.mutex, 10000));
    printf("Bob has the lock.\n");
    check("release", curator_mutex_release(bob.mutex));

    pthread_join(alice.thread, NULL);
    close_client(bob);
    close_client(alice.client);
    return atomic_load(&alice.done) < ORDERS ? EXIT_SUCCESS : EXIT_FAILURE;
}
