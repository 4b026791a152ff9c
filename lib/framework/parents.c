/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Creates what is missing of a path, as containers. Two flights: whether each level exists, all at once; then the
 * creates of the missing ones, top down. Read from the leaf upwards, so that levels above an existing one may be
 * unreadable.
 */
#include "framework/parents.h"

#include "client/request.h"

#include <stdlib.h>
#include <string.h>

struct level {
    char *path;
    size_t length;
    struct request *request;
};

struct levels {
    size_t count;
    struct level *level; /* the top one first */
};

static void forget_requests(struct levels *levels)
{
    for (size_t i = 0; i < levels->count; i++) {
        request_abandon(levels->level[i].request);
        levels->level[i].request = NULL;
    }
}

static void free_levels(struct levels *levels)
{
    forget_requests(levels);
    for (size_t i = 0; i < levels->count; i++) {
        free(levels->level[i].path);
    }
    free(levels->level);
}

static bool split(const char *path, struct levels *levels)
{
    size_t depth = 0;
    for (const char *at = path; *at != '\0'; at++) {
        depth += *at == '/';
    }
    *levels = (struct levels){.level = calloc(depth, sizeof *levels->level)};
    if (levels->level == NULL) {
        return false;
    }
    for (const char *end = strchr(path + 1, '/');; end = strchr(end + 1, '/')) {
        size_t length = end != NULL ? (size_t)(end - path) : strlen(path);
        struct level *level = &levels->level[levels->count];
        level->length = length;
        level->path = strndup(path, length);
        if (level->path == NULL) {
            return false;
        }
        levels->count++;
        if (end == NULL) {
            return true;
        }
    }
}

static curator_status await(struct levels *levels, size_t first, struct call *call)
{
    for (size_t i = first; i < levels->count; i++) {
        if (levels->level[i].request == NULL) {
            return call_fail(call, CURATOR_NO_MEMORY, "no memory for a request");
        }
    }
    return call_await_requests(call);
}

static void fails(const struct level *level, int rc, const char *operation, struct parents_failure *failure)
{
    *failure = (struct parents_failure){.rc = rc, .operation = operation, .length = level->length};
}

/* *missing: the topmost level that has to be created. */
static curator_status find_missing(struct levels *levels, struct call *call, struct session *session, size_t *missing,
                                   struct parents_failure *failure)
{
    for (size_t i = levels->count; i-- > 0;) {
        levels->level[i].request = request_exists(session, call, levels->level[i].path);
    }
    call->waiting_for = "the answer to exists";
    curator_status status = await(levels, 0, call);
    if (status != CURATOR_OK) {
        return status;
    }
    *missing = levels->count;
    while (*missing > 0 && levels->level[*missing - 1].request->rc == ZNONODE) {
        --*missing;
    }
    if (*missing > 0 && levels->level[*missing - 1].request->rc != ZOK) {
        fails(&levels->level[*missing - 1], levels->level[*missing - 1].request->rc, "exists", failure);
    }
    forget_requests(levels);
    return CURATOR_OK;
}

static curator_status create_missing(curator_framework *framework, struct levels *levels, struct call *call,
                                     struct session *session, size_t missing, struct parents_failure *failure)
{
    int mode = framework->without_containers ? ZOO_PERSISTENT : ZOO_CONTAINER;
    for (size_t i = missing; i < levels->count; i++) {
        levels->level[i].request =
            request_create(session, call, levels->level[i].path, "", 0, framework_acl(framework), mode);
    }
    call->waiting_for = "the answer to the creation of parents";
    curator_status status = await(levels, missing, call);
    for (size_t i = missing; status == CURATOR_OK && failure->rc == ZOK && i < levels->count; i++) {
        int rc = levels->level[i].request->rc;
        if (rc != ZOK && rc != ZNODEEXISTS) {
            fails(&levels->level[i], rc, "create", failure);
        }
    }
    forget_requests(levels);
    return status;
}

curator_status parents_create(curator_framework *framework, struct call *call, struct session *session,
                              const char *path, struct parents_failure *failure)
{
    *failure = (struct parents_failure){.rc = ZOK};
    struct levels levels;
    size_t missing = 0;
    curator_status status =
        split(path, &levels) ? CURATOR_OK : call_fail(call, CURATOR_NO_MEMORY, "no memory for the parents");
    if (status == CURATOR_OK) {
        status = find_missing(&levels, call, session, &missing, failure);
    }
    if (status == CURATOR_OK && failure->rc == ZOK) {
        status = create_missing(framework, &levels, call, session, missing, failure);
    }
    if (status == CURATOR_OK && failure->rc == ZUNIMPLEMENTED && !framework->without_containers) {
        framework->without_containers = true; /* a server before 3.5.3: persistent ones, as Curator does there */
        *failure = (struct parents_failure){.rc = ZOK};
        status = create_missing(framework, &levels, call, session, missing, failure);
    }
    free_levels(&levels);
    return status;
}
