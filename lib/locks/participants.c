/* SPDX-License-Identifier: Apache-2.0 */
/* Who holds and who waits. */
#include "client/call.h"
#include "client/error.h"
#include "client/request.h"
#include "client/result_code.h"
#include "locks/lock_driver.h"
#include "locks/mutex.h"

#include <stdlib.h>
#include <string.h>

void curator_participants_free(curator_participants *participants)
{
    if (participants == NULL) {
        return;
    }
    for (size_t i = 0; i < participants->count; i++) {
        free(participants->paths[i]);
    }
    free(participants->paths);
    free(participants);
}

static char *child_path(const char *parent, const char *name)
{
    char *path = malloc(strlen(parent) + strlen(name) + 2);
    if (path != NULL) {
        char *end = stpcpy(path, parent);
        *end++ = '/';
        stpcpy(end, name);
    }
    return path;
}

static size_t keep_own_kind(const char **names, size_t count, const char *lock_name)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (strstr(names[i], lock_name) != NULL) {
            names[kept++] = names[i];
        }
    }
    return kept;
}

/* NULL: out of memory. */
static curator_participants *sorted_paths(const curator_mutex *mutex, struct name_list *children)
{
    size_t count = children != NULL ? children->count : 0;
    if (count > 0 && !lock_driver_sort(mutex->driver, children->names, count)) {
        return NULL;
    }
    if (mutex->driver->lists_own_kind) {
        count = keep_own_kind(children->names, count, mutex->driver->lock_name);
    }
    curator_participants *participants = calloc(1, sizeof *participants);
    if (participants == NULL) {
        return NULL;
    }
    participants->paths = calloc(count + 1, sizeof *participants->paths);
    for (size_t i = 0; participants->paths != NULL && i < count; i++) {
        participants->paths[i] = child_path(mutex->path, children->names[i]);
        if (participants->paths[i] == NULL) {
            break;
        }
        participants->count++;
    }
    if (participants->paths == NULL || participants->count < count) {
        curator_participants_free(participants);
        return NULL;
    }
    return participants;
}

/* One try in whatever session is usable. *request is to be abandoned by the caller. */
static curator_status list(const curator_mutex *mutex, struct call *call, struct request **request)
{
    struct session *session;
    curator_status status = call_await_session(call, &session);
    if (status != CURATOR_OK) {
        return status;
    }
    *request = request_get_children(session, call, mutex->full_path);
    call->waiting_for = "the answer to getChildren";
    status =
        *request != NULL ? call_await_requests(call) : call_fail(call, CURATOR_NO_MEMORY, "no memory for a request");
    session_let_go(session);
    return status;
}

static curator_status participants_of(const curator_mutex *mutex, struct call *call, curator_participants **out)
{
    for (;;) {
        struct request *request = NULL;
        curator_status status = list(mutex, call, &request);
        int rc = request != NULL ? request->rc : ZOK;
        if (status == CURATOR_OK && (rc == ZOK || rc == ZNONODE)) {
            *out = sorted_paths(mutex, request->children); /* a path that is not there has no participants */
            status = *out != NULL ? CURATOR_OK : call_fail(call, CURATOR_NO_MEMORY, "no memory for the participants");
            request_abandon(request);
            return status;
        }
        request_abandon(request);
        if (status == CURATOR_OK) {
            bool passing = result_code_outcome_unknown(rc) || result_code_session_over(rc);
            status = passing ? call_retry(call, rc) : call_fail_request(call, "getChildren", mutex->full_path, rc);
        }
        if (status != CURATOR_OK) {
            return status;
        }
    }
}

curator_status curator_mutex_participants(curator_mutex *mutex, curator_participants **participants)
{
    if (participants == NULL) {
        return fail(CURATOR_INVALID_ARGUMENT, "%s: the pointer for the result is NULL", __func__);
    }
    *participants = NULL;
    curator_status status = mutex_enter(mutex, __func__);
    if (status != CURATOR_OK) {
        return status;
    }
    struct call call;
    status = call_begin(&call, &mutex->framework->client, mutex, "participants", mutex->path, NEVER);
    if (status == CURATOR_OK) {
        status = participants_of(mutex, &call, participants);
        call_end(&call);
    }
    framework_unlock(mutex->framework);
    return status;
}
