/* SPDX-License-Identifier: Apache-2.0 */
/* One asynchronous request of one session. */
#include "zk/request.h"

#include "base/callback_thread.h"
#include "base/clock.h"
#include "base/container_of.h"
#include "zk/result_code.h"
#include "zk/session_lease.h"
#include "zk/watch.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#define MAX_SEQUENCE_LENGTH 11 /* characters that the server adds to a name: a negative number of ten digits */

void request_ref(struct request *request)
{
    request->references++;
}

void request_unref(struct request *request)
{
    if (request == NULL || --request->references > 0) {
        return;
    }
    free(request->path);
    free(request->children);
    free(request->contents);
    session_unref(request->session);
    free(request);
}

void request_finish(struct request *request, int rc)
{
    if (request->finished) {
        return;
    }
    request->finished = true;
    request->rc = rc;
    if (request->on_finished != NULL) {
        request->on_finished(request, request->context);
    }
    struct wait_group *waiting = request->waiting;
    request->waiting = NULL;
    wait_group_done(waiting);
}

void request_abandon(struct request *request)
{
    if (request == NULL) {
        return;
    }
    wait_group_forget(request->waiting);
    request->waiting = NULL;
    request_unref(request);
}

static void finish_outstanding(struct outstanding_request *outstanding, int rc)
{
    request_finish(container_of(outstanding, struct request, outstanding), rc);
}

static struct request *request_new(struct session *session, struct wait_group *waiting, bool asks_leader)
{
    struct request *request = calloc(1, sizeof *request);
    if (request == NULL) {
        return NULL;
    }
    request->references = 2;
    request->session = session;
    request->asks_leader = asks_leader;
    session_ref(session);
    request->sent = clock_lease_now();
    request->outstanding.finish = finish_outstanding;
    DL_APPEND(session->outstanding, &request->outstanding);
    request->waiting = waiting;
    wait_group_add(waiting);
    return request;
}

static void leave_client(struct request *request)
{
    struct session *session = request->session;
    watch_request_ends(session, request->watched, request->watch_set);
    request->watched = NULL;
    DL_DELETE(session->outstanding, &request->outstanding);
    if (session->outstanding == NULL) {
        pthread_cond_broadcast(session->group->quiet);
    }
    request_unref(request);
}

void request_finish_all(struct session *session)
{
    struct outstanding_request *outstanding, *next;
    DL_FOREACH_SAFE (session->outstanding, outstanding, next) {
        struct request *request = container_of(outstanding, struct request, outstanding);
        request_finish(request, ZCLOSING);
        leave_client(request);
    }
}

/* A call that the ZooKeeper client refused at once: no completion will come. */
static void submitted(struct request *request, int rc)
{
    if (rc != ZOK) {
        request_finish(request, rc);
        leave_client(request);
    }
}

/* Whether the request can be given to the ZooKeeper client at all. NULL cannot. */
static bool submittable(struct request *request)
{
    if (request == NULL) {
        return false;
    }
    const struct session *session = request->session;
    int refusal = ZOK;
    if (session_is_dead(session)) {
        refusal = session->death;
    } else if (session->handle == NULL) {
        refusal = session->moving ? ZCONNECTIONLOSS : ZCLOSING;
    } else if (session->state == STATE_DISCONNECTED && !session->handle_known) {
        refusal = ZCONNECTIONLOSS; /* its credentials follow when the new handle has connected */
    }
    submitted(request, refusal);
    return refusal == ZOK;
}

/* Completions run on the ZooKeeper client's thread. What they carry is kept unless the request has finished already. */
static bool completion_begin(struct request *request, int rc)
{
    callback_thread_mark();
    struct session_group *group = request->session->group;
    wakers_lock(group->wakers, group->mutex);
    if (request->asks_leader && result_code_from_leader(rc)) {
        session_lease_answered(request->session, request->sent);
    }
    return !request->finished;
}

static void completion_end(struct request *request, int rc)
{
    struct session_group *group = request->session->group;
    request_finish(request, rc);
    leave_client(request);
    wakers_unlock(group->wakers, group->mutex);
}

static void on_path_and_stat(int rc, const char *path, const struct Stat *stat, const void *data)
{
    struct request *request = (struct request *)(uintptr_t)data;
    bool wanted = completion_begin(request, rc);
    if (rc == ZOK && strlen(path) >= request->path_room) {
        rc = ZRUNTIMEINCONSISTENCY; /* no name that a create of ours can have got: looked for by its UUID */
    } else if (wanted && rc == ZOK) {
        request->stat = *stat;
        strcpy(request->path, path);
    }
    completion_end(request, rc);
}

static void on_stat(int rc, const struct Stat *stat, const void *data)
{
    struct request *request = (struct request *)(uintptr_t)data;
    if (completion_begin(request, rc) && rc == ZOK) {
        request->stat = *stat;
    }
    completion_end(request, rc);
}

static void on_data(int rc, const char *value, int size, const struct Stat *stat, const void *data)
{
    struct request *request = (struct request *)(uintptr_t)data;
    bool wanted = completion_begin(request, rc);
    request->watch_set = rc == ZOK;
    if (wanted && rc == ZOK) {
        request->stat = *stat;
        if (value != NULL && size > 0) {
            memcpy(request->data, value, (size_t)size < DATA_KEPT ? (size_t)size : DATA_KEPT);
        }
    }
    completion_end(request, rc);
}

static void on_contents(int rc, const char *value, int size, const struct Stat *stat, const void *data)
{
    struct request *request = (struct request *)(uintptr_t)data;
    size_t length = value != NULL && size > 0 ? (size_t)size : 0;
    size_t kept = length < request->contents_room ? length : request->contents_room;
    char *copy = rc == ZOK ? malloc(kept + 1) : NULL;
    bool failed = rc == ZOK && copy == NULL;
    if (copy != NULL) {
        memcpy(copy, length > 0 ? value : "", kept);
        copy[kept] = '\0';
    }
    if (completion_begin(request, rc) && copy != NULL) {
        request->stat = *stat;
        request->contents = copy;
        request->contents_size = kept;
        copy = NULL;
    }
    completion_end(request, failed ? ZMARSHALLINGERROR : rc);
    free(copy);
}

static void on_void(int rc, const void *data)
{
    struct request *request = (struct request *)(uintptr_t)data;
    completion_begin(request, rc);
    completion_end(request, rc);
}

static void on_string(int rc, const char *value, const void *data)
{
    (void)value;
    on_void(rc, data);
}

static struct name_list *copy_names(const struct String_vector *strings)
{
    size_t count = strings != NULL ? (size_t)strings->count : 0;
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++) {
        bytes += strlen(strings->data[i]) + 1;
    }
    struct name_list *list = malloc(sizeof *list + count * sizeof list->names[0] + bytes);
    if (list == NULL) {
        return NULL;
    }
    list->count = count;
    char *text = (char *)&list->names[count];
    for (size_t i = 0; i < count; i++) {
        list->names[i] = text;
        text = stpcpy(text, strings->data[i]) + 1;
    }
    return list;
}

static void on_children(int rc, const struct String_vector *strings, const struct Stat *stat, const void *data)
{
    (void)stat;
    struct request *request = (struct request *)(uintptr_t)data;
    struct name_list *list = rc == ZOK ? copy_names(strings) : NULL;
    bool failed = rc == ZOK && list == NULL;
    bool wanted = completion_begin(request, rc);
    request->watch_set = rc == ZOK;
    if (wanted) {
        request->children = list;
        list = NULL;
    }
    completion_end(request, failed ? ZMARSHALLINGERROR : rc);
    free(list);
}

struct request *request_create(struct session *session, struct wait_group *waiting, const char *path, const void *data,
                               size_t size, const struct ACL_vector *acl, int mode)
{
    size_t path_room = strlen(path) + MAX_SEQUENCE_LENGTH + 1;
    char *room = malloc(path_room); /* beforehand: the answer must not be lost for want of memory */
    struct request *request = room != NULL ? request_new(session, waiting, true) : NULL;
    if (request == NULL) {
        free(room);
        return NULL;
    }
    room[0] = '\0';
    request->path = room;
    request->path_room = path_room;
    if (submittable(request)) {
        submitted(request, zoo_acreate2(session->handle, path, size > 0 ? data : "", (int)size, acl, mode,
                                        on_path_and_stat, request));
    }
    return request;
}

struct request *request_get_children(struct session *session, struct wait_group *waiting, const char *path)
{
    struct request *request = request_new(session, waiting, false);
    if (submittable(request)) {
        submitted(request, zoo_aget_children2(session->handle, path, 0, on_children, request));
    }
    return request;
}

struct request *request_get_children_and_watch(struct session *session, struct wait_group *waiting, const char *path)
{
    struct request *request = request_new(session, waiting, false);
    if (submittable(request)) {
        request->watched = watch_request_begins(session, path);
        submitted(request, zoo_awget_children2(session->handle, path, watch_on_event, session, on_children, request));
    }
    return request;
}

struct request *request_exists(struct session *session, struct wait_group *waiting, const char *path)
{
    struct request *request = request_new(session, waiting, false);
    if (submittable(request)) {
        submitted(request, zoo_aexists(session->handle, path, 0, on_stat, request));
    }
    return request;
}

struct request *request_probe(struct session *session)
{
    struct request *request = request_new(session, NULL, false);
    if (request != NULL) {
        submitted(request, zoo_aexists(session->handle, "/", 0, on_stat, request));
    }
    return request;
}

struct request *request_delete(struct session *session, struct wait_group *waiting, const char *path)
{
    struct request *request = request_new(session, waiting, true);
    if (submittable(request)) {
        submitted(request, zoo_adelete(session->handle, path, -1, on_void, request));
    }
    return request;
}

struct request *request_sync(struct session *session, struct wait_group *waiting, const char *path)
{
    struct request *request = request_new(session, waiting, true);
    if (submittable(request)) {
        submitted(request, zoo_async(session->handle, path, on_string, request));
    }
    return request;
}

struct request *request_set(struct session *session, struct wait_group *waiting, const char *path, const void *data,
                            size_t size)
{
    struct request *request = request_new(session, waiting, true);
    if (submittable(request)) {
        submitted(request, zoo_aset(session->handle, path, data, (int)size, -1, on_stat, request));
    }
    return request;
}

struct request *request_get_and_watch(struct session *session, struct wait_group *waiting, const char *path)
{
    struct request *request = request_new(session, waiting, false);
    if (submittable(request)) {
        request->watched = watch_request_begins(session, path);
        submitted(request, zoo_awget(session->handle, path, watch_on_event, session, on_data, request));
    }
    return request;
}

struct request *request_get(struct session *session, struct wait_group *waiting, const char *path, size_t keep)
{
    struct request *request = request_new(session, waiting, false);
    if (submittable(request)) {
        request->contents_room = keep;
        submitted(request, zoo_aget(session->handle, path, 0, on_contents, request));
    }
    return request;
}
