/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the ZooKeeper client alone takes, with asynchronous requests that are waited for with a condition variable.
 * The floor: the round trip of an ephemeral sequential node's create, then the one of its delete. The requests of a
 * lock: the same with getChildren sent together with the create.
 */
#include "contender.h"
#include "crowd.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <zookeeper/zookeeper.h>

#define SESSION_TIMEOUT_MS 60000
#define CONNECT_SECONDS 20
#define DATA "127.0.0.1"

static zhandle_t *handle;
static const char *parent;
static char prefix[256]; /* as long as the name of a lock's node without its sequence */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards what follows */
static pthread_cond_t answered = PTHREAD_COND_INITIALIZER;
static bool connected;
static int pending; /* requests */
static int result;  /* the first of them that is not ZOK */
static char node[sizeof prefix + 16];

static void must_be_sent(const char *what, int rc)
{
    if (rc != ZOK) {
        give_up("%s could not be sent: %s", what, zerror(rc));
    }
}

static void await_answers(const char *what)
{
    pthread_mutex_lock(&mutex);
    while (pending > 0) {
        pthread_cond_wait(&answered, &mutex);
    }
    pthread_mutex_unlock(&mutex);
    if (result != ZOK) {
        give_up("%s: %s", what, zerror(result));
    }
}

/* With the mutex held. */
static void finish(int rc)
{
    result = result != ZOK ? result : rc;
    if (--pending == 0) {
        pthread_cond_signal(&answered);
    }
}

static void on_session_event(zhandle_t *zh, int type, int state, const char *path, void *context)
{
    (void)zh;
    (void)path;
    (void)context;
    if (type == ZOO_SESSION_EVENT && state == ZOO_CONNECTED_STATE) {
        pthread_mutex_lock(&mutex);
        connected = true;
        pthread_cond_signal(&answered);
        pthread_mutex_unlock(&mutex);
    }
}

static void on_created(int rc, const char *path, const struct Stat *stat, const void *data)
{
    (void)stat;
    (void)data;
    pthread_mutex_lock(&mutex);
    if (rc == ZOK) {
        snprintf(node, sizeof node, "%s", path);
    }
    finish(rc);
    pthread_mutex_unlock(&mutex);
}

static void on_children(int rc, const struct String_vector *names, const struct Stat *stat, const void *data)
{
    (void)names;
    (void)stat;
    (void)data;
    pthread_mutex_lock(&mutex);
    finish(rc);
    pthread_mutex_unlock(&mutex);
}

static void on_deleted(int rc, const void *data)
{
    (void)data;
    pthread_mutex_lock(&mutex);
    finish(rc);
    pthread_mutex_unlock(&mutex);
}

static void open_floor(const char *connect_string, const char *path)
{
    parent = path;
    snprintf(prefix, sizeof prefix, "%s/_c_00000000-0000-4000-8000-000000000000-lock-", path);
    zoo_set_debug_level((ZooLogLevel)0);
    handle = zookeeper_init(connect_string, on_session_event, SESSION_TIMEOUT_MS, NULL, NULL, 0);
    if (handle == NULL) {
        give_up("zookeeper_init failed");
    }
    zoo_set_servers_resolution_delay(handle, -1); /* or it looks the names up again before every request */
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += CONNECT_SECONDS;
    pthread_mutex_lock(&mutex);
    while (!connected && pthread_cond_timedwait(&answered, &mutex, &until) == 0) {
    }
    pthread_mutex_unlock(&mutex);
    if (!connected) {
        give_up("no connection to %s", connect_string);
    }
    int rc = zoo_create(handle, path, NULL, -1, &ZOO_OPEN_ACL_UNSAFE, ZOO_PERSISTENT, NULL, 0);
    if (rc != ZOK && rc != ZNODEEXISTS) {
        give_up("create %s: %s", path, zerror(rc));
    }
}

static void send_create(void)
{
    must_be_sent("create", zoo_acreate2(handle, prefix, DATA, (int)strlen(DATA), &ZOO_OPEN_ACL_UNSAFE,
                                        ZOO_EPHEMERAL_SEQUENTIAL, on_created, NULL));
}

static void create_node(void)
{
    pending = 1;
    send_create();
    await_answers("create");
}

static void create_and_list(void)
{
    pending = 2;
    send_create();
    must_be_sent("getChildren", zoo_aget_children2(handle, parent, 0, on_children, NULL));
    await_answers("create and getChildren");
}

static void delete_node(void)
{
    pending = 1;
    must_be_sent("delete", zoo_adelete(handle, node, -1, on_deleted, NULL));
    await_answers("delete");
}

static void close_floor(void)
{
    zookeeper_close(handle);
}

const struct contender bare_floor = {"floor", open_floor, create_node, delete_node, close_floor, &bare_lock};
const struct contender bare_requests = {"requests", open_floor, create_and_list, delete_node, close_floor, NULL};
