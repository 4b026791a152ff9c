/* SPDX-License-Identifier: Apache-2.0 */
/* The contender that is this library. */
#include "contender.h"
#include "contention.h"

#include <curator/curator.h>

#define CONNECT_MS 20000
#define CONTENTION_CONNECT_MS 60000

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

static void release_at_once(void)
{
    curator_status status = curator_mutex_release_for(mutex, 0);
    if (status != CURATOR_RELEASE_PENDING) {
        expect_ok("release", status); /* of a lock acquired several times */
    }
}

static void close_library(void)
{
    expect_ok("destroy", curator_mutex_destroy(mutex));
    expect_ok("close", curator_framework_close(framework));
}

static void *open_session(const char *connect_string)
{
    curator_framework_options options = {.connect_string = connect_string};
    curator_framework *session;
    expect_ok("open", curator_framework_open(&session, &options));
    return session;
}

static void await_connected(void *session)
{
    expect_ok("connect", curator_framework_await_connected(session, CONTENTION_CONNECT_MS));
}

static void close_session(void *session)
{
    expect_ok("close", curator_framework_close(session));
}

static void *create(void *session, const char *path)
{
    curator_mutex *lock;
    expect_ok("create", curator_mutex_create(&lock, session, path));
    return lock;
}

static void acquire_lock(void *lock)
{
    expect_ok("acquire", curator_mutex_acquire(lock));
}

static void release_lock(void *lock)
{
    expect_ok("release", curator_mutex_release(lock));
}

static void destroy(void *lock)
{
    expect_ok("destroy", curator_mutex_destroy(lock));
}

static const struct lock_kind locks = {open_session, await_connected, close_session, create,
                                       acquire_lock, release_lock,    destroy};
const struct contender library = {"library", open_library, acquire, release, close_library, &locks};
const struct contender library_pending = {"pending", open_library, acquire, release_at_once, close_library, NULL};
