/* SPDX-License-Identifier: Apache-2.0 */
/* Waits in a queue that is said to move fast, for as long as it takes, and allows no retry. */
#include "locks/mutex.h"
#include "scenario.h"

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
    mutex->pace = 900000; /* nanoseconds; nobody else uses it yet */
    assert_ok(curator_mutex_acquire(mutex));
    assert_ok(curator_mutex_release(mutex));
    assert_ok(curator_mutex_destroy(mutex));
    assert_ok(curator_framework_close(client));
    return 0;
}
