/* SPDX-License-Identifier: Apache-2.0 */
/* The mutex object: made, acquired, released, ended. */
#include "locks/mutex.h"

#include "base/callback_thread.h"
#include "base/container_of.h"
#include "base/error.h"
#include "base/path.h"
#include "client/call.h"
#include "framework/namespace.h"
#include "framework/node_size.h"
#include "locks/lock_internals.h"
#include "locks/revocation.h"
#include "zk/request_size.h"
#include "zk/result_code.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

curator_status mutex_enter(const curator_mutex *mutex, const char *caller)
{
    if (mutex == NULL) {
        return fail(CURATOR_INVALID_ARGUMENT, "%s: the mutex is NULL", caller);
    }
    curator_status status = framework_check(mutex->framework, caller);
    if (status != CURATOR_OK) {
        return status;
    }
    framework_lock(mutex->framework);
    if (mutex->destroyed) { /* by a thread that waits for a callback of ours to end, in which this is called */
        status = fail(CURATOR_CLOSED, "%s %s: the mutex is being destroyed", caller, mutex->path);
        framework_unlock(mutex->framework);
        return status;
    }
    return CURATOR_OK;
}

curator_status mutex_enter_open(const curator_mutex *mutex, const char *caller)
{
    curator_status status = mutex_enter(mutex, caller);
    if (status == CURATOR_OK && mutex->framework->closed) {
        status = fail(CURATOR_CLOSED, "%s %s: the framework is closed", caller, mutex->path);
        framework_unlock(mutex->framework);
    }
    return status;
}

/* For calls that wait for a server. */
static curator_status enter_blocking(const curator_mutex *mutex, const char *caller)
{
    curator_status status = mutex_enter_open(mutex, caller);
    if (status == CURATOR_OK && callback_thread_is_current()) {
        status =
            fail(CURATOR_WOULD_DEADLOCK,
                 "%s %s: called from a ZooKeeper callback, whose thread has to bring the answer", caller, mutex->path);
        framework_unlock(mutex->framework);
    }
    return status;
}

static void deliver_loss(struct callback *callback, pthread_mutex_t *lock)
{
    curator_mutex *mutex = container_of(callback, curator_mutex, lost_callback);
    void (*fn)(curator_mutex *, void *) = mutex->on_lost;
    void *context = mutex->on_lost_context;
    mutex->losses--;
    if (mutex->losses > 0) {
        callbacks_queue(&mutex->framework->callbacks, callback);
    }
    pthread_mutex_unlock(lock);
    if (fn != NULL) {
        fn(mutex, context); /* which may destroy the mutex */
    }
    pthread_mutex_lock(lock);
}

void mutex_lost(curator_mutex *mutex)
{
    if (mutex->on_lost != NULL) {
        mutex->losses++;
        callbacks_queue(&mutex->framework->callbacks, &mutex->lost_callback);
    }
}

static curator_status check_arguments(curator_mutex **out, curator_framework *framework, const char *path,
                                      const void *data, size_t size)
{
    const char *caller = "curator_mutex_create";
    if (out == NULL) {
        return fail(CURATOR_INVALID_ARGUMENT, "%s: the pointer for the mutex is NULL", caller);
    }
    *out = NULL;
    curator_status status = framework_check(framework, caller);
    if (status == CURATOR_OK) {
        status = path_validate(path);
    }
    if (status != CURATOR_OK) {
        return status;
    }
    if (strcmp(path, "/") == 0) {
        return fail(CURATOR_INVALID_ARGUMENT, "%s: no lock can be taken on the root path \"/\"", caller);
    }
    if (data == NULL && size > 0) {
        return fail(CURATOR_INVALID_ARGUMENT, "%s %s: data is NULL, but its size is %zu", caller, path, size);
    }
    return CURATOR_OK;
}

static curator_status check_size(const curator_framework *framework, const char *path, const struct lock_driver *driver,
                                 bool has_data, size_t data_size)
{
    struct node_size size = node_size_below(framework->client.settings.servers, framework->name_space);
    size.path = strlen(path);
    size.name = lock_driver_name_room(driver);
    size.data = has_data ? data_size : framework_default_data_room(framework);
    size.acl = request_size_acl(framework_acl(framework));
    return node_size_check(&size, "curator_mutex_create");
}

static void mutex_free(curator_mutex *mutex)
{
    free(mutex->path);
    free(mutex->full_path);
    free(mutex->data);
    free(mutex);
}

static curator_mutex *mutex_new(const curator_framework *framework, const char *path, const struct lock_driver *driver,
                                const void *data, size_t size)
{
    curator_mutex *mutex = calloc(1, sizeof *mutex);
    if (mutex == NULL) {
        return NULL;
    }
    mutex->path = strdup(path);
    mutex->full_path = namespace_fix(framework->name_space, path);
    mutex->driver = driver;
    mutex->data = size > 0 ? malloc(size) : NULL;
    mutex->data_size = size;
    mutex->lost_callback.deliver = deliver_loss;
    revocation_init(mutex);
    if (mutex->path == NULL || mutex->full_path == NULL || (size > 0 && mutex->data == NULL)) {
        mutex_free(mutex);
        return NULL;
    }
    if (size > 0) {
        memcpy(mutex->data, data, size);
    }
    return mutex;
}

curator_status mutex_new_open(curator_mutex **out, curator_framework *framework, const char *path,
                              const struct lock_driver *driver, bool has_data, const void *data, size_t size)
{
    curator_status status = check_arguments(out, framework, path, data, size);
    if (status == CURATOR_OK) {
        status = check_size(framework, path, driver, has_data, size);
    }
    if (status != CURATOR_OK) {
        return status;
    }
    curator_mutex *mutex = mutex_new(framework, path, driver, data, size);
    if (mutex == NULL) {
        return fail(CURATOR_NO_MEMORY, "curator_mutex_create %s: no memory", path);
    }
    mutex->has_data = has_data;
    framework_lock(framework);
    bool closed = framework->closed;
    if (!closed) {
        mutex->framework = framework;
        framework_ref(framework);
    }
    framework_unlock(framework);
    if (closed) {
        mutex_free(mutex);
        return fail(CURATOR_CLOSED, "curator_mutex_create %s: the framework is closed", path);
    }
    *out = mutex;
    return CURATOR_OK;
}

void mutex_discard(curator_mutex *mutex)
{
    framework_lock(mutex->framework);
    framework_unref_and_unlock(mutex->framework);
    mutex_free(mutex);
}

curator_status curator_mutex_create(curator_mutex **mutex, curator_framework *framework, const char *path)
{
    return mutex_new_open(mutex, framework, path, &lock_driver_mutex, false, NULL, 0);
}

curator_status curator_mutex_create_with_data(curator_mutex **mutex, curator_framework *framework, const char *path,
                                              const void *data, size_t size)
{
    return mutex_new_open(mutex, framework, path, &lock_driver_mutex, true, data, size);
}

curator_status mutex_destroy(curator_mutex *mutex, const char *caller)
{
    curator_status status = mutex_enter(mutex, caller);
    if (status != CURATOR_OK) {
        return status;
    }
    curator_framework *framework = mutex->framework;
    if (callback_thread_is_current()) {
        status = fail(CURATOR_WOULD_DEADLOCK, "%s %s: called from a ZooKeeper callback", caller, mutex->path);
        framework_unlock(framework);
        return status;
    }
    mutex->destroyed = true;
    mutex->on_lost = NULL; /* so that nothing is queued from here on */
    mutex->on_revoke = NULL;
    call_close_all(&framework->client, mutex);
    callbacks_withdraw(&framework->callbacks, &mutex->lost_callback);
    callbacks_withdraw(&framework->callbacks, &mutex->revoke_callback);
    while (call_any(&framework->client, mutex)) {
        pthread_cond_wait(&framework->client.quiet, &framework->client.mutex);
    }
    struct lock_data *lock_data, *next;
    HASH_ITER (hh, mutex->lock_data_by_thread, lock_data, next) {
        protected_node_discard(lock_data_remove(lock_data));
    }
    framework_unref_and_unlock(framework);
    mutex_free(mutex);
    return CURATOR_OK;
}

curator_status curator_mutex_destroy(curator_mutex *mutex)
{
    if (mutex != NULL && mutex->other_side != NULL) {
        return fail(CURATOR_INVALID_ARGUMENT, "%s %s: a side of a read-write lock is destroyed with the lock", __func__,
                    mutex->path);
    }
    return mutex_destroy(mutex, __func__);
}

/* A thread that holds the lock gets it again without a request. */
static curator_status acquire_again(const curator_mutex *mutex, struct lock_data *lock_data)
{
    if (lock_data_is_lost(lock_data)) {
        return fail(CURATOR_LOCK_LOST,
                    "acquire %s: this thread held the lock and lost it; release it before it is "
                    "acquired anew",
                    mutex->path);
    }
    if (lock_data->count == INT_MAX) {
        return fail(CURATOR_ERROR, "acquire %s: acquired %d times by this thread", mutex->path, lock_data->count);
    }
    lock_data->count++;
    return CURATOR_OK;
}

static curator_status acquire_anew(curator_mutex *mutex, struct call *call, bool once)
{
    struct lock_data *lock_data = malloc(sizeof *lock_data);
    if (lock_data == NULL) {
        return call_fail(call, CURATOR_NO_MEMORY, "no memory");
    }
    struct protected_node *node = NULL;
    bool watched = false;
    curator_status status = lock_internals_acquire(mutex, call, once, &node, &watched);
    if (status == CURATOR_OK && !lock_data_init(lock_data, mutex, node, watched)) {
        protected_node_discard(node);
        status = call_fail(call, CURATOR_NO_MEMORY, "no memory");
    }
    if (status != CURATOR_OK) {
        free(lock_data);
    }
    return status;
}

/* A reader that asks for the write lock waits for itself: with a deadline that ends, as Curator's does; without, never.
 */
static curator_status check_upgrade(const curator_mutex *mutex)
{
    const curator_mutex *read_side = mutex->driver == &lock_driver_write ? mutex->other_side : NULL;
    struct lock_data *reading = read_side != NULL ? lock_data_of_current_thread(read_side) : NULL;
    if (reading == NULL || lock_data_is_lost(reading)) {
        return CURATOR_OK;
    }
    return fail(CURATOR_WOULD_DEADLOCK,
                "acquire %s: this thread holds the read lock, for whose release the write lock would wait",
                mutex->path);
}

static curator_status acquire(curator_mutex *mutex, const char *caller, int64_t timeout_ms, bool once)
{
    curator_status status = enter_blocking(mutex, caller);
    if (status != CURATOR_OK) {
        return status;
    }
    struct lock_data *lock_data = lock_data_of_current_thread(mutex);
    if (lock_data != NULL) {
        status = acquire_again(mutex, lock_data);
    } else if (timeout_ms == NEVER) {
        status = check_upgrade(mutex);
    }
    if (lock_data == NULL && status == CURATOR_OK) {
        struct call call;
        int64_t deadline = timeout_ms == NEVER ? NEVER : clock_after(clock_now(), timeout_ms);
        status = call_begin(&call, &mutex->framework->client, mutex, "acquire", mutex->path, deadline);
        if (status == CURATOR_OK) {
            call.at_deadline = once ? CURATOR_CONNECTION_LOSS : CURATOR_TIMED_OUT;
            status = acquire_anew(mutex, &call, once);
            call_end(&call);
        }
    }
    framework_unlock(mutex->framework);
    return status;
}

curator_status curator_mutex_acquire(curator_mutex *mutex)
{
    return acquire(mutex, __func__, NEVER, false);
}

curator_status curator_mutex_acquire_for(curator_mutex *mutex, int64_t timeout_ms)
{
    if (timeout_ms < 0) {
        return fail(CURATOR_INVALID_ARGUMENT, "%s: the timeout is negative: %lld ms", __func__, (long long)timeout_ms);
    }
    if (timeout_ms == 0 && mutex != NULL) {
        return acquire(mutex, __func__, mutex->framework->client.settings.connection_timeout_ms, true);
    }
    return acquire(mutex, __func__, timeout_ms, false);
}

/* What became of the node that the last release gave up. */
static curator_status judge_release(const struct call *call, const struct protected_node *node, bool gone)
{
    const struct session *session = node->session;
    bool by_our_clock = session_is_dead(session) && !session_over_on_server(session) && session->death != ZCLOSING;
    bool closed = gone ? session->death == ZCLOSING : call->client->sessions.closing;
    if (!gone || node->ended_with_session) {
        if (closed) {
            return call_fail(call, CURATOR_CLOSED, "the framework was closed; the node goes with its session");
        }
        if (!gone || by_our_clock) {
            return call_fail(call, CURATOR_RELEASE_PENDING,
                             "given up, but the delete of %s is not confirmed yet and goes on in the background",
                             node->path);
        }
        return call_fail(call, CURATOR_LOCK_LOST,
                         "its session has ended, perhaps before the release: the delete of %s was not confirmed",
                         node->path);
    }
    if (node->refused != ZOK) {
        return call_fail_request(call, "delete", node->path, node->refused);
    }
    if (node->was_missing) {
        return call_fail(call, CURATOR_LOCK_LOST, "somebody had deleted its node %s", node->path);
    }
    return CURATOR_OK;
}

static curator_status release_last(curator_mutex *mutex, struct lock_data *lock_data)
{
    struct client *client = &mutex->framework->client;
    struct call call;
    int64_t deadline = clock_after(clock_now(), client->settings.connection_timeout_ms);
    curator_status status = call_begin(&call, client, mutex, "release", mutex->path, deadline);
    if (status != CURATOR_OK) {
        return status;
    }
    bool lost = lock_data_is_lost(lock_data);
    struct protected_node *node = lock_data_remove(lock_data);
    protected_node_ref(node);
    protected_node_discard(node);
    if (lost) {
        status = call_fail(&call, CURATOR_LOCK_LOST, "the lock was lost while it was held");
    } else {
        status = judge_release(&call, node, protected_node_await_gone(node, &call, deadline));
    }
    protected_node_unref(node);
    call_end(&call);
    return status;
}

curator_status curator_mutex_release(curator_mutex *mutex)
{
    curator_status status = enter_blocking(mutex, __func__);
    if (status != CURATOR_OK) {
        return status;
    }
    struct lock_data *lock_data = lock_data_of_current_thread(mutex);
    if (lock_data == NULL) {
        status = fail(CURATOR_NOT_OWNER, "release %s: the calling thread does not hold the lock", mutex->path);
    } else if (lock_data->count > 1) {
        lock_data->count--;
        if (lock_data_is_lost(lock_data)) {
            status = fail(CURATOR_LOCK_LOST, "release %s: the lock was lost while it was held", mutex->path);
        }
    } else {
        status = release_last(mutex, lock_data);
    }
    framework_unlock(mutex->framework);
    return status;
}

curator_status curator_mutex_interrupt(curator_mutex *mutex)
{
    curator_status status = mutex_enter_open(mutex, __func__);
    if (status == CURATOR_OK) {
        call_interrupt_all(&mutex->framework->client, mutex);
        framework_unlock(mutex->framework);
    }
    return status;
}

curator_status curator_mutex_on_lost(curator_mutex *mutex, void (*fn)(curator_mutex *, void *), void *context)
{
    curator_status status = mutex_enter_open(mutex, __func__);
    if (status == CURATOR_OK) {
        mutex->on_lost = fn;
        mutex->on_lost_context = context;
        framework_unlock(mutex->framework);
    }
    return status;
}
