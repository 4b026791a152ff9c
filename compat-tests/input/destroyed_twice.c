/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is destroyed or closed a second time is recognised, without a look at its memory (run this under valgrind or
 * AddressSanitizer), and is not taken for something of a parent process.
 */
#include "scenario.h"

int main(int argc, char **argv)
{
    const char *connect_string = scenario_argument(argc, argv, 1);
    curator_framework *client = NULL;
    curator_mutex *mutex = NULL;
    curator_read_write_lock *lock = NULL;
    assert_ok(curator_framework_open(&client, &(curator_framework_options){.connect_string = connect_string}));
    assert_ok(curator_mutex_create(&mutex, client, "/a"));
    assert_ok(curator_read_write_lock_create(&lock, client, "/b"));
    curator_mutex *side = curator_read_write_lock_read(lock);

    assert_ok(curator_mutex_destroy(mutex));
    assert_status(CURATOR_INVALID_ARGUMENT, curator_mutex_destroy(mutex));
    assert_error_mentions("curator_mutex_destroy: there is no mutex at this address");
    assert_ok(curator_read_write_lock_destroy(lock));
    assert_status(CURATOR_INVALID_ARGUMENT, curator_read_write_lock_destroy(lock));
    assert_error_mentions("there is no lock at this address");
    assert_status(CURATOR_INVALID_ARGUMENT, curator_mutex_destroy(side));
    assert_error_mentions("there is no mutex at this address");

    assert_ok(curator_mutex_create(&mutex, client, "/a"));
    assert_ok(curator_framework_close(client));
    assert_status(CURATOR_CLOSED, curator_framework_close(client)); /* the mutex needs its memory */
    assert_ok(curator_mutex_destroy(mutex));
    assert_status(CURATOR_INVALID_ARGUMENT, curator_framework_close(client));
    assert_error_mentions("curator_framework_close: there is no framework at this address");
    return 0;
}
