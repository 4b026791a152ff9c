/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The C member of the fleet: two threads take one lock in turn and use the resource that only one may use at a time.
 *
 *     fleet_worker <host:port,...> <lock path> <resource file> <name> [--without-lock]
 *
 * Prints "ready" once connected, starts at a line on stdin and stops when stdin ends. Says on stdout, in nanoseconds of
 * the monotonic clock: waiting|acquired|released|collided <thread> <time>. Worker.java is the same in Java.
 */
#define _POSIX_C_SOURCE 200809L
#define THREADED /* for zoo_delete() */
#include <curator/curator.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zookeeper/zookeeper.h>

#define THREADS 2
#define SESSION_TIMEOUT_MS 10000
#define CONNECTION_TIMEOUT_MS 15000
#define ACQUIRE_TIMEOUT_MS 30000

struct worker {
    const char *name;
    const char *resource;
    curator_mutex *mutex; /* NULL: without the lock */
    atomic_bool stopping;
    atomic_bool failed;
};

struct member {
    struct worker *worker;
    int number;
    unsigned int seed;
    pthread_t thread;
};

static void say(const struct member *member, const char *event)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    printf("%s %d %lld\n", event, member->number, (long long)now.tv_sec * 1000000000 + now.tv_nsec);
}

static void fail(const struct member *member, const char *what, const char *why)
{
    fprintf(stderr, "%s, thread %d, %s: %s\n", member->worker->name, member->number, what, why);
    atomic_store(&member->worker->failed, true);
    say(member, "failed");
}

/* The file exists while somebody uses the resource; nobody can create it a second time, in whichever process. */
static void use_resource(struct member *member)
{
    int fd = open(member->worker->resource, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    if (fd < 0 && errno == EEXIST) {
        say(member, "collided");
    } else if (fd < 0) {
        fail(member, member->worker->resource, "cannot be created");
    }
    struct timespec use = {.tv_nsec = 1000000L + rand_r(&member->seed) % 9001 * 1000L};
    nanosleep(&use, NULL);
    if (fd >= 0) {
        close(fd);
        unlink(member->worker->resource);
    }
}

static bool take_a_turn(struct member *member)
{
    curator_mutex *mutex = member->worker->mutex;
    say(member, "waiting");
    if (mutex != NULL && curator_mutex_acquire_for(mutex, ACQUIRE_TIMEOUT_MS) != CURATOR_OK) {
        fail(member, "acquire", curator_last_error());
        return false;
    }
    say(member, "acquired");
    if (!atomic_load(&member->worker->stopping)) {
        use_resource(member);
    }
    say(member, "released");
    if (mutex != NULL && curator_mutex_release(mutex) != CURATOR_OK) {
        fail(member, "release", curator_last_error());
        return false;
    }
    return true;
}

static void *run_member(void *argument)
{
    struct member *member = argument;
    while (!atomic_load(&member->worker->stopping) && take_a_turn(member)) {
    }
    return NULL;
}

static bool read_line_from_stdin(void)
{
    char line[64];
    return fgets(line, sizeof line, stdin) != NULL;
}

static void run_members(struct worker *worker)
{
    struct member members[THREADS];
    int started = 0;
    for (; started < THREADS; started++) {
        struct member *member = &members[started];
        *member = (struct member){
            .worker = worker, .number = started + 1, .seed = (unsigned int)getpid() + (unsigned int)started};
        if (pthread_create(&member->thread, NULL, run_member, member) != 0) {
            fail(member, "start", "no thread could be started");
            break;
        }
    }
    while (read_line_from_stdin()) {
    }
    atomic_store(&worker->stopping, true);
    for (int i = 0; i < started; i++) {
        pthread_join(members[i].thread, NULL);
    }
}

/* Succeeds in the process that leaves last. Before, the path is not empty; without it, the server would do it later. */
static void remove_lock_path(curator_framework *framework, const char *path)
{
    zhandle_t *zookeeper = curator_framework_borrow_handle(framework);
    if (zookeeper != NULL) {
        zoo_delete(zookeeper, path, -1);
        curator_framework_return_handle(framework, zookeeper);
    }
}

static bool run(struct worker *worker, curator_framework *framework, const char *path, bool with_lock)
{
    if (curator_framework_await_connected(framework, CONNECTION_TIMEOUT_MS) != CURATOR_OK ||
        (with_lock && curator_mutex_create(&worker->mutex, framework, path) != CURATOR_OK)) {
        return false;
    }
    printf("ready\n");
    if (read_line_from_stdin()) {
        run_members(worker);
    }
    if (with_lock) {
        curator_mutex_destroy(worker->mutex);
    }
    remove_lock_path(framework, path);
    return true;
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        fprintf(stderr, "usage: fleet_worker <host:port,...> <lock path> <resource file> <name> [--without-lock]\n");
        return 2;
    }
    bool with_lock = argc < 6 || strcmp(argv[5], "--without-lock") != 0;
    struct worker worker = {.resource = argv[3], .name = argv[4]};
    curator_framework_options options = {.connect_string = argv[1], .session_timeout_ms = SESSION_TIMEOUT_MS};
    curator_framework *framework;
    setvbuf(stdout, NULL, _IOLBF, 0);
    signal(SIGPIPE, SIG_IGN); /* nobody listens any more: stdin will say so */
    if (curator_framework_open(&framework, &options) != CURATOR_OK) {
        fprintf(stderr, "%s: %s\n", worker.name, curator_last_error());
        return EXIT_FAILURE;
    }
    bool connected = run(&worker, framework, argv[2], with_lock);
    if (!connected) {
        fprintf(stderr, "%s: %s\n", worker.name, curator_last_error());
    }
    curator_framework_close(framework);
    return connected && !atomic_load(&worker.failed) ? EXIT_SUCCESS : EXIT_FAILURE;
}
