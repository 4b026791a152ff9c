/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frameworks come and go, many times in a row: after use, before they are connected, with names to look up, with a
 * resolver that does not answer. Closing waits for no look-up, and no thread and no descriptor is left.
 */
#include "scenario.h"

#include "own_names.h"
#include <dirent.h>

#define ROUNDS 200
#define SLOW_ROUNDS 20
#define CLOSE_MS 5000 /* the promise; a close that waited for a look-up would take longer */
#define LOOK_UP_MS 6000
#define NOTHING_LEFT_MS 30000

static int entries(const char *path)
{
    int count = 0;
    DIR *directory = opendir(path);
    assert_that(directory != NULL);
    while (readdir(directory) != NULL) {
        count++;
    }
    closedir(directory);
    return count;
}

struct in_use {
    int threads;
    int descriptors;
};

static struct in_use in_use_now(void)
{
    return (struct in_use){.threads = entries("/proc/self/task"), .descriptors = entries("/proc/self/fd")};
}

/* A thread that has been joined may still be listed for a moment. */
static void assert_nothing_left(struct in_use before)
{
    int64_t deadline = now_ms() + bound_ms(NOTHING_LEFT_MS);
    struct in_use now = in_use_now();
    while ((now.threads > before.threads || now.descriptors > before.descriptors) && now_ms() < deadline) {
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
        now = in_use_now();
    }
    assert_that(now.threads <= before.threads);
    assert_that(now.descriptors <= before.descriptors);
}

static curator_framework *opened(const char *connect_string)
{
    curator_framework *client = NULL;
    assert_ok(curator_framework_open(&client, &(curator_framework_options){.connect_string = connect_string}));
    return client;
}

static void close_in_time(curator_framework *client)
{
    int64_t began = now_ms();
    curator_status status = curator_framework_close(client);
    assert_that(status == CURATOR_OK || status == CURATOR_CONNECTION_LOSS);
    assert_that(now_ms() - began < bound_ms(CLOSE_MS));
}

static void use_and_close(const char *connect_string, const char *path, bool release)
{
    curator_framework *client = opened(connect_string);
    curator_mutex *mutex = NULL;
    assert_ok(curator_mutex_create(&mutex, client, path));
    assert_ok(curator_mutex_acquire_for(mutex, bound_ms(10000)));
    if (release) {
        assert_ok(curator_mutex_release(mutex));
    }
    int64_t began = now_ms();
    assert_ok(curator_framework_close(client));
    assert_that(now_ms() - began < bound_ms(CLOSE_MS));
    assert_ok(curator_mutex_destroy(mutex));
}

/* From the moment of the opening on, a little later each time, so that every step of connecting is met. */
static void open_and_close(const char *connect_string, int round)
{
    curator_framework *client = opened(connect_string);
    nanosleep(&(struct timespec){.tv_nsec = round % 20 * 100000L}, NULL);
    close_in_time(client);
}

int main(int argc, char **argv)
{
    const char *connect_string = scenario_argument(argc, argv, 1);
    const char *path = scenario_argument(argc, argv, 2);
    char named[256];
    snprintf(named, sizeof named, "localhost%s", strrchr(connect_string, ':'));
    use_and_close(connect_string, path, true); /* what the first use allocates for good */
    use_and_close(named, path, true);
    struct in_use before = in_use_now();
    for (int i = 0; i < ROUNDS; i++) {
        use_and_close(connect_string, path, i % 2 == 0);
    }
    assert_nothing_left(before);
    for (int i = 0; i < ROUNDS; i++) {
        open_and_close(connect_string, i);
    }
    assert_nothing_left(before);
    for (int i = 0; i < ROUNDS; i++) {
        open_and_close(named, i);
    }
    assert_nothing_left(before);
    for (int slow_own = 0; slow_own < 2; slow_own++) {
        atomic_store(slow_own != 0 ? &look_up_ms : &other_look_up_ms, (int)bound_ms(LOOK_UP_MS));
        for (int i = 0; i < SLOW_ROUNDS; i++) {
            open_and_close(named, i);
        }
        assert_nothing_left(before);
    }
    return 0;
}
