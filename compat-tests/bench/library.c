/* SPDX-License-Identifier: Apache-2.0 */
/* The contender that is this library. */
#include "contender.h"

#include <curator/curator.h>

#define CONNECT_MS 20000

static curator_framework *framework;
static curator_mutex *mutex;

void expect_ok(const char *what, curator_status status)
{
    if (status != CURATOR_OK) {
        give_up("%s: %s: %s", what, curator_status_string(status), curator_last_error());
    }
}

struct curator_framework *library_session(void)
{
    return framework;
}

static void open_library(const char *connect_string, const char *path)
{
    curator_framework_options options = {.connect_string = connect_string};
    expect_ok("open", curator_framework_open(&framework, &options));
    expect_ok("connect", curator_framework_await_connected(framework, CONNECT_MS));
    expect_ok("create", curator_mutex_create(&mutex, framework, path));
}

static void acquire(void)
{
    expect_ok("acquire", curator_mutex_acquire(mutex));
}

static void release(void)
{
    expect_ok("release", curator_mutex_release(mutex));
}

static void close_library(void)
{
    expect_ok("destroy", curator_mutex_destroy(mutex));
    expect_ok("close", curator_framework_close(framework));
}

const struct contender library = {"library", open_library, acquire, release, close_library};
