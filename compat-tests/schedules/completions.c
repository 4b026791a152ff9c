/* SPDX-License-Identifier: Apache-2.0 */
/* What waits to be told to the library, and the completion thread, which tells it. */
#include "handle_parts.h"

#include "task.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct message *queue_add(struct queue *queue, enum message_kind kind)
{
    assert(queue->count < MAX_MESSAGES);
    struct message *message = &queue->messages[(queue->first + queue->count++) % MAX_MESSAGES];
    message->kind = kind;
    message->path = NULL;
    return message;
}

struct message *queue_take(struct queue *queue)
{
    struct message *message = &queue->messages[queue->first];
    queue->first = (queue->first + 1) % MAX_MESSAGES;
    queue->count--;
    return message;
}

struct watch *watch_find(struct watches *watches, const char *path)
{
    for (size_t i = 0; i < watches->count; i++) {
        if (strcmp(watches->entries[i].path, path) == 0) {
            return &watches->entries[i];
        }
    }
    return NULL;
}

void watch_set(struct watches *watches, const char *path, watcher_fn fn, void *context)
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

bool watch_drop(struct watches *watches, const char *path)
{
    struct watch *watch = watch_find(watches, path);
    if (watch != NULL) {
        *watch = watches->entries[--watches->count];
    }
    return watch != NULL;
}

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

void *run_completions(void *context)
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

struct message *hand_over(zhandle_t *handle, enum message_kind kind)
{
    handle->has_work = true;
    return queue_add(&handle->inbox, kind);
}

void tell_session(zhandle_t *handle, int state)
{
    hand_over(handle, SESSION_EVENT)->state = state;
}

void end_request(zhandle_t *handle, struct sent_request *request, int rc)
{
    request->rc = rc;
    request->stat = (struct Stat){0};
    request->child_count = 0;
    hand_over(handle, ANSWER)->request = request;
}

void end_all(zhandle_t *handle, int rc)
{
    for (size_t i = 0; i < handle->request_count; i++) {
        end_request(handle, handle->requests[i], rc);
    }
    handle->request_count = 0;
}
