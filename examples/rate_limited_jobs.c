/* SPDX-License-Identifier: Apache-2.0 */
/*
 * At most three jobs at a time in the whole fleet, however many processes start them, in C or in Java: each job runs
 * while it holds a lease of a semaphore. Six workers with two jobs each; what runs at the same time is counted.
 * Usage: rate_limited_jobs [host:port,...]
 */
#define _POSIX_C_SOURCE 200809L
#include <curator/curator.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SEMAPHORE_PATH "/examples/rate_limited_jobs"
#define JOBS_AT_A_TIME 3
#define WORKERS 6
#define JOBS_OF_A_WORKER 2
#define PATIENCE_MS 60000

static atomic_int running, most_running, done;

struct worker {
    int number;
    pthread_t thread;
    curator_semaphore *semaphore;
};

static void run_job(const struct worker *worker, int job)
{
    int now = atomic_fetch_add(&running, 1) + 1;
    int most = atomic_load(&most_running);
    while (now > most && !atomic_compare_exchange_weak(&most_running, &most, now)) {
    }
    printf("Worker %d runs job %d; %d run now.\n", worker->number, job, now);
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL); /* the work */
    atomic_fetch_sub(&running, 1);
    atomic_fetch_add(&done, 1);
}

/* A long job would look at curator_lease_is_held() between its steps: a lease is lost if its session ends. */
static curator_status run_limited(const struct worker *worker, int job)
{
    curator_lease *lease;
    curator_status status = curator_semaphore_acquire_for(worker->semaphore, PATIENCE_MS, &lease);
    if (status != CURATOR_OK) {
        return status;
    }
    run_job(worker, job);
    return curator_lease_return(lease);
}

static void *work(void *argument)
{
    const struct worker *worker = argument;
    for (int job = 1; job <= JOBS_OF_A_WORKER; job++) {
        if (run_limited(worker, job) != CURATOR_OK) {
            fprintf(stderr, "worker %d: %s\n", worker->number, curator_last_error());
        }
    }
    return NULL;
}

/* The workers are threads here; those of another process on the same path would count, too. */
static int run_all(curator_semaphore *semaphore)
{
    struct worker workers[WORKERS];
    for (int i = 0; i < WORKERS; i++) {
        workers[i] = (struct worker){.number = i + 1, .semaphore = semaphore};
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0) {
            fputs("no thread could be started\n", stderr);
            exit(EXIT_FAILURE);
        }
    }
    for (int i = 0; i < WORKERS; i++) {
        pthread_join(workers[i].thread, NULL);
    }
    printf("%d jobs done, at most %d at a time.\n", done, most_running);
    return done == WORKERS * JOBS_OF_A_WORKER && most_running <= JOBS_AT_A_TIME ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    curator_framework_options options = {.connect_string = argc > 1 ? argv[1] : "127.0.0.1:2181"};
    curator_framework *client;
    curator_semaphore *semaphore = NULL;
    if (curator_framework_open(&client, &options) != CURATOR_OK) {
        fprintf(stderr, "open: %s\n", curator_last_error());
        return EXIT_FAILURE;
    }
    int result = EXIT_FAILURE;
    if (curator_semaphore_create(&semaphore, client, SEMAPHORE_PATH, JOBS_AT_A_TIME) != CURATOR_OK) {
        fprintf(stderr, "create: %s\n", curator_last_error());
    } else {
        result = run_all(semaphore);
        curator_semaphore_destroy(semaphore);
    }
    curator_framework_close(client);
    return result;
}
