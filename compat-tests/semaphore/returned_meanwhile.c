/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lease is returned by two threads while a third one asks about it: one returns it, and the others are told that it
 * was returned.
 */
#include "scenario.h"
#include <pthread.h>

#define ROUNDS 200
#define THREADS 3

struct round {
    curator_lease *lease;
    pthread_barrier_t together;
};

static void *return_it(void *context)
{
    struct round *round = context;
    pthread_barrier_wait(&round->together);
    curator_status status = curator_lease_return(round->lease);
    if (status == CURATOR_INVALID_ARGUMENT) {
        assert_error_mentions("no lease at this address");
    }
    return (void *)(intptr_t)status;
}

static void *ask_about_it(void *context)
{
    struct round *round = context;
    pthread_barrier_wait(&round->together);
    while (curator_lease_is_held(round->lease)) {
    }
    int64_t token;
    assert_status(CURATOR_INVALID_ARGUMENT, curator_lease_fencing_token(round->lease, &token));
    return NULL;
}

static void run_round(curator_semaphore *semaphore)
{
    struct round round = {.lease = NULL};
    void *(*const run[THREADS])(void *) = {return_it, return_it, ask_about_it};
    pthread_t threads[THREADS];
    void *statuses[THREADS];
    assert_ok(curator_semaphore_acquire_for(semaphore, bound_ms(20000), &round.lease));
    assert_that(pthread_barrier_init(&round.together, NULL, THREADS) == 0);
    for (size_t i = 0; i < THREADS; i++) {
        assert_that(pthread_create(&threads[i], NULL, run[i], &round) == 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        assert_that(pthread_join(threads[i], &statuses[i]) == 0);
    }
    pthread_barrier_destroy(&round.together);
    bool first = (curator_status)(intptr_t)statuses[0] == CURATOR_OK;
    bool second = (curator_status)(intptr_t)statuses[1] == CURATOR_OK;
    assert_that(first != second);
    assert_status(CURATOR_INVALID_ARGUMENT, (curator_status)(intptr_t)statuses[first ? 1 : 0]);
}

int main(int argc, char **argv)
{
    assert_that(argc == 3);
    curator_framework_options options = {.connect_string = argv[1]};
    curator_framework *client;
    curator_semaphore *semaphore;
    assert_ok(curator_framework_open(&client, &options));
    assert_ok(curator_framework_await_connected(client, bound_ms(20000)));
    assert_ok(curator_semaphore_create(&semaphore, client, argv[2], 1));
    for (int i = 0; i < ROUNDS; i++) {
        run_round(semaphore);
    }
    assert_ok(curator_semaphore_destroy(semaphore));
    assert_ok(curator_framework_close(client));
    return 0;
}
