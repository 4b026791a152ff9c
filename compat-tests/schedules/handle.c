/* SPDX-License-Identifier: Apache-2.0 */
/* The ZooKeeper client and its server, as one stand-in. */
#include "handle.h"

#include "draw.h"
#include "task.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct _zhandle handles[MAX_HANDLES];
size_t handle_count;

void handles_reset(void)
{
    for (size_t i = 0; i < handle_count; i++) {
        for (size_t j = 0; j < handles[i].request_count; j++) {
            free(handles[i].requests[j]);
        }
        for (size_t j = 0; j < handles[i].ghost_count; j++) {
            free(handles[i].ghosts[j]);
        }
    }
    handle_count = 0;
}

static struct message *queue_add(struct queue *queue, enum message_kind kind)
{
    assert(queue->count < MAX_MESSAGES);
    struct message *message = &queue->messages[(queue->first + queue->count++) % MAX_MESSAGES];
    message->kind = kind;
    message->path = NULL;
    return message;
}

static struct message *queue_take(struct queue *queue)
{
    struct message *message = &queue->messages[queue->first];
    queue->first = (queue->first + 1) % MAX_MESSAGES;
    queue->count--;
    return message;
}

static struct watch *watch_find(struct watches *watches, const char *path)
{
    for (size_t i = 0; i < watches->count; i++) {
        if (strcmp(watches->entries[i].path, path) == 0) {
            return &watches->entries[i];
        }
    }
    return NULL;
}

static void watch_set(struct watches *watches, const char *path, watcher_fn fn, void *context)
{
    struct watch *watch = watch_find(watches, path);
    if (watch == NULL) {
        assert(watches->count < MAX_WATCHES);
        watch = &watches->entries[watches->count++];
        strcpy(watch->path, path);
    }
    watch->fn = fn;
    watch->context = context;
}

static bool watch_drop(struct watches *watches, const char *path)
{
    struct watch *watch = watch_find(watches, path);
    if (watch != NULL) {
        *watch = watches->entries[--watches->count];
    }
    return watch != NULL;
}

/* The completion thread. */

static void complete(const struct sent_request *request)
{
    struct Stat stat = request->stat;
    const struct Stat *found = request->rc == ZOK ? &stat : NULL;
    struct String_vector names = {.count = request->child_count};
    char *pointers[MAX_CHILDREN];
    switch (request->operation) {
    case CREATE:
        ((string_stat_completion_t)request->completion)(request->rc, found != NULL ? request->result_path : NULL, found,
                                                        request->context);
        break;
    case DELETE:
        ((void_completion_t)request->completion)(request->rc, request->context);
        break;
    case SET:
    case EXISTS:
        ((stat_completion_t)request->completion)(request->rc, found, request->context);
        break;
    case SYNC:
        ((string_completion_t)request->completion)(request->rc, request->path, request->context);
        break;
    case GET:
        ((data_completion_t)request->completion)(request->rc, request->data, request->size, found, request->context);
        break;
    case GET_CHILDREN:
        for (int i = 0; i < request->child_count; i++) {
            pointers[i] = strdup(strrchr(request->children[i]->path, '/') + 1);
        }
        names.data = pointers;
        ((strings_stat_completion_t)request->completion)(request->rc, request->rc == ZOK ? &names : NULL, found,
                                                         request->context);
        for (int i = 0; i < request->child_count; i++) {
            free(pointers[i]);
        }
        break;
    }
}

static void note_for_oracle(zhandle_t *handle, const struct message *message)
{
    const struct sent_request *request = message->request;
    if (message->kind == ANSWER && request->rc == ZOK && request->operation == GET_CHILDREN) {
        handle->list_sent = request->sent;
        handle->list_number = request->number;
        handle->listed_count = request->child_count;
        memcpy(handle->listed, request->children, sizeof handle->listed);
    }
    for (struct node *node = ensemble.nodes; node < ensemble.nodes + ensemble.node_count; node++) {
        if (message->kind == ANSWER && request->rc == ZOK && request->stat.czxid == node->created &&
            request->sent > node->stat_sent) {
            node->stat_sent = request->sent;
        }
        if (message->kind == EVENT && node->deleted != 0 && strcmp(message->path, node->path) == 0) {
            node->deletion_told = true;
        }
    }
}

static void *run_completions(void *context)
{
    zhandle_t *handle = context;
    for (;;) {
        while (handle->inbox.count == 0 && !handle->closing) {
            handle->has_work = false;
            task_wait((struct wait){.flag = &handle->has_work, .until = FOREVER});
        }
        if (handle->inbox.count == 0) {
            return NULL;
        }
        struct message message = *queue_take(&handle->inbox);
        note_for_oracle(handle, &message);
        if (message.kind == ANSWER) {
            complete(message.request);
            free(message.request);
        } else if (message.kind == EVENT) {
            struct sent_request *watch = message.request; /* carries who is told */
            watch->watcher(handle, message.type, ZOO_CONNECTED_STATE, message.path, watch->watcher_context);
            free(watch);
        } else {
            handle->watcher(handle, ZOO_SESSION_EVENT, message.state, "", handle->context);
        }
    }
}

static struct message *hand_over(zhandle_t *handle, enum message_kind kind)
{
    handle->has_work = true;
    return queue_add(&handle->inbox, kind);
}

static void tell_session(zhandle_t *handle, int state)
{
    hand_over(handle, SESSION_EVENT)->state = state;
}

static void end_request(zhandle_t *handle, struct sent_request *request, int rc)
{
    request->rc = rc;
    request->stat = (struct Stat){0};
    request->child_count = 0;
    hand_over(handle, ANSWER)->request = request;
}

static void end_all(zhandle_t *handle, int rc)
{
    for (size_t i = 0; i < handle->request_count; i++) {
        end_request(handle, handle->requests[i], rc);
    }
    handle->request_count = 0;
}

/* The server. */

static bool asks_leader(const struct sent_request *request)
{
    return request->operation <= SYNC;
}

static struct server_session *session_of(const zhandle_t *handle)
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

static void send_event(zhandle_t *handle, const char *path, int type)
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

/* The I/O thread. */

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

/* The functions of <zookeeper/zookeeper.h> that the library calls. */

zhandle_t *zookeeper_init2(const char *host, watcher_fn fn, int recv_timeout, const clientid_t *clientid, void *context,
                           int flags, log_callback_fn log_callback)
{
    (void)host;
    (void)flags;
    (void)log_callback;
    assert(clientid == NULL && handle_count < MAX_HANDLES);
    zhandle_t *handle = &handles[handle_count++];
    memset(handle, 0, sizeof *handle);
    handle->open = true;
    handle->number = (int)handle_count;
    handle->watcher = fn;
    handle->context = context;
    handle->timeout_ms = recv_timeout;
    handle->completion_task = task_start(run_completions, handle);
    return handle;
}

/* In a task. With requests on their way the session may not be closed on the server, and some completions never called. */
int zookeeper_close(zhandle_t *handle)
{
    bool drained = handle->request_count == 0 && handle->wire.count == 0;
    bool reached = handle->connected && !handle->to_server_stalled && !handle->leader_cut;
    struct server_session *session = session_of(handle);
    if (reached && session->ending == ALIVE && (drained || draw_once_in(2))) {
        ensemble_end_session(session, CLOSED_BY_CLIENT);
    }
    if (handle->connected && !reached) {
        task_wait((struct wait){.until = time_now() + 1500 * MS, .flag = &handle->closing});
    }
    for (size_t i = 0; i < handle->request_count; i++) {
        if (draw_once_in(2)) {
            end_request(handle, handle->requests[i], ZCLOSING);
        } else {
            free(handle->requests[i]);
        }
    }
    handle->request_count = 0;
    while (handle->wire.count > 0) {
        const struct message *message = queue_take(&handle->wire);
        if (message->kind == ANSWER) {
            free(message->request);
        }
    }
    handle->connected = false;
    handle->failing = true;
    handle->closing = true;
    handle->has_work = true;
    task_wait((struct wait){.task = handle->completion_task});
    task_free(handle->completion_task);
    handle->open = false;
    return ZOK;
}

int zoo_set_servers_resolution_delay(zhandle_t *handle, int milliseconds)
{
    (void)handle;
    (void)milliseconds;
    return ZOK;
}

int zoo_state(zhandle_t *handle)
{
    return handle->state;
}

int is_unrecoverable(zhandle_t *handle)
{
    return handle->failing ? ZINVALIDSTATE : ZOK;
}

const clientid_t *zoo_client_id(zhandle_t *handle)
{
    return &handle->id;
}

int zoo_recv_timeout(zhandle_t *handle)
{
    return handle->timeout_ms;
}

struct sockaddr *zookeeper_get_connected_host(zhandle_t *handle, struct sockaddr *address, socklen_t *size)
{
    (void)handle;
    (void)address;
    (void)size;
    return NULL;
}

static struct sent_request *new_request(zhandle_t *handle, enum operation operation, const char *path)
{
    static int64_t number;
    if (handle->failing || handle->closing) {
        return NULL;
    }
    assert(handle->request_count < MAX_REQUESTS && strlen(path) < PATH_SIZE);
    struct sent_request *request = calloc(1, sizeof *request);
    request->operation = operation;
    request->sent = time_now();
    request->number = ++number;
    request->on_wire = handle->connected;
    strcpy(request->path, path);
    handle->requests[handle->request_count++] = request;
    return request;
}

static int sent(struct sent_request *request, void (*completion)(void), const void *context)
{
    if (request == NULL) {
        return ZINVALIDSTATE;
    }
    request->completion = completion;
    request->context = context;
    return ZOK;
}

static void keep_data(struct sent_request *request, const char *data, int size)
{
    if (request != NULL && size > 0) {
        request->size = size < MAX_DATA ? size : MAX_DATA;
        memcpy(request->data, data, (size_t)request->size);
    }
}

int zoo_acreate2(zhandle_t *handle, const char *path, const char *value, int size, const struct ACL_vector *acl,
                 int mode, string_stat_completion_t completion, const void *context)
{
    (void)acl;
    struct sent_request *request = new_request(handle, CREATE, path);
    keep_data(request, value, size);
    if (request != NULL) {
        request->mode = mode;
    }
    return sent(request, (void (*)(void))completion, context);
}

int zoo_adelete(zhandle_t *handle, const char *path, int version, void_completion_t completion, const void *context)
{
    (void)version;
    return sent(new_request(handle, DELETE, path), (void (*)(void))completion, context);
}

int zoo_aset(zhandle_t *handle, const char *path, const char *value, int size, int version,
             stat_completion_t completion, const void *context)
{
    (void)version;
    struct sent_request *request = new_request(handle, SET, path);
    keep_data(request, value, size);
    return sent(request, (void (*)(void))completion, context);
}

int zoo_async(zhandle_t *handle, const char *path, string_completion_t completion, const void *context)
{
    return sent(new_request(handle, SYNC, path), (void (*)(void))completion, context);
}

int zoo_aexists(zhandle_t *handle, const char *path, int watch, stat_completion_t completion, const void *context)
{
    assert(!watch);
    return sent(new_request(handle, EXISTS, path), (void (*)(void))completion, context);
}

int zoo_awget(zhandle_t *handle, const char *path, watcher_fn watcher, void *watcher_context,
              data_completion_t completion, const void *context)
{
    struct sent_request *request = new_request(handle, GET, path);
    if (request != NULL) {
        request->watcher = watcher;
        request->watcher_context = watcher_context;
    }
    return sent(request, (void (*)(void))completion, context);
}

int zoo_aget_children2(zhandle_t *handle, const char *path, int watch, strings_stat_completion_t completion,
                       const void *context)
{
    assert(!watch);
    return sent(new_request(handle, GET_CHILDREN, path), (void (*)(void))completion, context);
}

int zoo_add_auth(zhandle_t *handle, const char *scheme, const char *credentials, int size, void_completion_t completion,
                 const void *context)
{
    (void)handle;
    (void)scheme;
    (void)credentials;
    (void)size;
    (void)completion;
    (void)context;
    return ZUNIMPLEMENTED;
}
