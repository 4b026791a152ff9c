/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A C process of the soak: threads that take turns on a mutex and on a read-write lock in every way there is, and write
 * down what they saw. One line, one write(2), so that a killed process has written all but the line it was at.
 */
#include "soak/history.h"

#include <curator/curator.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zookeeper/zookeeper.h>

#define BROKEN_LIMIT_MS 3
#define THREADS_MAX 16

struct object { /* lives as long as the process; the callback needs its name */
    curator_mutex *mutex;
    const char *kind;
    char name[32];
    atomic_bool lost; /* reported by on_lost, and not yet seen by the holding thread */
    bool shared;      /* by all threads: on_lost cannot tell which thread's hold is lost, so holders look themselves */
};

struct contender {
    pthread_t thread;
    int index;
    unsigned random;
    struct object own, reader, writer;
    curator_read_write_lock *lock;
};

static const char *mutex_path;
static const char *lock_path;
static bool broken; /* takes a time-out for a grant */
static atomic_bool stopping;
static atomic_bool suspended;
static struct object shared_mutex;
static struct contender contenders[THREADS_MAX];
static int thread_count;

static int choose(unsigned *random, int below)
{
    return (int)((unsigned)rand_r(random) % (unsigned)below);
}

static void told_lost(curator_mutex *mutex, void *context)
{
    (void)mutex;
    struct object *object = context;
    history_write("lost", "%s", object->name);
    atomic_store(&object->lost, true);
}

static void told_state(curator_framework *client, curator_connection_state state, void *context)
{
    (void)context;
    history_write("state", "%s", curator_connection_state_string(state));
    atomic_store(&suspended, state == CURATOR_SUSPENDED);
    if (state != CURATOR_CONNECTED && state != CURATOR_RECONNECTED) {
        return;
    }
    zhandle_t *handle = curator_framework_borrow_handle(client);
    if (handle != NULL) {
        const clientid_t *id = zoo_client_id(handle);
        char password[2 * sizeof id->passwd + 1];
        for (size_t i = 0; i < sizeof id->passwd; i++) {
            snprintf(password + 2 * i, 3, "%02x", (unsigned)(unsigned char)id->passwd[i]);
        }
        history_write("session", "%llx %s", (unsigned long long)id->client_id, password);
        curator_framework_return_handle(client, handle);
    }
}

/* Holds for a while, longer on request or while suspended, but not after the loss was reported. */
static void hold(struct contender *self, struct object *object)
{
    int milliseconds = choose(&self->random, 8) == 0 ? 100 + choose(&self->random, 1000) : choose(&self->random, 8);
    int64_t until = history_now() + milliseconds;
    while ((history_now() < until || history_keeps() || atomic_load(&suspended)) && !atomic_load(&object->lost) &&
           !atomic_load(&stopping)) {
        history_sleep(1);
        if (object->shared && !broken && !curator_mutex_is_owned_by_current_thread(object->mutex)) {
            history_write("noticed", "%d", self->index);
            return;
        }
    }
}

static void hold_and_release(struct contender *self, struct object *object)
{
    int depth = 1;
    char *node = NULL;
    int64_t token = 0;
    curator_status known = curator_mutex_lock_path(object->mutex, &node);
    if (known == CURATOR_OK) {
        known = curator_mutex_fencing_token(object->mutex, &token);
    }
    history_write("enter", "%d %s %s %s %lld", self->index, object->kind, object->name,
                  known == CURATOR_OK ? node : "-", (long long)token);
    free(node);
    if (choose(&self->random, 4) == 0) {
        curator_status again = curator_mutex_acquire_for(object->mutex, 1000);
        depth += again == CURATOR_OK;
        history_write("again", "%d %s", self->index, curator_status_string(again));
    }
    hold(self, object);
    history_write("leave", "%d", self->index);
    curator_status status = CURATOR_OK;
    for (; depth > 0; depth--) {
        status = curator_mutex_release(object->mutex);
    }
    history_write("left", "%d %s", self->index, curator_status_string(status));
}

static struct object *choose_object(struct contender *self)
{
    int lot = choose(&self->random, 10);
    return lot < 4 ? &self->own : lot < 6 ? &shared_mutex : lot < 8 ? &self->reader : &self->writer;
}

static void turn(struct contender *self)
{
    struct object *object = choose_object(self);
    int lot = choose(&self->random, 10);
    int64_t limit = lot < 3 ? -1 : lot == 3 ? 0 : 10 + choose(&self->random, lot < 6 ? 100 : 3000);
    if (broken) {
        limit = BROKEN_LIMIT_MS;
    }
    atomic_store(&object->lost, false);
    history_write("want", "%d %s %s %lld", self->index, object->kind, object->name, (long long)limit);
    curator_status status =
        limit < 0 ? curator_mutex_acquire(object->mutex) : curator_mutex_acquire_for(object->mutex, limit);
    if (status == CURATOR_OK || (broken && status == CURATOR_TIMED_OUT)) {
        hold_and_release(self, object);
    } else {
        history_write("refused", "%d %s", self->index, curator_status_string(status));
        if (status == CURATOR_LOCK_LOST) { /* a lost lock has to be released before the next acquire */
            curator_mutex_release(object->mutex);
        }
    }
    history_sleep(choose(&self->random, 30));
}

static void *run(void *context)
{
    struct contender *self = context;
    while (!atomic_load(&stopping)) {
        turn(self);
    }
    return NULL;
}

static void make(struct object *object, curator_mutex *mutex, const char *kind, const char *name, int index)
{
    object->mutex = mutex;
    object->kind = kind;
    snprintf(object->name, sizeof object->name, "%s%d", name, index);
    if (!object->shared) {
        history_must(curator_mutex_on_lost(mutex, told_lost, object), "on_lost");
    }
}

static void start(curator_framework *client, struct contender *self, int index, unsigned seed)
{
    curator_mutex *mutex;
    self->index = index;
    self->random = seed * 31 + (unsigned)index;
    history_must(curator_mutex_create(&mutex, client, mutex_path), "create");
    make(&self->own, mutex, "mutex", "own", index);
    history_must(curator_read_write_lock_create(&self->lock, client, lock_path), "create");
    make(&self->reader, curator_read_write_lock_read(self->lock), "read", "reader", index);
    make(&self->writer, curator_read_write_lock_write(self->lock), "write", "writer", index);
    if (pthread_create(&self->thread, NULL, run, self) != 0) {
        history_must(CURATOR_ERROR, "pthread_create");
    }
}

static struct object *any_object(unsigned *random)
{
    struct contender *other = &contenders[choose(random, thread_count)];
    struct object *objects[] = {&shared_mutex, &other->own, &other->reader, &other->writer};
    return objects[choose(random, 4)];
}

static void interrupt_everybody(void)
{
    history_must(curator_mutex_interrupt(shared_mutex.mutex), "interrupt");
    for (int i = 0; i < thread_count; i++) {
        history_must(curator_mutex_interrupt(contenders[i].own.mutex), "interrupt");
        history_must(curator_mutex_interrupt(contenders[i].reader.mutex), "interrupt");
        history_must(curator_mutex_interrupt(contenders[i].writer.mutex), "interrupt");
    }
}

/* Interrupts now and then until "stop", then ends all waits, again for those that began meanwhile. */
static void disturb_until_stopped(unsigned random)
{
    while (!history_told_to("stop", 200 + choose(&random, 800))) {
        struct object *object = any_object(&random);
        history_write("interrupt", "%s", object->name);
        history_must(curator_mutex_interrupt(object->mutex), "interrupt");
    }
    atomic_store(&stopping, true);
    for (int i = 0; i < thread_count; i++) {
        while (pthread_tryjoin_np(contenders[i].thread, NULL) != 0) {
            interrupt_everybody();
            history_sleep(20);
        }
    }
}

int main(int argc, char **argv)
{
    if (argc < 9) {
        fprintf(stderr, "usage: %s SERVERS MUTEX-PATH LOCK-PATH NAME HISTORY SEED THREADS SESSION-MS [broken]\n",
                argv[0]);
        return 2;
    }
    mutex_path = argv[2];
    lock_path = argv[3];
    unsigned seed = (unsigned)strtoul(argv[6], NULL, 10);
    thread_count = atoi(argv[7]) < THREADS_MAX ? atoi(argv[7]) : THREADS_MAX;
    broken = argc > 9;
    history_open(argv[5]);
    curator_framework *client;
    curator_retry_policy policy = curator_retry_bounded_exponential_backoff(100, 1000, 5);
    history_must(curator_framework_open(&client, &(curator_framework_options){.connect_string = argv[1],
                                                                              .session_timeout_ms = atoll(argv[8]),
                                                                              .connection_timeout_ms = 3000,
                                                                              .retry_policy = &policy,
                                                                              .default_data = argv[4],
                                                                              .default_data_size = strlen(argv[4]),
                                                                              .connection_listener = told_state}),
                 "open");
    curator_mutex *mutex;
    history_must(curator_mutex_create(&mutex, client, mutex_path), "create");
    shared_mutex.shared = true;
    make(&shared_mutex, mutex, "mutex", "shared", 0);
    for (int i = 0; i < thread_count; i++) {
        start(client, &contenders[i], i, seed);
    }
    disturb_until_stopped(seed);
    history_write("idle", "0"); /* connected, and done: whatever is still there now was left behind */
    while (!history_told_to("end", 1000)) {
    }
    for (int i = 0; i < thread_count; i++) {
        history_must(curator_mutex_destroy(contenders[i].own.mutex), "destroy");
        history_must(curator_read_write_lock_destroy(contenders[i].lock), "destroy");
    }
    history_must(curator_mutex_destroy(shared_mutex.mutex), "destroy");
    history_write("closed", "%s", curator_status_string(curator_framework_close(client)));
    history_close();
    return 0;
}
