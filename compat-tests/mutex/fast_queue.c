/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits in a queue that is taken for a fast one, as long as it takes, and allows no retry: fast_queue CONNECT_STRING
 * PATH [full]. With `full`, others use up what a session may watch as soon as it waits.
 */
#include "locks/mutex.h"
#include "locks/watch_limits.h"
#include "scenario.h"

#include <pthread.h>

static void *fill_session(void *context)
{
    curator_framework *client = context;
    int64_t give_up_at = now_ms() + bound_ms(20000);
    for (bool filled = false; !filled;) {
        assert_that(now_ms() < give_up_at);
        nanosleep(&(struct timespec){.tv_nsec = 1000000},
                  NULL); /* before the next look: no event reports a new watch */
        pthread_mutex_lock(&client->client.mutex);
        struct session *session = client->client.connection.session;
        filled = session->watched_bytes > 0;
        session->watched_bytes += filled ? WATCH_WAITERS_BYTES : 0;
        pthread_mutex_unlock(&client->client.mutex);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    curator_framework *client;
    curator_retry_policy no_retry = curator_retry_n_times(0, 0);
    curator_framework_options options = {
        .connect_string = scenario_argument(argc, argv, 1), .session_timeout_ms = 40000, .retry_policy = &no_retry};
    assert_ok(curator_framework_open(&client, &options));
    assert_ok(curator_framework_await_connected(client, bound_ms(20000)));
    curator_mutex *mutex;
    assert_ok(curator_mutex_create(&mutex, client, scenario_argument(argc, argv, 2)));
    mutex->handoff_interval = 900000; /* nanoseconds; no other thread uses it yet */
    pthread_t filler;
    bool full = argc > 3 && strcmp(argv[3], "full") == 0;
    if (full) {
        assert_that(pthread_create(&filler, NULL, fill_session, client) == 0);
    }
    assert_ok(curator_mutex_acquire(mutex));
    if (full) {
        pthread_join(filler, NULL);
    }
    assert_ok(curator_mutex_release(mutex));
    assert_ok(curator_mutex_destroy(mutex));
    assert_ok(curator_framework_close(client));
    return 0;
}
