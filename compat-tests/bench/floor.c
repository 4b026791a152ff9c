/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The least that a lock made of an ephemeral sequential node can cost: the round trip of its create, then the one of its
 * delete, each sent asynchronously and waited for with a condition variable.
 */
#include "contender.h"

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
static char prefix[256]; /* as long as the name of a lock's node without its sequence */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards what follows */
static pthread_cond_t answered = PTHREAD_COND_INITIALIZER;
static bool connected;
static bool finished;
static int result;
static char node[sizeof prefix + 16];

static void finish(int rc)
{
    finished = true;
    result = rc;
    pthread_cond_signal(&answered);
}

static void await_answer(const char *what, int sent)
{
    pthread_mutex_lock(&mutex);
    while (sent == ZOK && !finished) {
        pthread_cond_wait(&answered, &mutex);
    }
    finished = false;
    pthread_mutex_unlock(&mutex);
    int rc = sent == ZOK ? result : sent;
    if (rc != ZOK) {
        give_up("%s: %s", what, zerror(rc));
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

static void on_deleted(int rc, const void *data)
{
    (void)data;
    pthread_mutex_lock(&mutex);
    finish(rc);
    pthread_mutex_unlock(&mutex);
}

static void open_floor(const char *connect_string, const char *path)
{
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

static void create_node(void)
{
    await_answer("create", zoo_acreate2(handle, prefix, DATA, (int)strlen(DATA), &ZOO_OPEN_ACL_UNSAFE,
                                        ZOO_EPHEMERAL_SEQUENTIAL, on_created, NULL));
}

static void delete_node(void)
{
    await_answer("delete", zoo_adelete(handle, node, -1, on_deleted, NULL));
}

static void close_floor(void)
{
    zookeeper_close(handle);
}

const struct contender bare = {"floor", open_floor, create_node, delete_node, close_floor};
