/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A helper worth copying: run a function while holding a lock, with two tries of two seconds each, and name the
 * business that is busy when both fail. Here it hands out order numbers, which are the time of day to the hundredth of
 * a second: ten clerks at once, first without the lock and then with it.
 * Usage: with_lock [host:port,...]. Link with -lcurator -lzookeeper_mt.
 */
#define _POSIX_C_SOURCE 200809L
#define THREADED /* for zoo_delete() of <zookeeper/zookeeper.h> */
#include <curator/curator.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zookeeper/zookeeper.h>

#define LOCK_PATH "/examples/with_lock"
#define TRIES 2
#define TRY_MS 2000
#define CLERKS 10

/*
 * Runs work(context) while holding the lock. What is not CURATOR_OK is also said on stderr: CURATOR_LOCK_LOST from the
 * release means that it has run, but that the lock was gone before its end, so what it did has to be undone or checked;
 * any other status that it has not run.
 */
static curator_status with_lock(curator_framework *client, const char *path, const char *business,
                                void (*work)(void *context), void *context)
{
    curator_mutex *mutex;
    curator_status status = curator_mutex_create(&mutex, client, path);
    if (status != CURATOR_OK) {
        fprintf(stderr, "%s: %s\n", business, curator_last_error());
        return status;
    }
    status = CURATOR_TIMED_OUT;
    for (int i = 0; i < TRIES && status == CURATOR_TIMED_OUT; i++) {
        status = curator_mutex_acquire_for(mutex, TRY_MS);
    }
    if (status == CURATOR_OK) {
        work(context);
        status = curator_mutex_release(mutex);
        if (status != CURATOR_OK) {
            fprintf(stderr, "%s: done, but %s\n", business, curator_last_error());
        }
        if (status != CURATOR_LOCK_LOST) {
            status = CURATOR_OK; /* such as CURATOR_RELEASE_PENDING: protected to its end */
        }
    } else if (status == CURATOR_TIMED_OUT) {
        fprintf(stderr, "%s is busy, please try again later. (%s)\n", business, curator_last_error());
    } else {
        fprintf(stderr, "%s: %s\n", business, curator_last_error());
    }
    curator_mutex_destroy(mutex);
    return status;
}

struct clerk {
    curator_framework *client; /* NULL: works without the lock */
    pthread_barrier_t *opening_time;
    pthread_t thread;
    char number[32];
};

static struct timespec now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return time;
}

/* Takes the time as the number and ends when the clock shows another: no later call can get the same. */
static void take_order_number(void *context)
{
    struct clerk *clerk = context;
    struct timespec time = now();
    struct tm local;
    localtime_r(&time.tv_sec, &local);
    size_t length = strftime(clerk->number, sizeof clerk->number, "%Y%m%d-%H%M%S-", &local);
    snprintf(clerk->number + length, sizeof clerk->number - length, "%02ld", time.tv_nsec / 10000000);

    struct timespec rest_of_hundredth = {.tv_nsec = 10000000 - time.tv_nsec % 10000000};
    nanosleep(&rest_of_hundredth, NULL);
}

static void *serve_a_customer(void *argument)
{
    struct clerk *clerk = argument;
    pthread_barrier_wait(clerk->opening_time);
    if (clerk->client == NULL) {
        take_order_number(clerk);
    } else if (with_lock(clerk->client, LOCK_PATH, "The order desk", take_order_number, clerk) != CURATOR_OK) {
        clerk->number[0] = '\0'; /* none, or one that another may have too */
    }
    return NULL;
}

static int compare_numbers(const void *a, const void *b)
{
    return strcmp(((const struct clerk *)a)->number, ((const struct clerk *)b)->number);
}

/* Lets all clerks take a number at the same time; returns how many of them got one that no other has. */
static int take_numbers(const char *title, curator_framework *client)
{
    struct clerk clerks[CLERKS] = {0};
    pthread_barrier_t opening_time;
    pthread_barrier_init(&opening_time, NULL, CLERKS);
    for (int i = 0; i < CLERKS; i++) {
        clerks[i].client = client;
        clerks[i].opening_time = &opening_time;
        if (pthread_create(&clerks[i].thread, NULL, serve_a_customer, &clerks[i]) != 0) {
            fprintf(stderr, "No thread could be started.\n");
            exit(EXIT_FAILURE);
        }
    }
    for (int i = 0; i < CLERKS; i++) {
        pthread_join(clerks[i].thread, NULL);
    }
    pthread_barrier_destroy(&opening_time);

    qsort(clerks, CLERKS, sizeof clerks[0], compare_numbers);
    int unique = 0;
    printf("%s:\n", title);
    for (int i = 0; i < CLERKS; i++) {
        bool is_unique = clerks[i].number[0] != '\0' && (i == 0 || compare_numbers(&clerks[i - 1], &clerks[i]) != 0) &&
                         (i == CLERKS - 1 || compare_numbers(&clerks[i], &clerks[i + 1]) != 0);
        unique += is_unique;
        printf("  %s%s\n", clerks[i].number, is_unique ? "" : "  given more than once");
    }
    printf("  %d of %d order numbers are unique.\n", unique, CLERKS);
    return unique;
}

/* A mutex is a contender of its own, also in the thread that holds another one on the same path. */
static curator_status take_a_number_while_busy(curator_framework *client)
{
    curator_mutex *somebody_else;
    struct clerk clerk = {0};
    curator_status status = curator_mutex_create(&somebody_else, client, LOCK_PATH);
    if (status == CURATOR_OK && (status = curator_mutex_acquire(somebody_else)) == CURATOR_OK) {
        status = with_lock(client, LOCK_PATH, "The order desk", take_order_number, &clerk);
        curator_mutex_release(somebody_else);
    }
    curator_mutex_destroy(somebody_else);
    return status;
}

/* Work during which an operator deletes the lock's node. */
static void lose_the_lock(void *context)
{
    curator_framework *client = context;
    curator_mutex *same = NULL;
    curator_participants *participants = NULL;
    zhandle_t *zookeeper = curator_framework_borrow_handle(client);
    if (zookeeper != NULL && curator_mutex_create(&same, client, LOCK_PATH) == CURATOR_OK &&
        curator_mutex_participants(same, &participants) == CURATOR_OK && participants->count > 0) {
        zoo_delete(zookeeper, participants->paths[0], -1);
    }
    curator_participants_free(participants);
    curator_mutex_destroy(same);
    curator_framework_return_handle(client, zookeeper);
}

int main(int argc, char **argv)
{
    curator_framework_options options = {.connect_string = argc > 1 ? argv[1] : "127.0.0.1:2181"};
    curator_framework *client;
    if (curator_framework_open(&client, &options) != CURATOR_OK) {
        fprintf(stderr, "open: %s\n", curator_last_error());
        return EXIT_FAILURE;
    }
    take_numbers("Without the lock", NULL);
    int unique = take_numbers("With the lock", client);
    printf("While somebody else keeps the lock for longer than two tries:\n");
    fflush(stdout);
    curator_status status = take_a_number_while_busy(client);
    printf("While an operator deletes the lock's node:\n");
    fflush(stdout);
    curator_status lost = with_lock(client, LOCK_PATH, "The order desk", lose_the_lock, client);
    printf("  with_lock answers %s.\n", curator_status_string(lost));
    curator_framework_close(client);
    return unique == CLERKS && status == CURATOR_TIMED_OUT && lost == CURATOR_LOCK_LOST ? EXIT_SUCCESS : EXIT_FAILURE;
}
