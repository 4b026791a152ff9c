/* SPDX-License-Identifier: Apache-2.0 */
#include "watch.h"

#include "connection.h"
#include "exit_status.h"
#include "message.h"

#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>
#include <zookeeper/zookeeper.h>

/* A busy queue changes a thousand times a second, and a long one takes a while to read: pause in between, so that
 * watching costs the server little and the screen can be read. */
#define SHORTEST_PAUSE_MS 200
#define PAUSE_FOR_LISTING 9
#define RETRY_MS 1000

/* What the threads of the libraries write: never freed, as a watch may fire until the process ends. */
static struct {
    int events; /* readable: something has changed */
    atomic_bool armed;
    sem_t answered;
    atomic_int rc;
} watched;

static void note_change(void)
{
    uint64_t one = 1;
    ssize_t written = write(watched.events, &one, sizeof one);
    (void)written; /* full: it is readable already */
}

static void on_watch(zhandle_t *handle, int type, int state, const char *path, void *context)
{
    (void)handle;
    (void)state;
    (void)path;
    (void)context;
    if (type != ZOO_SESSION_EVENT) {
        atomic_store(&watched.armed, false);
        note_change();
    }
}

static void on_connection(curator_framework *framework, curator_connection_state state, void *context)
{
    (void)framework;
    (void)context;
    if (state == CURATOR_LOST) {
        atomic_store(&watched.armed, false); /* the watches ended with the session */
    }
    if (state == CURATOR_LOST || state == CURATOR_RECONNECTED) {
        note_change();
    }
}

static void on_children(int rc, const struct String_vector *names, const void *context)
{
    (void)names;
    (void)context;
    atomic_store(&watched.rc, rc);
    sem_post(&watched.answered);
}

static void on_stat(int rc, const struct Stat *stat, const void *context)
{
    (void)stat;
    on_children(rc, NULL, context);
}

/* Waits for the answer: a lent handle is returned only when its completions have run. */
static int answer_to(int rc)
{
    if (rc != ZOK) {
        return rc;
    }
    while (sem_wait(&watched.answered) != 0) {
    }
    return atomic_load(&watched.rc);
}

/* One watch: on the list of children, or on the path itself until that exists. */
static int set_watch(zhandle_t *handle, const char *path)
{
    int rc;
    do {
        rc = answer_to(zoo_awget_children(handle, path, on_watch, NULL, on_children, NULL));
        if (rc != ZNONODE) {
            return rc;
        }
        rc = answer_to(zoo_awexists(handle, path, on_watch, NULL, on_stat, NULL));
    } while (rc == ZOK); /* created in between */
    return rc == ZNONODE ? ZOK : rc;
}

static char *full_path(const struct common_options *options, const char *path)
{
    char *full;
    const char *name_space = options->name_space != NULL ? options->name_space : "";
    return asprintf(&full, "%s%s%s", *name_space != '\0' ? "/" : "", name_space, path) >= 0 ? full : NULL;
}

/* The watches come before the lists that they belong to, so that no change is missed. */
static bool set_watches(curator_framework *framework, const struct common_options *options, const struct queue *queues,
                        size_t count)
{
    if (atomic_exchange(&watched.armed, true)) {
        return true;
    }
    zhandle_t *handle = curator_framework_borrow_handle(framework);
    bool all_set = handle != NULL;
    for (size_t i = 0; all_set && i < count; i++) {
        char *path = full_path(options, queues[i].path);
        all_set = path != NULL && set_watch(handle, path) == ZOK;
        free(path);
    }
    if (handle != NULL) {
        curator_framework_return_handle(framework, handle);
    }
    if (!all_set) {
        atomic_store(&watched.armed, false);
    }
    return all_set;
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static curator_status read_queues(struct queue *queues, size_t count)
{
    curator_status status = CURATOR_OK;
    for (size_t i = 0; i < count && status == CURATOR_OK; i++) {
        status = queue_read(&queues[i]);
    }
    return status;
}

/* Until a change (true), or a time (false; -1: none). The terminal's new size is drawn meanwhile. */
static bool wait_for_change(int sizes, bool changes_matter, int64_t timeout_ms, bool *resized)
{
    struct pollfd sources[] = {{.fd = sizes, .events = POLLIN},
                               {.fd = changes_matter ? watched.events : -1, .events = POLLIN}};
    poll(sources, sizeof sources / sizeof *sources, timeout_ms < 0 ? -1 : (int)timeout_ms);
    struct signalfd_siginfo size;
    *resized = read(sizes, &size, sizeof size) == (ssize_t)sizeof size;
    return sources[1].revents != 0;
}

/* False: it cannot be drawn. */
static bool draw_until(const struct watch *watch, bool changes_matter, int64_t until_ms)
{
    for (;;) {
        int64_t left = until_ms < 0 ? -1 : until_ms - now_ms();
        if (until_ms >= 0 && left <= 0) {
            return true;
        }
        bool resized;
        bool changed = wait_for_change(watch->sizes, changes_matter, left, &resized);
        if (resized && !watch->draw(watch->queues, watch->count, watch->context)) {
            return false;
        }
        if (changed) {
            return true;
        }
    }
}

/* What was drawn stays for a while, then until there is something new. False: it cannot be drawn. */
static bool wait_between(const struct watch *watch, int64_t listing_ms, bool complete)
{
    int64_t pause = listing_ms * PAUSE_FOR_LISTING;
    return draw_until(watch, false, now_ms() + (pause > SHORTEST_PAUSE_MS ? pause : SHORTEST_PAUSE_MS)) &&
           draw_until(watch, true, complete ? -1 : now_ms() + RETRY_MS);
}

static int follow(curator_framework *framework, const struct common_options *options, const struct watch *watch)
{
    for (;;) {
        int64_t began = now_ms();
        uint64_t changes;
        ssize_t drained = read(watched.events, &changes, sizeof changes);
        (void)drained; /* before the list is read: what comes from here on wants another */
        bool armed = set_watches(framework, options, watch->queues, watch->count);
        curator_status status = read_queues(watch->queues, watch->count);
        if (status != CURATOR_OK && exit_status_of(status) != EXIT_NO_SERVER) {
            return failure(status);
        }
        bool drawn = status != CURATOR_OK || watch->draw(watch->queues, watch->count, watch->context);
        if (status != CURATOR_OK) {
            warn("%s", curator_last_error());
        }
        if (!drawn || !wait_between(watch, now_ms() - began, armed && status == CURATOR_OK)) {
            complain("standard output cannot be written");
            return EXIT_SYSTEM;
        }
    }
}

int watch_prepare(void)
{
    sigset_t size_changes;
    sigemptyset(&size_changes);
    sigaddset(&size_changes, SIGWINCH);
    pthread_sigmask(SIG_BLOCK, &size_changes, NULL);
    watched.events = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int sizes = signalfd(-1, &size_changes, SFD_CLOEXEC | SFD_NONBLOCK);
    if (watched.events < 0 || sizes < 0 || sem_init(&watched.answered, 0, 0) != 0) {
        complain("no descriptors for watching: %m");
        return -1;
    }
    return sizes;
}

int watch_queues(curator_framework *framework, const struct common_options *options, const struct watch *watch)
{
    curator_status status = curator_framework_add_connection_listener(framework, on_connection, NULL);
    return status == CURATOR_OK ? follow(framework, options, watch) : failure(status);
}
