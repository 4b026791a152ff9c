/* SPDX-License-Identifier: Apache-2.0 */
/* Opening, closing, and asking a framework. */
#include "framework/framework.h"

#include "base/callback_thread.h"
#include "base/cancellation.h"
#include "base/error.h"
#include "base/fork.h"
#include "client/call.h"
#include "framework/framework_options.h"
#include "zk/reaper.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

curator_status framework_check(const curator_framework *framework, const char *caller)
{
    if (framework == NULL) {
        return fail(CURATOR_INVALID_ARGUMENT, "%s: the framework is NULL", caller);
    }
    if (framework->client.fork_generation != fork_generation()) {
        return fail(CURATOR_FORKED,
                    "%s: the framework belongs to the parent process; after fork() a child opens its own", caller);
    }
    return CURATOR_OK;
}

static _Thread_local int cancellation_before; /* a thread is in one framework at a time */

void framework_lock(curator_framework *framework)
{
    int before = cancellation_off();
    pthread_mutex_lock(&framework->client.mutex);
    cancellation_before = before;
}

void framework_unlock(curator_framework *framework)
{
    int before = cancellation_before;
    pthread_mutex_unlock(&framework->client.mutex);
    cancellation_restore(before);
}

void framework_ref(curator_framework *framework)
{
    framework->references++;
}

void framework_unref_and_unlock(curator_framework *framework)
{
    bool last = --framework->references == 0;
    framework_unlock(framework);
    if (last) {
        connection_state_free(&framework->connection);
        client_free(&framework->client);
        log_queue_free(&framework->log_queue); /* after what may log */
        framework_options_free(framework);
        free(framework);
    }
}

const struct ACL_vector *framework_acl(const curator_framework *framework)
{
    return framework->acl.count > 0 ? &framework->acl : &ZOO_OPEN_ACL_UNSAFE;
}

size_t framework_default_data_room(const curator_framework *framework)
{
    return framework->has_default_data ? framework->default_data_size : sizeof framework->client.host_address - 1;
}

const void *framework_default_data(const curator_framework *framework, size_t *size)
{
    if (framework->has_default_data) {
        *size = framework->default_data_size;
        return framework->default_data;
    }
    *size = strlen(framework->client.host_address);
    return framework->client.host_address;
}

static void on_session_changed(void *context, enum session_event event)
{
    curator_framework *framework = context;
    if (!framework->client.sessions.closing) {
        connection_state_event(&framework->connection, event);
    }
}

/* 0 or an errno value; *what could not be started then. */
static int start_client(curator_framework *framework, struct client_settings *settings, const char **what)
{
    struct client *client = &framework->client;
    *what = "the client";
    int rc = client_init(client, settings);
    if (rc == 0) {
        *what = "the thread for callbacks";
        rc = callbacks_start(&framework->callbacks, &client->mutex);
        if (rc == 0) {
            *what = "the look-up of this host's own address";
            rc = client_start(client); /* not before there is somebody to tell of a connection */
        }
        if (rc != 0) {
            bool lent;
            client_stop_calls(client);
            client_close(client, &lent);
            callbacks_stop(&framework->callbacks);
            *settings = client->settings; /* freed by the caller */
            client->settings = (struct client_settings){0};
            client_free(client);
        }
    }
    return rc;
}

static curator_status start(curator_framework *framework, struct client_settings *settings)
{
    settings->session_changed = on_session_changed;
    settings->context = framework;
    const char *what = "the thread for log lines";
    int rc = log_queue_start(&framework->log_queue, &settings->logger);
    if (rc == 0) {
        settings->logger = log_queue_logger(&framework->log_queue);
        rc = start_client(framework, settings, &what);
        if (rc != 0) {
            log_queue_stop(&framework->log_queue);
            log_queue_free(&framework->log_queue);
        }
    }
    if (rc != 0) {
        char why[128];
        return fail(rc == ENOMEM ? CURATOR_NO_MEMORY : CURATOR_ERROR,
                    "curator_framework_open: %s could not be started: %s", what, strerror_r(rc, why, sizeof why));
    }
    return CURATOR_OK;
}

curator_status curator_framework_open(curator_framework **out, const curator_framework_options *options)
{
    if (out == NULL) {
        return fail(CURATOR_INVALID_ARGUMENT, "curator_framework_open: the pointer for the framework is NULL");
    }
    *out = NULL;
    if (options == NULL) {
        return fail(CURATOR_INVALID_ARGUMENT, "curator_framework_open: options is NULL");
    }
    curator_framework *framework = calloc(1, sizeof *framework);
    if (framework == NULL) {
        return fail(CURATOR_NO_MEMORY, "curator_framework_open: no memory");
    }
    framework->references = 1;
    connection_state_init(&framework->connection, framework, &framework->callbacks);
    struct client_settings settings = {0};
    curator_status status = framework_options_read(framework, &settings, options);
    if (status == CURATOR_OK) {
        int before = cancellation_off();
        status = start(framework, &settings);
        cancellation_restore(before);
    }
    if (status != CURATOR_OK) {
        client_settings_free(&settings);
        connection_state_free(&framework->connection);
        framework_options_free(framework);
        free(framework);
        return status;
    }
    *out = framework;
    return CURATOR_OK;
}

static curator_status close_framework(curator_framework *framework, const char *caller)
{
    if (callback_thread_is_current() || callbacks_on_thread(&framework->callbacks)) {
        return fail(CURATOR_WOULD_DEADLOCK, "%s: called from a callback, for whose end it would have to wait", caller);
    }
    if (log_queue_on_thread(&framework->log_queue)) {
        return fail(CURATOR_WOULD_DEADLOCK, "%s: called from the logger, for whose end it would have to wait", caller);
    }
    framework_lock(framework);
    if (framework->closed) {
        framework_unlock(framework);
        return fail(CURATOR_CLOSED, "%s: closed before", caller);
    }
    framework->closed = true;
    framework_unlock(framework);

    client_stop_calls(&framework->client);
    bool lent = false;
    curator_status status = client_close(&framework->client, &lent);
    callbacks_stop(&framework->callbacks);
    log_queue_stop(&framework->log_queue); /* last, so that every line is delivered */
    if (lent) {                            /* its memory must stay: the lent handle's threads use it */
        return fail(CURATOR_ERROR, "%s: closed, but a borrowed handle was not returned and is left open", caller);
    }
    long long timeout = framework->client.settings.session_timeout_ms;
    framework_lock(framework);
    framework_unref_and_unlock(framework);
    if (status == CURATOR_CONNECTION_LOSS) {
        return fail(status,
                    "%s: closed, but the server could not be told: the session and its locks may linger for up to "
                    "%lld ms",
                    caller, timeout);
    }
    return status;
}

curator_status curator_framework_close(curator_framework *framework)
{
    curator_status status = framework_check(framework, __func__);
    if (status == CURATOR_OK) {
        int before = cancellation_off();
        status = close_framework(framework, __func__);
        cancellation_restore(before);
    }
    return status;
}

/* For the calls that only look: checks, and takes the mutex if CURATOR_OK. */
static curator_status enter(curator_framework *framework, const void *argument, const char *caller)
{
    curator_status status = framework_check(framework, caller);
    if (status != CURATOR_OK) {
        return status;
    }
    if (argument == NULL) {
        return fail(CURATOR_INVALID_ARGUMENT, "%s: an argument is NULL", caller);
    }
    framework_lock(framework);
    if (framework->closed) {
        framework_unlock(framework);
        return fail(CURATOR_CLOSED, "%s: the framework is closed", caller);
    }
    return CURATOR_OK;
}

curator_status curator_framework_await_connected(curator_framework *framework, int64_t timeout_ms)
{
    if (timeout_ms < 0) {
        return fail(CURATOR_INVALID_ARGUMENT, "%s: the timeout is negative: %lld ms", __func__, (long long)timeout_ms);
    }
    curator_status status = enter(framework, framework, __func__);
    if (status != CURATOR_OK) {
        return status;
    }
    struct client *client = &framework->client;
    struct call call;
    char servers[512];
    status = call_begin(&call, client, NULL, "await", "connected", clock_after(clock_now(), timeout_ms));
    if (status == CURATOR_OK) {
        call.waiting_for = "a connection";
        while (status == CURATOR_OK && connection_usable_session(&client->connection) == NULL) {
            if (client->sessions.auth_refused) {
                status = call_fail(&call, CURATOR_NO_AUTH, "the server refused the credentials of scheme \"%s\"",
                                   client->settings.auth_scheme);
                break;
            }
            status = call_wait(&call, NEVER);
            if (status == CURATOR_TIMED_OUT) {
                fail(status, "%s: not connected within %lld ms; tried %s", __func__, (long long)timeout_ms,
                     connection_servers_text(&client->connection, servers, sizeof servers));
            }
        }
        call_end(&call);
    }
    framework_unlock(framework);
    return status;
}

curator_status curator_framework_state(curator_framework *framework, curator_connection_state *state)
{
    curator_status status = enter(framework, state, __func__);
    if (status == CURATOR_OK) {
        *state = framework->connection.current;
        framework_unlock(framework);
    }
    return status;
}

curator_status curator_framework_session_timeout(curator_framework *framework, int64_t *timeout_ms)
{
    curator_status status = enter(framework, timeout_ms, __func__);
    if (status == CURATOR_OK) {
        const struct session *session = framework->client.connection.session;
        *timeout_ms = session != NULL ? session->timeout_ms : framework->client.settings.session_timeout_ms;
        framework_unlock(framework);
    }
    return status;
}

static curator_status enter_with_listener(curator_framework *framework, curator_connection_listener listener,
                                          const char *caller)
{
    if (listener == NULL) {
        return fail(CURATOR_INVALID_ARGUMENT, "%s: the listener is NULL", caller);
    }
    return enter(framework, framework, caller);
}

curator_status curator_framework_add_connection_listener(curator_framework *framework,
                                                         curator_connection_listener listener, void *context)
{
    curator_status status = enter_with_listener(framework, listener, __func__);
    if (status != CURATOR_OK) {
        return status;
    }
    if (connection_state_find(&framework->connection, listener, context) != NULL) {
        status = fail(CURATOR_INVALID_ARGUMENT, "%s: this listener was added before", __func__);
    } else if (!connection_state_add(&framework->connection, listener, context)) {
        status = fail(CURATOR_NO_MEMORY, "%s: no memory", __func__);
    }
    framework_unlock(framework);
    return status;
}

curator_status curator_framework_remove_connection_listener(curator_framework *framework,
                                                            curator_connection_listener listener, void *context)
{
    curator_status status = enter_with_listener(framework, listener, __func__);
    if (status != CURATOR_OK) {
        return status;
    }
    struct connection_listener *found = connection_state_find(&framework->connection, listener, context);
    if (found == NULL) {
        status = fail(CURATOR_INVALID_ARGUMENT, "%s: no such listener", __func__);
    } else if (callback_thread_is_current()) {
        status = fail(CURATOR_WOULD_DEADLOCK, "%s: called from a ZooKeeper callback", __func__);
    } else {
        DL_DELETE(framework->connection.listeners, found);
        free(found);
        callbacks_await_current(&framework->callbacks);
    }
    framework_unlock(framework);
    return status;
}

struct _zhandle *curator_framework_borrow_handle(curator_framework *framework)
{
    if (enter(framework, framework, __func__) != CURATOR_OK) {
        return NULL;
    }
    struct session *session = framework->client.connection.session;
    struct _zhandle *handle = session != NULL && !session_is_dead(session) ? session->handle : NULL;
    if (handle != NULL) {
        session->loans++;
    } else {
        fail(CURATOR_CONNECTION_LOSS, "%s: there is no live session to lend", __func__);
    }
    framework_unlock(framework);
    return handle;
}

curator_status curator_framework_return_handle(curator_framework *framework, struct _zhandle *handle)
{
    curator_status status = framework_check(framework, __func__);
    if (status != CURATOR_OK) {
        return status;
    }
    framework_lock(framework);
    bool found = false;
    struct session *session;
    DL_FOREACH (framework->client.sessions.all, session) {
        if (handle != NULL && session->handle == handle && session->loans > 0) {
            session->loans--;
            reaper_consider(session);
            pthread_cond_broadcast(&framework->client.quiet);
            found = true;
            break;
        }
    }
    framework_unlock(framework);
    return found ? CURATOR_OK : fail(CURATOR_INVALID_ARGUMENT, "%s: this handle is not lent", __func__);
}
