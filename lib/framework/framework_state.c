/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a framework, its session timeout, and its listeners. */
#include "base/callback_thread.h"
#include "base/error.h"
#include "framework/chroot.h"
#include "framework/framework.h"

#include <stdlib.h>
#include <utlist.h>

/* Unlike call_await_session(): until the deadline of the call, whatever the retry policy says. */
static curator_status await_session(struct call *call)
{
    const struct client *client = call->client;
    curator_status status = CURATOR_OK;
    call->waiting_for = "a connection";
    while (status == CURATOR_OK && connection_usable_session(&client->connection) == NULL) {
        status = client->sessions.auth_refused ? call_fail_credentials(call) : call_wait(call, NEVER);
    }
    return status;
}

curator_status curator_framework_await_connected(curator_framework *framework, int64_t timeout_ms)
{
    if (timeout_ms < 0) {
        return fail(CURATOR_INVALID_ARGUMENT, "%s: the timeout is negative: %lld ms", __func__, (long long)timeout_ms);
    }
    curator_status status = framework_enter(framework, framework, __func__);
    if (status != CURATOR_OK) {
        return status;
    }
    struct call call;
    status = call_begin(&call, &framework->client, NULL, __func__, NULL, clock_after(clock_now(), timeout_ms));
    if (status == CURATOR_OK) {
        status = await_session(&call);
        if (status == CURATOR_OK && timeout_ms > 0) {
            status = chroot_await(framework, &call);
        }
        call_end(&call);
    }
    framework_unlock(framework);
    return status;
}

curator_status curator_framework_state(curator_framework *framework, curator_connection_state *state)
{
    curator_status status = framework_enter(framework, state, __func__);
    if (status == CURATOR_OK) {
        *state = framework->connection.current;
        framework_unlock(framework);
    }
    return status;
}

int64_t framework_session_timeout_ms(const curator_framework *framework)
{
    const struct session *session = framework->client.connection.session;
    return session != NULL ? session->timeout_ms : framework->client.settings.session_timeout_ms;
}

curator_status curator_framework_session_timeout(curator_framework *framework, int64_t *timeout_ms)
{
    curator_status status = framework_enter(framework, timeout_ms, __func__);
    if (status == CURATOR_OK) {
        *timeout_ms = framework_session_timeout_ms(framework);
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
    return framework_enter(framework, framework, caller);
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
