/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One catalogue file, read by many and rewritten by a few: readers share the read lock, a writer has the write lock for
 * itself. A new edition takes a while to write, and a reader that came meanwhile would find two editions in one file. A
 * writer proof-reads its edition under the read lock, to which it goes over without letting another writer in between.
 * Usage: shared_catalogue [host:port,... [file]]. The file is shared_catalogue.txt, unless another is named.
 */
#define _POSIX_C_SOURCE 200809L
#include <curator/curator.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define LOCK_PATH "/examples/shared_catalogue"
#define READERS 4
#define WRITERS 2
#define READINGS_EACH 25
#define EDITIONS_EACH 5
#define ITEMS 10

struct catalogue {
    const char *file;
    atomic_int readers; /* in this process, at this moment */
    atomic_int writers;
    atomic_int most_readers;
    atomic_int readings;
    atomic_int met_a_writer;
    atomic_int misprints; /* readings that found two editions, or half of one */
};

struct client {
    const char *servers;
    struct catalogue *catalogue;
    pthread_t thread;
    bool writes;
    bool succeeded;
};

static bool report(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    return false;
}

/* The number of the edition that all items belong to, 0 for an empty catalogue, -1 for a misprint. */
static int read_edition(const char *file)
{
    FILE *stream = fopen(file, "r");
    int edition = 0;
    int items = 0;
    int item, of;
    if (stream == NULL) {
        return 0;
    }
    while (fscanf(stream, "item %d of edition %d\n", &item, &of) == 2) { // NOLINT(cert-err34-c): our own numbers
        edition = items == 0 || edition == of ? of : -1;
        items++;
        nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
    }
    fclose(stream);
    return items == 0 || items == ITEMS ? edition : -1;
}

static bool write_edition(const char *file, int edition)
{
    FILE *stream = fopen(file, "w");
    if (stream == NULL) {
        return false;
    }
    for (int item = 1; item <= ITEMS; item++) {
        fprintf(stream, "item %d of edition %d\n", item, edition);
        fflush(stream);
        nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
    }
    return fclose(stream) == 0;
}

/* With the read lock held. */
static int look_it_through(struct catalogue *catalogue)
{
    int readers = atomic_fetch_add(&catalogue->readers, 1) + 1;
    int most = atomic_load(&catalogue->most_readers);
    while (readers > most && !atomic_compare_exchange_weak(&catalogue->most_readers, &most, readers)) {
    }
    int edition = read_edition(catalogue->file);
    if (atomic_load(&catalogue->writers) > 0) {
        atomic_fetch_add(&catalogue->met_a_writer, 1);
    }
    if (edition < 0) {
        atomic_fetch_add(&catalogue->misprints, 1);
    }
    atomic_fetch_add(&catalogue->readings, 1);
    atomic_fetch_sub(&catalogue->readers, 1);
    return edition;
}

static bool read_once(struct catalogue *catalogue, curator_read_write_lock *lock)
{
    curator_mutex *reading = curator_read_write_lock_read_side(lock);
    if (curator_mutex_acquire_for(reading, 10000) != CURATOR_OK) {
        return report("acquire to read", curator_last_error());
    }
    look_it_through(catalogue);
    return curator_mutex_release(reading) == CURATOR_OK || report("release of a reader", curator_last_error());
}

/* From the acquire of the read lock on, other readers may come in at the release of the write lock; writers wait. */
static bool write_once(struct catalogue *catalogue, curator_read_write_lock *lock)
{
    curator_mutex *reading = curator_read_write_lock_read_side(lock);
    curator_mutex *writing = curator_read_write_lock_write_side(lock);
    if (curator_mutex_acquire_for(writing, 10000) != CURATOR_OK) {
        return report("acquire to write", curator_last_error());
    }
    atomic_fetch_add(&catalogue->writers, 1);
    int edition = read_edition(catalogue->file) + 1;
    bool written = write_edition(catalogue->file, edition);
    atomic_fetch_sub(&catalogue->writers, 1);
    bool downgraded = curator_mutex_acquire(reading) == CURATOR_OK;
    bool released = curator_mutex_release(writing) == CURATOR_OK;
    if (!written || !downgraded || !released) {
        return report(catalogue->file, written ? curator_last_error() : "cannot be written");
    }
    if (look_it_through(catalogue) != edition) {
        return report(catalogue->file, "somebody wrote another edition while this one was proof-read");
    }
    return curator_mutex_release(reading) == CURATOR_OK || report("release of a proof-reader", curator_last_error());
}

static bool work(const struct client *client, curator_framework *framework)
{
    curator_read_write_lock *lock;
    if (curator_read_write_lock_create(&lock, framework, LOCK_PATH) != CURATOR_OK) {
        return report("create", curator_last_error());
    }
    bool succeeded = true;
    for (int i = 0; i < (client->writes ? EDITIONS_EACH : READINGS_EACH) && succeeded; i++) {
        succeeded = client->writes ? write_once(client->catalogue, lock) : read_once(client->catalogue, lock);
    }
    curator_read_write_lock_destroy(lock);
    return succeeded;
}

/* Each client has a connection of its own, as clients in different processes would. */
static void *run_client(void *argument)
{
    struct client *client = argument;
    curator_framework *framework;
    if (curator_framework_open(&framework, &(curator_framework_options){.connect_string = client->servers}) !=
        CURATOR_OK) {
        client->succeeded = report("open", curator_last_error());
        return NULL;
    }
    client->succeeded = work(client, framework);
    curator_framework_close(framework);
    return NULL;
}

static bool run_clients(const char *servers, struct catalogue *catalogue)
{
    struct client clients[READERS + WRITERS];
    bool succeeded = true;
    for (int i = 0; i < READERS + WRITERS; i++) {
        clients[i] = (struct client){.servers = servers, .catalogue = catalogue, .writes = i >= READERS};
        if (pthread_create(&clients[i].thread, NULL, run_client, &clients[i]) != 0) {
            fprintf(stderr, "No thread could be started.\n");
            exit(EXIT_FAILURE);
        }
    }
    for (int i = 0; i < READERS + WRITERS; i++) {
        pthread_join(clients[i].thread, NULL);
        succeeded = succeeded && clients[i].succeeded;
    }
    return succeeded;
}

int main(int argc, char **argv)
{
    const char *servers = argc > 1 ? argv[1] : "127.0.0.1:2181";
    struct catalogue catalogue = {.file = argc > 2 ? argv[2] : "shared_catalogue.txt"};
    bool succeeded = run_clients(servers, &catalogue);
    int met_a_writer = atomic_load(&catalogue.met_a_writer);
    int misprints = atomic_load(&catalogue.misprints);
    printf("%d readings, up to %d at once; %d of them met a writer.\n", atomic_load(&catalogue.readings),
           atomic_load(&catalogue.most_readers), met_a_writer);
    printf("%d misprints. The last edition in %s is number %d.\n", misprints, catalogue.file,
           read_edition(catalogue.file));
    return succeeded && met_a_writer == 0 && misprints == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
