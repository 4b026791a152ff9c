/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of <zookeeper/zookeeper.h> that the library calls. */
#include "handle_parts.h"

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

/* In a task. With requests on their way the session may not be closed on the server, and some completions are never
 * called. */
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

/* No schedule has a semaphore. */
int zoo_awget_children2(zhandle_t *handle, const char *path, watcher_fn watcher, void *watcher_context,
                        strings_stat_completion_t completion, const void *context)
{
    (void)handle;
    (void)path;
    (void)watcher;
    (void)watcher_context;
    (void)completion;
    (void)context;
    return ZUNIMPLEMENTED;
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
