/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waiting for a lock no longer than you want to: while one client holds it, another tries once, then waits a second,
 * and gets it only after the release. Usage: timed_acquire [host:port,...]
 */
#include <curator/curator.h>
#include <stdio.h>
#include <stdlib.h>

#define LOCK_PATH "/examples/timed_acquire"

struct client {
    curator_framework *framework;
    curator_mutex *mutex;
};

static void check(const char *what, curator_status status)
{
    if (status != CURATOR_OK) {
        fprintf(stderr, "%s: %s (%s)\n", what, curator_last_error(), curator_status_string(status));
        exit(EXIT_FAILURE);
    }
}

static struct client open_client(const char *servers)
{
    struct client client;
    check("open", curator_framework_open(&client.framework, &(curator_framework_options){.connect_string = servers}));
    check("create", curator_mutex_create(&client.mutex, client.framework, LOCK_PATH));
    return client;
}

static void close_client(struct client client)
{
    check("destroy", curator_mutex_destroy(client.mutex));
    check("close", curator_framework_close(client.framework));
}

/* Being too late is an answer, not a failure: only other statuses end the program. */
static bool try_to_acquire(curator_mutex *mutex, int64_t timeout_ms)
{
    curator_status status = curator_mutex_acquire_for(mutex, timeout_ms);
    if (status == CURATOR_TIMED_OUT) {
        printf("Bob, willing to wait %lld ms: no. %s\n", (long long)timeout_ms, curator_last_error());
        return false;
    }
    check("acquire", status);
    printf("Bob, willing to wait %lld ms: got it.\n", (long long)timeout_ms);
    return true;
}

int main(int argc, char **argv)
{
    const char *servers = argc > 1 ? argv[1] : "127.0.0.1:2181";
    struct client alice = open_client(servers);
    struct client bob = open_client(servers);

    check("acquire", curator_mutex_acquire(alice.mutex));
    printf("Alice holds the lock.\n");
    bool too_early = try_to_acquire(bob.mutex, 0) || try_to_acquire(bob.mutex, 1000);

    check("release", curator_mutex_release(alice.mutex));
    printf("Alice has released it.\n");
    bool in_time = try_to_acquire(bob.mutex, 1000);
    if (in_time) {
        check("release", curator_mutex_release(bob.mutex));
    }

    close_client(bob);
    close_client(alice);
    return !too_early && in_time ? EXIT_SUCCESS : EXIT_FAILURE;
}
