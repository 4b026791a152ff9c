/* SPDX-License-Identifier: Apache-2.0 */
/* The server that a handle is connected to, and what it passes on to the leader. */
#include "handle_parts.h"

#include "draw.h"
#include "task.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool asks_leader(const struct sent_request *request)
{
    return request->operation <= SYNC;
}

struct server_session *session_of(const zhandle_t *handle)
{
    return ensemble_session(handle->id.client_id);
}

static void execute(const zhandle_t *handle, struct sent_request *request)
{
    struct node *created = NULL;
    struct server_session *session = session_of(handle);
    session->heard = time_now() + time_slept();
    switch (request->operation) {
    case CREATE:
        request->rc =
            ensemble_create(request->path, request->mode, handle->id.client_id, request->data, request->size, &created);
        if (created != NULL) {
            created->of_library = true;
            strcpy(request->result_path, created->path);
            node_stat(created, ensemble.zxid, &request->stat);
        }
        break;
    case DELETE:
        request->rc = ensemble_delete(request->path);
        break;
    case SET:
        request->rc = ensemble_set(request->path, request->data, request->size);
        break;
    default:
        request->rc = ZOK;
        break;
    }
    request->executed = true;
    request->zxid = ensemble.zxid;
}

bool handle_forward(zhandle_t *handle)
{
    if (!handle->connected || handle->to_server_stalled || handle->leader_cut || session_of(handle)->ending != ALIVE) {
        return false;
    }
    for (size_t i = 0; i < handle->request_count; i++) {
        struct sent_request *request = handle->requests[i];
        if (request->on_wire && asks_leader(request) && !request->executed) {
            execute(handle, request);
            return true;
        }
    }
    return false;
}

bool handle_forward_ghost(zhandle_t *handle)
{
    if (handle->ghost_count == 0 || session_of(handle)->ending != ALIVE) {
        return false;
    }
    struct sent_request *request = handle->ghosts[0];
    handle->ghost_count--;
    memmove(&handle->ghosts[0], &handle->ghosts[1], handle->ghost_count * sizeof handle->ghosts[0]);
    execute(handle, request);
    free(request);
    return true;
}

static const char *lasting(const char *path)
{
    const struct node *node = ensemble.nodes;
    while (strcmp(node->path, path) != 0) {
        node++;
    }
    return node->path;
}

void send_event(zhandle_t *handle, const char *path, int type)
{
    watch_drop(&handle->watched, path);
    struct message *message = queue_add(&handle->wire, EVENT);
    message->type = type;
    message->request = NULL;
    message->path = lasting(path);
}

static bool is_touched(const struct node *node, int64_t zxid, int *type)
{
    *type = node->deleted == zxid ? ZOO_DELETED_EVENT : ZOO_CHANGED_EVENT;
    return node->deleted == zxid || (node->created != zxid && node_change(node, zxid)->zxid == zxid);
}

/* Begins at a random watch. */
static void send_events(zhandle_t *handle, int64_t zxid)
{
    struct watches watched = handle->watched;
    size_t start = watched.count > 0 ? draw_below(watched.count) : 0;
    for (size_t i = 0; i < watched.count; i++) {
        const char *path = watched.entries[(start + i) % watched.count].path;
        for (const struct node *node = ensemble.nodes; node < ensemble.nodes + ensemble.node_count; node++) {
            int type;
            if (strcmp(node->path, path) == 0 && is_touched(node, zxid, &type)) {
                send_event(handle, path, type);
            }
        }
    }
}

bool handle_apply(zhandle_t *handle)
{
    if (!handle->connected || handle->leader_cut || handle->applied == ensemble.zxid || handle->over_on_server) {
        return false;
    }
    handle->applied++;
    send_events(handle, handle->applied);
    handle->over_on_server = session_of(handle)->ended == handle->applied;
    return true;
}

static void list_children(const zhandle_t *handle, struct sent_request *request)
{
    request->child_count = 0;
    for (const struct node *node = ensemble.nodes; node < ensemble.nodes + ensemble.node_count; node++) {
        if (node_visible(node, handle->applied) && node_is_child(node, request->path)) {
            assert(request->child_count < MAX_CHILDREN);
            size_t place = draw_below((size_t)request->child_count + 1);
            request->children[request->child_count++] = request->children[place];
            request->children[place] = node;
        }
    }
}

static void read_node(zhandle_t *handle, struct sent_request *request)
{
    const struct node *node = ensemble_find(request->path, handle->applied);
    request->rc = node != NULL ? ZOK : ZNONODE;
    if (node == NULL) {
        return;
    }
    if (request->operation == GET && ensemble.unreadable && node->of_library) {
        request->rc = ZNOAUTH;
        return;
    }
    node_stat(node, handle->applied, &request->stat);
    if (request->operation == GET) {
        const struct change *change = node_change(node, handle->applied);
        memcpy(request->data, change->data, sizeof change->data);
        request->size = change->size;
        watch_set(&handle->watched, request->path, request->watcher, request->watcher_context);
    } else if (request->operation == GET_CHILDREN) {
        list_children(handle, request);
    }
}

bool handle_answer(zhandle_t *handle)
{
    if (!handle->connected || handle->to_server_stalled || handle->over_on_server || handle->request_count == 0) {
        return false;
    }
    struct sent_request *request = handle->requests[0];
    if (!request->on_wire) {
        return false;
    }
    if (!asks_leader(request)) {
        read_node(handle, request);
    } else if (!request->executed || request->zxid > handle->applied) {
        return false;
    }
    handle->request_count--;
    memmove(&handle->requests[0], &handle->requests[1], handle->request_count * sizeof handle->requests[0]);
    struct message *message = queue_add(&handle->wire, ANSWER);
    message->request = request;
    message->zxid = handle->applied;
    return true;
}
