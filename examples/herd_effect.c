/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why fair queues exist: a crowd of clients takes a lock, each once. First a naive one (herd_effect/naive_lock.c), for
 * which all watch one node; then the library's mutex, where each watches those right before it. A holder lets go only
 * when all others wait. How many notifications that costs is counted by the server, so it has to be one server that
 * nobody else uses meanwhile, with 4lw.commands.whitelist=mntr. Each client has a connection of its own; a server takes
 * 60 from one address unless its maxClientCnxns says otherwise.
 * Usage: herd_effect [host:port [waiters [picture.svg]]]. Link with -lcurator -lzookeeper_mt.
 */
#define _POSIX_C_SOURCE 200809L
#include "herd_effect/naive_lock.h"
#include "herd_effect/picture.h"
#include <curator/curator.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define NAIVE_PATH "/herd_effect_naive_lock"
#define QUEUE_PATH "/examples/herd_effect"
#define MOST_WAITERS 500
#define WATCHES "zk_watch_count\t"
#define NOTIFICATIONS "zk_sum_node_deleted_watch_count\t"

struct crowd {
    const char *servers;
    int waiters; /* and one who has the lock first */
    bool queues; /* else it takes the naive lock */
    long watches_of_others;
    pthread_mutex_t counting; /* guards what follows */
    int turns;                /* how many have had the lock */
    long *notified;           /* by each release */
};

/* A connection of its own and a thread, as if it were a process. */
struct client {
    struct crowd *crowd;
    curator_framework *framework;
    zhandle_t *zookeeper;
    curator_mutex *mutex;
    struct naive_lock naive;
    pthread_t thread;
};

static void check(bool good, const char *what, const char *why)
{
    static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER; /* two threads must not exit at the same time */
    if (!good) {
        pthread_mutex_lock(&once);
        fprintf(stderr, "%s: %s\n", what, why);
        exit(EXIT_FAILURE);
    }
}

static void check_status(curator_status status, const char *what)
{
    check(status == CURATOR_OK, what, curator_last_error());
}

/* One number of the answer to the four letters mntr, on a connection of its own. */
static long ask_server(const struct client *client, const char *counter)
{
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    struct sockaddr *server = zookeeper_get_connected_host(client->zookeeper, (struct sockaddr *)&address, &size);
    int fd = server == NULL ? -1 : socket(server->sa_family, SOCK_STREAM, 0);
    bool asked = fd >= 0 && connect(fd, server, size) == 0 && send(fd, "mntr", 4, MSG_NOSIGNAL) == 4;
    FILE *answer = asked ? fdopen(fd, "r") : NULL;
    check(answer != NULL, "mntr", "the server cannot be asked");
    char line[256] = "";
    while (strncmp(line, counter, strlen(counter)) != 0) {
        check(fgets(line, sizeof line, answer) != NULL, "mntr",
              "not answered; the server has to run with 4lw.commands.whitelist=mntr");
    }
    fclose(answer);
    return strtol(line + strlen(counter), NULL, 10);
}

/* For the naive lock each of them sets one watch. In the queue it is three: on its own node, on the one before it, and
 * on the one before that; the first in line has no such third, but the holder watches its own node too. */
static void await_waiters(const struct client *client, int waiters)
{
    long watches = client->crowd->watches_of_others + (client->crowd->queues ? 3 : 1) * waiters;
    for (int tries = 0; ask_server(client, WATCHES) < watches; tries++) {
        check(tries < 6000, "wait", "the others did not come within a minute");
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
}

static void acquire(struct client *client)
{
    if (client->crowd->queues) {
        check_status(curator_mutex_acquire(client->mutex), "acquire");
    } else {
        int rc = naive_lock_acquire(&client->naive);
        check(rc == ZOK, "acquire of the naive lock", zerror(rc));
    }
}

static void release(struct client *client)
{
    if (client->crowd->queues) {
        check_status(curator_mutex_release(client->mutex), "release");
    } else {
        int rc = naive_lock_release(&client->naive);
        check(rc == ZOK, "release of the naive lock", zerror(rc));
    }
}

/* The next in line may be told before the server has counted that; the answer to the release comes after. */
static void *take_a_turn(void *context)
{
    struct client *client = context;
    struct crowd *crowd = client->crowd;
    acquire(client);
    pthread_mutex_lock(&crowd->counting);
    int turn = crowd->turns++;
    await_waiters(client, crowd->waiters - turn);
    long before = ask_server(client, NOTIFICATIONS);
    release(client);
    crowd->notified[turn] = ask_server(client, NOTIFICATIONS) - before;
    pthread_mutex_unlock(&crowd->counting);
    return NULL;
}

static void open_client(struct client *client, struct crowd *crowd)
{
    client->crowd = crowd;
    check_status(
        curator_framework_open(&client->framework, &(curator_framework_options){.connect_string = crowd->servers}),
        "open");
    check_status(curator_framework_await_connected(client->framework, 15000), "connect");
    client->zookeeper = curator_framework_borrow_handle(client->framework);
    check(client->zookeeper != NULL, "borrow", curator_last_error());
    check_status(curator_mutex_create(&client->mutex, client->framework, QUEUE_PATH), "create");
    naive_lock_init(&client->naive, client->zookeeper, NAIVE_PATH);
}

static void close_client(struct client *client)
{
    check_status(curator_mutex_destroy(client->mutex), "destroy");
    check_status(curator_framework_return_handle(client->framework, client->zookeeper), "return");
    check_status(curator_framework_close(client->framework), "close");
    naive_lock_end(&client->naive);
}

static void run(struct crowd *crowd)
{
    static struct client clients[MOST_WAITERS + 1];
    for (int i = 0; i <= crowd->waiters; i++) {
        open_client(&clients[i], crowd);
    }
    pthread_mutex_init(&crowd->counting, NULL);
    crowd->watches_of_others = ask_server(&clients[0], WATCHES);
    for (int i = 0; i <= crowd->waiters; i++) {
        check(pthread_create(&clients[i].thread, NULL, take_a_turn, &clients[i]) == 0, "run", "no thread");
    }
    for (int i = 0; i <= crowd->waiters; i++) {
        pthread_join(clients[i].thread, NULL);
    }
    for (int i = 0; i <= crowd->waiters; i++) {
        close_client(&clients[i]);
    }
    pthread_mutex_destroy(&crowd->counting);
}

static void print_table(const struct picture *counts)
{
    printf("Watch notifications at each release, as counted by the server (mntr, node_deleted_watch_count):\n\n"
           "  waiting  naive lock  queue\n");
    long naive = 0, queue = 0;
    for (int turn = 0; turn <= counts->waiters; turn++) {
        printf("%9d %11ld %6ld\n", counts->waiters - turn, counts->naive[turn], counts->queue[turn]);
        naive += counts->naive[turn];
        queue += counts->queue[turn];
    }
    printf("   in all %11ld %6ld\n\nIn the queue one of them goes to the releaser, which watches its own node.\n",
           naive, queue);
}

int main(int argc, char **argv)
{
    const char *servers = argc > 1 ? argv[1] : "127.0.0.1:2181";
    const char *file = argc > 3 ? argv[3] : "herd_effect.svg";
    char *rest = "";
    long waiters = argc > 2 ? strtol(argv[2], &rest, 10) : 50;
    check(*rest == '\0' && waiters > 0 && waiters <= MOST_WAITERS, argv[2], "not a number of waiters from 1 to 500");
    static long naive[MOST_WAITERS + 1], queue[MOST_WAITERS + 1];
    run(&(struct crowd){.servers = servers, .waiters = (int)waiters, .queues = false, .notified = naive});
    run(&(struct crowd){.servers = servers, .waiters = (int)waiters, .queues = true, .notified = queue});
    struct picture counts = {.waiters = (int)waiters, .naive = naive, .queue = queue};
    print_table(&counts);
    check(picture_draw(&counts, file), file, "cannot be written");
    printf("Drawn in %s\n", file);
    return EXIT_SUCCESS;
}
