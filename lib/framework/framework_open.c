/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and closing a framework. */
#include "base/callback_thread.h"
#include "base/cancellation.h"
#include "base/error.h"
#include "framework/framework.h"
#include "framework/state_report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void framework_on_session(void *context, enum session_event event)
{
    curator_framework *framework = context;
    if (!framework->client.sessions.closing) {
        curator_connection_state before = framework->connection.current;
        connection_state_event(&framework->connection, event);
        if (framework->connection.current != before) {
            state_report(framework, before, event);
        }
    }
}

static bool framework_callbacks_are_idle(const void *context)
{
    const curator_framework *framework = context;
    return callbacks_are_idle(&framework->callbacks);
}

/* 0 or an errno value; *what could not be started then. */
static int start_client(curator_framework *framework, struct client_settings *settings, const char **what)
{
    struct client *client = &framework->client;
    *what = "the client";
    int rc = client_init(client, settings);
    if (rc == 0) {
        *what = "the thread for callbacks";
        rc = callbacks_start(&framework->callbacks, &client->mutex, &client->quiet);
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

static curator_status start_framework(curator_framework *framework, struct client_settings *settings)
{
    settings->session_changed = framework_on_session;
    settings->callbacks_are_idle = framework_callbacks_are_idle;
    settings->context = framework;
    const char *what = "the thread for log lines";
    int rc = log_queue_start(&framework->log_queue, &settings->logger, &settings->tracer);
    if (rc == 0) {
        settings->logger = log_queue_logger(&framework->log_queue);
        settings->tracer = log_queue_tracer(&framework->log_queue);
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
    curator_status status = framework_options_read(&framework->options, &settings, options);
    status = status == CURATOR_OK ? CURATOR_OK : fail_in(__func__, status);
    if (status == CURATOR_OK && options->connection_listener != NULL &&
        !connection_state_add(&framework->connection, options->connection_listener,
                              options->connection_listener_context)) {
        status = fail(CURATOR_NO_MEMORY, "curator_framework_open: no memory");
    }
    if (status == CURATOR_OK && !live_object_add(&framework->live, framework)) {
        status = fail(CURATOR_NO_MEMORY, "%s: no memory", __func__);
    }
    if (status == CURATOR_OK) {
        int before = cancellation_off();
        status = start_framework(framework, &settings);
        cancellation_restore(before);
    }
    if (status != CURATOR_OK) {
        client_settings_free(&settings);
        connection_state_free(&framework->connection);
        framework_options_free(&framework->options);
        live_object_remove(&framework->live);
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
        return fail(CURATOR_WOULD_DEADLOCK,
                    "%s: called from the logger or the tracer, for whose end it would have to wait", caller);
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
    if (framework != NULL && !live_object_at(framework)) {
        return fail(CURATOR_INVALID_ARGUMENT, "%s: there is no framework at this address; was it closed before?",
                    __func__);
    }
    curator_status status = framework_check(framework, __func__);
    if (status == CURATOR_OK) {
        int before = cancellation_off();
        status = close_framework(framework, __func__);
        cancellation_restore(before);
    }
    return status;
}
