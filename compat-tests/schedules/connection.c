/* SPDX-License-Identifier: Apache-2.0 */
/* The client's I/O thread: what it receives, and how the connection breaks and comes back. */
#include "handle_parts.h"

#include "draw.h"
#include "task.h"

#include <stdlib.h>
#include <string.h>

static void receive(zhandle_t *handle)
{
    struct message message = *queue_take(&handle->wire);
    handle->received = time_now();
    if (message.kind == ANSWER) {
        const struct sent_request *request = message.request;
        handle->last_zxid = message.zxid;
        if (request->operation == GET && request->rc == ZOK) {
            watch_set(&handle->set, request->path, request->watcher, request->watcher_context);
        }
    } else {
        const struct watch *watch = watch_find(&handle->set, message.path);
        if (watch == NULL) {
            return;
        }
        message.request = calloc(1, sizeof *message.request);
        message.request->watcher = watch->fn;
        message.request->watcher_context = watch->context;
        watch_drop(&handle->set, message.path);
    }
    *hand_over(handle, message.kind) = message;
}

bool handle_receive(zhandle_t *handle)
{
    if (handle->wire.count > 0 && !handle->to_client_stalled) {
        receive(handle);
        return true;
    }
    return handle->wire.count == 0 && handle->over_on_server && handle_disconnect(handle, ZCONNECTIONLOSS);
}

static void keep_ghosts(zhandle_t *handle)
{
    bool passed_on = true;
    for (size_t i = 0; i < handle->request_count; i++) {
        struct sent_request *request = handle->requests[i];
        passed_on = passed_on && !draw_once_in(3);
        if (request->on_wire && asks_leader(request) && !request->executed && passed_on && !handle->to_server_stalled) {
            struct sent_request *ghost = malloc(sizeof *ghost);
            *ghost = *request;
            handle->ghosts[handle->ghost_count++] = ghost;
        }
    }
}

bool handle_disconnect(zhandle_t *handle, int rc)
{
    if (!handle->connected) {
        return false;
    }
    size_t arrives = handle->to_client_stalled ? 0 : draw_below(handle->wire.count + 1);
    for (size_t i = 0; i < arrives; i++) {
        receive(handle);
    }
    keep_ghosts(handle);
    handle->connected = false;
    handle->broken_at = time_now();
    handle->state = 999; /* ZOO_NOTCONNECTED_STATE */
    handle->watched.count = 0;
    tell_session(handle, ZOO_CONNECTING_STATE);
    while (handle->wire.count > 0) {
        const struct message *message = queue_take(&handle->wire);
        if (message->kind == ANSWER) {
            end_request(handle, message->request, rc);
        }
    }
    end_all(handle, rc);
    handle->to_server_stalled = handle->to_client_stalled = handle->leader_cut = handle->over_on_server = false;
    return true;
}

bool handle_refuse(zhandle_t *handle, int rc)
{
    if (handle->connected || handle->failing || handle->request_count == 0) {
        return false;
    }
    end_all(handle, rc);
    return true;
}

/* What was watched before, in any order. */
static void set_watches_again(zhandle_t *handle)
{
    size_t start = handle->set.count > 0 ? draw_below(handle->set.count) : 0;
    for (size_t i = 0; i < handle->set.count; i++) {
        const struct watch *watch = &handle->set.entries[(start + i) % handle->set.count];
        const struct node *node = ensemble_find(watch->path, handle->applied);
        if (node == NULL) {
            send_event(handle, watch->path, ZOO_DELETED_EVENT);
        } else if (node_change(node, handle->applied)->zxid > handle->last_zxid) {
            send_event(handle, watch->path, ZOO_CHANGED_EVENT);
        } else {
            watch_set(&handle->watched, watch->path, watch->fn, watch->context);
        }
    }
}

bool handle_connect(zhandle_t *handle, int64_t applied)
{
    if (handle->connected || handle->failing || handle->closing) {
        return false;
    }
    for (size_t i = 0; i < handle->ghost_count; i++) {
        free(handle->ghosts[i]); /* the leader refuses them: the session has moved */
    }
    handle->ghost_count = 0;
    struct server_session *session = session_of(handle);
    if (session == NULL) {
        session = ensemble_open_session(handle->timeout_ms * MS, true);
        handle->id.client_id = session->id;
        applied = ensemble.zxid;
    }
    if (session->ending != ALIVE) {
        handle->failing = true;
        handle->state = ZOO_EXPIRED_SESSION_STATE;
        tell_session(handle, ZOO_EXPIRED_SESSION_STATE);
        end_all(handle, ZSESSIONEXPIRED);
        return true;
    }
    session->heard = time_now() + time_slept();
    handle->connected = true;
    handle->state = ZOO_CONNECTED_STATE;
    handle->applied = applied;
    handle->received = time_now();
    tell_session(handle, ZOO_CONNECTED_STATE);
    set_watches_again(handle);
    for (size_t i = 0; i < handle->request_count; i++) {
        handle->requests[i]->on_wire = true;
    }
    return true;
}
