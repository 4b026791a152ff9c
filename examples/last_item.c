/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two buyers, one item in stock: each orders, reduces the stock and pays while holding the lock, so exactly one pays.
 * The stock is a node in ZooKeeper, written in one transaction with the lock's guard: should the lock have been lost in
 * the meantime (a session can expire while a program is paused), the write fails and nobody pays.
 * Usage: last_item [host:port,...]. Link with -lcurator -lzookeeper_mt.
 */
#define _POSIX_C_SOURCE 200809L
#define THREADED /* for the synchronous calls of <zookeeper/zookeeper.h> */
#include <curator/curator.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <zookeeper/zookeeper.h>

#define LOCK_PATH "/last_item_lock"
#define STOCK_PATH "/last_item_stock"

struct buyer {
    const char *name;
    curator_framework *client;
    curator_mutex *mutex;
    pthread_t thread;
    bool paid;
};

static int fail(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    return EXIT_FAILURE;
}

static int read_stock(zhandle_t *zookeeper, int *stock)
{
    char text[16];
    int length = sizeof text - 1;
    int rc = zoo_get(zookeeper, STOCK_PATH, 0, text, &length, NULL);
    if (rc == ZOK) {
        text[length > 0 ? length : 0] = '\0';
        *stock = (int)strtol(text, NULL, 10);
    }
    return rc;
}

/* All or nothing: with the lock gone, the stock stays as it is and the result is ZNONODE. */
static int write_stock_if_still_locked(zhandle_t *zookeeper, curator_mutex *mutex, int stock)
{
    char text[16];
    int length = snprintf(text, sizeof text, "%d", stock);
    zoo_op_t ops[2];
    zoo_op_result_t results[2];
    if (is_unrecoverable(zookeeper) != ZOK) {
        return ZINVALIDSTATE; /* the session is over, and zoo_multi() would free what is not its own */
    }
    if (curator_mutex_guard(mutex, &ops[0]) != CURATOR_OK) {
        return ZNONODE;
    }
    zoo_set_op_init(&ops[1], STOCK_PATH, text, length, -1, NULL);
    return zoo_multi(zookeeper, 2, ops, results);
}

static void order(struct buyer *buyer, zhandle_t *zookeeper)
{
    int stock = 0;
    int rc = read_stock(zookeeper, &stock);
    if (rc == ZOK && stock == 0) {
        printf("%s orders: sold out.\n", buyer->name);
        return;
    }
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL); /* without the lock both would get here */
    if (rc == ZOK) {
        rc = write_stock_if_still_locked(zookeeper, buyer->mutex, stock - 1);
    }
    if (rc != ZOK) {
        fail(buyer->name, zerror(rc));
        return;
    }
    buyer->paid = true;
    printf("%s orders: %d in stock, now %d. %s pays.\n", buyer->name, stock, stock - 1, buyer->name);
}

static void *buy(void *argument)
{
    struct buyer *buyer = argument;
    if (curator_mutex_acquire_for(buyer->mutex, 10000) != CURATOR_OK) {
        fail(buyer->name, curator_last_error());
        return NULL;
    }
    zhandle_t *zookeeper = curator_framework_borrow_handle(buyer->client);
    if (zookeeper != NULL) {
        order(buyer, zookeeper);
        curator_framework_return_handle(buyer->client, zookeeper);
    } else {
        fail(buyer->name, curator_last_error());
    }
    if (curator_mutex_release(buyer->mutex) != CURATOR_OK) {
        fail(buyer->name, curator_last_error());
    }
    return NULL;
}

/* Ephemeral, so that this program leaves nothing behind. */
static int put_one_item_in_stock(curator_framework *client)
{
    zhandle_t *zookeeper = curator_framework_borrow_handle(client);
    if (zookeeper == NULL) {
        return ZINVALIDSTATE;
    }
    int rc = zoo_create(zookeeper, STOCK_PATH, "1", 1, &ZOO_OPEN_ACL_UNSAFE, ZOO_EPHEMERAL, NULL, 0);
    curator_framework_return_handle(client, zookeeper);
    return rc;
}

/* The buyers are two threads here; a thread is a contender of its own, as another process would be. */
static int sell(curator_framework *client, curator_mutex *mutex)
{
    struct buyer buyers[2] = {{.name = "Alice"}, {.name = "Bob"}};
    for (int i = 0; i < 2; i++) {
        buyers[i].client = client;
        buyers[i].mutex = mutex;
        if (pthread_create(&buyers[i].thread, NULL, buy, &buyers[i]) != 0) {
            exit(fail(buyers[i].name, "no thread could be started"));
        }
    }
    int payments = 0;
    for (int i = 0; i < 2; i++) {
        pthread_join(buyers[i].thread, NULL);
        payments += buyers[i].paid;
    }
    printf("%d of 2 buyers paid for the one item.\n", payments);
    return payments == 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    curator_framework_options options = {.connect_string = argc > 1 ? argv[1] : "127.0.0.1:2181"};
    curator_framework *client;
    if (curator_framework_open(&client, &options) != CURATOR_OK) {
        return fail("open", curator_last_error());
    }
    curator_mutex *mutex = NULL;
    int rc;
    int result = EXIT_FAILURE;
    if (curator_framework_await_connected(client, 15000) != CURATOR_OK) {
        fail("connect", curator_last_error());
    } else if ((rc = put_one_item_in_stock(client)) != ZOK) {
        fail("put one item in stock", zerror(rc));
    } else if (curator_mutex_create(&mutex, client, LOCK_PATH) != CURATOR_OK) {
        fail("create", curator_last_error());
    } else {
        result = sell(client, mutex);
        curator_mutex_destroy(mutex);
    }
    curator_framework_close(client);
    return result;
}
