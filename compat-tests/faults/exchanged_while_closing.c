/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread exchanges the servers again and again while another one closes the framework, at another moment each time.
 * The lock is free after each close. The arguments are two ways to one server, and a path.
 */
#include "scenario.h"

#include <pthread.h>

#define ROUNDS 40
#define FREE_MS 3000

struct exchanging {
    curator_framework *client;
    const char *servers[2];
    unsigned times;
};

static void *exchange(void *context)
{
    struct exchanging *exchanging = context;
    curator_status status = CURATOR_OK;
    while (status == CURATOR_OK) {
        status = curator_framework_set_servers(exchanging->client, exchanging->servers[++exchanging->times % 2]);
        nanosleep(&(struct timespec){.tv_nsec = 300000}, NULL);
    }
    assert_that(status == CURATOR_CLOSED);
    return NULL;
}

static void close_meanwhile(struct exchanging *exchanging, const char *path, int round)
{
    curator_mutex *mutex = NULL;
    pthread_t thread;
    exchanging->client = connected_client(exchanging->servers[round % 2]);
    assert_ok(curator_mutex_create(&mutex, exchanging->client, path));
    assert_ok(curator_mutex_acquire(mutex));
    assert_that(pthread_create(&thread, NULL, exchange, exchanging) == 0);
    nanosleep(&(struct timespec){.tv_nsec = round * 500000}, NULL);
    assert_ok(curator_framework_close(exchanging->client));
    pthread_join(thread, NULL);
    assert_ok(curator_mutex_destroy(mutex));
}

int main(int argc, char **argv)
{
    struct exchanging exchanging = {.servers = {scenario_argument(argc, argv, 1), scenario_argument(argc, argv, 2)}};
    const char *path = scenario_argument(argc, argv, 3);
    curator_framework *other = connected_client(exchanging.servers[0]);
    curator_mutex *wanted = NULL;
    assert_ok(curator_mutex_create(&wanted, other, path));
    for (int round = 0; round < ROUNDS; round++) {
        close_meanwhile(&exchanging, path, round);
        assert_ok(curator_mutex_acquire_for(wanted, bound_ms(FREE_MS)));
        assert_ok(curator_mutex_release(wanted));
    }
    assert_that(exchanging.times > ROUNDS);
    assert_ok(curator_mutex_destroy(wanted));
    assert_ok(curator_framework_close(other));
    return 0;
}
