/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The floors: what the ZooKeeper client alone takes, with the least requests that one can ask for.
 *   floor             an ephemeral sequential node's create, then its delete, each waited for
 *   requests          the same with getChildren sent together with the create: the requests of a lock
 *   one_flight        these requests, where the delete is not waited for: the next create goes out behind it
 *   floor_lock        a hand-off: a queue in which the deletion of the predecessor is the grant, by whatever it was
 *                     deleted and whoever else is before us. It is no lock, as nobody may give up or fail
 */
#include "contender.h"
#include "contention.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zookeeper/zookeeper.h>

#define SESSION_TIMEOUT_MS 60000
#define MAX_WAIT_SECONDS 120
#define SEQUENCE_DIGITS 10
#define NAME "_c_00000000-0000-4000-8000-000000000000-lock-"
#define DATA "127.0.0.1"

/* Something that a thread waits for. */
struct flag {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool set; /* guarded by the mutex */
};

struct session {
    zhandle_t *handle;
    struct flag connected;
};

/* The position of one contender in the queue. */
struct lock {
    struct session *session;
    char *path;
    char *prefix;
    char *node;
    struct flag done; /* the acquire or the release */
};

static void check(const char *what, int rc)
{
    if (rc != ZOK) {
        give_up("%s: %s", what, zerror(rc));
    }
}

static void flag_init(struct flag *flag)
{
    pthread_mutex_init(&flag->mutex, NULL);
    pthread_cond_init(&flag->changed, NULL);
}

static void flag_set(struct flag *flag)
{
    pthread_mutex_lock(&flag->mutex);
    flag->set = true;
    pthread_cond_signal(&flag->changed); /* under the mutex: the flag may be gone after it */
    pthread_mutex_unlock(&flag->mutex);
}

static void flag_await(struct flag *flag, const char *what)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += MAX_WAIT_SECONDS;
    pthread_mutex_lock(&flag->mutex);
    while (!flag->set && pthread_cond_timedwait(&flag->changed, &flag->mutex, &until) == 0) {
    }
    if (!flag->set) {
        give_up("no %s in %d s", what, MAX_WAIT_SECONDS);
    }
    flag->set = false;
    pthread_mutex_unlock(&flag->mutex);
}

static void flag_destroy(struct flag *flag)
{
    pthread_cond_destroy(&flag->changed);
    pthread_mutex_destroy(&flag->mutex);
}

static void on_session_event(zhandle_t *handle, int type, int state, const char *path, void *context)
{
    (void)handle;
    (void)path;
    struct session *session = context;
    if (type == ZOO_SESSION_EVENT && state == ZOO_CONNECTED_STATE) {
        flag_set(&session->connected);
    }
}

static void *open_session(const char *connect_string)
{
    struct session *session = calloc(1, sizeof *session);
    if (session == NULL) {
        give_up("no memory for a session");
    }
    flag_init(&session->connected);
    zoo_set_debug_level((ZooLogLevel)0);
    session->handle = zookeeper_init(connect_string, on_session_event, SESSION_TIMEOUT_MS, NULL, session, 0);
    if (session->handle == NULL) {
        give_up("zookeeper_init failed");
    }
    zoo_set_servers_resolution_delay(session->handle, -1);
    return session;
}

static void await_connected(void *of)
{
    struct session *session = of;
    flag_await(&session->connected, "connection");
}

static void close_session(void *of)
{
    struct session *session = of;
    zookeeper_close(session->handle);
    flag_destroy(&session->connected);
    free(session);
}

static void create_path(struct session *session, char *path)
{
    char *slash = path;
    do {
        slash = strchr(slash + 1, '/');
        if (slash != NULL) {
            *slash = '\0';
        }
        int rc = zoo_create(session->handle, path, NULL, -1, &ZOO_OPEN_ACL_UNSAFE, ZOO_PERSISTENT, NULL, 0);
        check("create the path", rc == ZNODEEXISTS ? ZOK : rc);
        if (slash != NULL) {
            *slash = '/';
        }
    } while (slash != NULL);
}

static void *create(void *of, const char *path)
{
    struct session *session = of;
    struct lock *lock = calloc(1, sizeof *lock);
    size_t size = strlen(path) + sizeof "/" NAME + SEQUENCE_DIGITS + 1;
    if (lock == NULL || (lock->path = strdup(path)) == NULL || (lock->prefix = malloc(size)) == NULL ||
        (lock->node = malloc(size)) == NULL) {
        give_up("no memory for a lock");
    }
    lock->session = session;
    flag_init(&lock->done);
    snprintf(lock->prefix, size, "%s/" NAME, path);
    create_path(session, lock->path);
    return lock;
}

static void destroy(void *of)
{
    struct lock *lock = of;
    flag_destroy(&lock->done);
    free(lock->path);
    free(lock->prefix);
    free(lock->node);
    free(lock);
}

/* Completions and watchers, on the ZooKeeper client's thread. */

static void on_deleted(zhandle_t *handle, int type, int state, const char *path, void *context)
{
    (void)handle;
    (void)state;
    (void)path;
    struct lock *lock = context;
    if (type == ZOO_DELETED_EVENT) {
        flag_set(&lock->done);
    }
}

static void on_watched(int rc, const char *value, int size, const struct Stat *stat, const void *data)
{
    (void)value;
    (void)size;
    (void)stat;
    struct lock *lock = (struct lock *)data;
    if (rc == ZNONODE) {
        flag_set(&lock->done);
    } else {
        check("getData", rc);
    }
}

static const char *sequence_of(const char *name)
{
    return name + strlen(name) - SEQUENCE_DIGITS;
}

static void on_children(int rc, const struct String_vector *names, const struct Stat *stat, const void *data)
{
    (void)stat;
    struct lock *lock = (struct lock *)data;
    check("getChildren", rc);
    const char *own = sequence_of(lock->node);
    const char *predecessor = NULL;
    for (int i = 0; i < names->count; i++) {
        const char *sequence = sequence_of(names->data[i]);
        if (strcmp(sequence, own) < 0 && (predecessor == NULL || strcmp(sequence, sequence_of(predecessor)) > 0)) {
            predecessor = names->data[i];
        }
    }
    if (predecessor == NULL) {
        flag_set(&lock->done);
        return;
    }
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", lock->path, predecessor);
    check("send getData", zoo_awget(lock->session->handle, path, on_deleted, lock, on_watched, lock));
}

static void on_listed(int rc, const struct String_vector *names, const struct Stat *stat, const void *data)
{
    (void)names;
    (void)stat;
    struct lock *lock = (struct lock *)data;
    check("getChildren", rc);
    flag_set(&lock->done);
}

static void on_created(int rc, const char *path, const struct Stat *stat, const void *data)
{
    (void)stat;
    struct lock *lock = (struct lock *)data;
    check("create", rc);
    strcpy(lock->node, path);
}

static void on_created_alone(int rc, const char *path, const struct Stat *stat, const void *data)
{
    struct lock *lock = (struct lock *)data;
    on_created(rc, path, stat, data);
    flag_set(&lock->done);
}

static void on_released(int rc, const void *data)
{
    struct lock *lock = (struct lock *)data;
    check("delete", rc);
    flag_set(&lock->done);
}

static void on_released_unawaited(int rc, const void *data)
{
    (void)data;
    check("delete", rc);
}

/* What is measured. */

static void send_create(struct lock *lock, string_stat_completion_t completion)
{
    check("send create", zoo_acreate2(lock->session->handle, lock->prefix, DATA, (int)strlen(DATA),
                                      &ZOO_OPEN_ACL_UNSAFE, ZOO_EPHEMERAL_SEQUENTIAL, completion, lock));
}

static void create_and_list(struct lock *lock, strings_stat_completion_t completion)
{
    send_create(lock, on_created);
    check("send getChildren", zoo_aget_children2(lock->session->handle, lock->path, 0, completion, lock));
    flag_await(&lock->done, "answer to getChildren, or grant"); /* the answers come in order */
}

static void acquire(void *of)
{
    create_and_list(of, on_children);
}

static void release(void *of)
{
    struct lock *lock = of;
    check("send delete", zoo_adelete(lock->session->handle, lock->node, -1, on_released, lock));
    flag_await(&lock->done, "answer to delete");
}

static const struct lock_kind floor_lock = {open_session, await_connected, close_session, create,
                                            acquire,      release,         destroy};

/* The contenders with one session and one path. */

static struct session *one_session;
static struct lock *one_lock;

static void open_one(const char *connect_string, const char *path)
{
    one_session = open_session(connect_string);
    await_connected(one_session);
    one_lock = create(one_session, path);
}

static void floor_acquire(void)
{
    send_create(one_lock, on_created_alone);
    flag_await(&one_lock->done, "answer to create");
}

static void requests_acquire(void)
{
    create_and_list(one_lock, on_listed);
}

static void release_one(void)
{
    release(one_lock);
}

static void release_unawaited(void)
{
    check("send delete", zoo_adelete(one_lock->session->handle, one_lock->node, -1, on_released_unawaited, one_lock));
}

static void close_one(void)
{
    destroy(one_lock);
    close_session(one_session);
}

const struct contender bare_floor = {"floor", open_one, floor_acquire, release_one, close_one, &floor_lock};
const struct contender bare_requests = {"requests", open_one, requests_acquire, release_one, close_one, NULL};
const struct contender bare_one_flight = {"one_flight", open_one, requests_acquire, release_unawaited, close_one, NULL};
