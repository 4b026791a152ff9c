/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Creates what is missing of a path, as containers. Flights of a few levels each, so that a deep path neither holds up
 * others nor outlives a deadline: whether levels exist, from the leaf upwards until one does (those above it may be
 * unreadable); then the creates of the missing ones, top down. Two flights for all but very deep paths.
 */
#include "framework/parents.h"

#include "zk/request.h"

#include <stdlib.h>
#include <string.h>

#define LEVELS_PER_FLIGHT 16

struct levels {
    char *path;      /* a copy, which ends behind one level while that is asked about */
    size_t *lengths; /* of the path down to each level; the top one first */
    size_t count;
    struct request *requests[LEVELS_PER_FLIGHT]; /* of one flight */
};

/* What one parents_create() works with. */
struct work {
    curator_framework *framework;
    struct call *call;
    struct session *session;
    struct levels levels;
    struct parents_failure *failure;
};

static void forget_requests(struct levels *levels)
{
    for (size_t i = 0; i < LEVELS_PER_FLIGHT; i++) {
        request_abandon(levels->requests[i]);
        levels->requests[i] = NULL;
    }
}

static void free_levels(struct levels *levels)
{
    free(levels->path);
    free(levels->lengths);
}

static bool split(const char *path, struct levels *levels)
{
    size_t depth = 0;
    for (const char *at = path; *at != '\0'; at++) {
        depth += *at == '/';
    }
    levels->path = strdup(path);
    levels->lengths = calloc(depth, sizeof *levels->lengths);
    if (levels->path == NULL || levels->lengths == NULL) {
        return false;
    }
    for (const char *end = strchr(path + 1, '/'); end != NULL; end = strchr(end + 1, '/')) {
        levels->lengths[levels->count++] = (size_t)(end - path);
    }
    levels->lengths[levels->count++] = strlen(path);
    return true;
}

typedef struct request *send_fn(struct work *work, const char *path);

static struct request *send_exists(struct work *work, const char *path)
{
    return request_exists(work->session, &work->call->requests, path);
}

static struct request *send_create(struct work *work, const char *path)
{
    int mode = work->framework->without_containers ? ZOO_PERSISTENT : ZOO_CONTAINER;
    return request_create(work->session, &work->call->requests, path, "", 0, framework_acl(work->framework), mode);
}

/* One flight for the levels from first to before end. Afterwards the answers are there, until forget_requests(). */
static curator_status fly(struct work *work, size_t first, size_t end, send_fn *send)
{
    struct levels *levels = &work->levels;
    bool complete = true;
    for (size_t i = first; i < end && complete; i++) {
        char *cut = levels->path + levels->lengths[i];
        char after = *cut;
        *cut = '\0';
        levels->requests[i - first] = send(work, levels->path);
        *cut = after;
        complete = levels->requests[i - first] != NULL;
    }
    if (!complete) {
        return call_fail(work->call, CURATOR_NO_MEMORY, "no memory for a request");
    }
    return call_await_requests(work->call);
}

static void fails(const struct work *work, size_t level, int rc, const char *operation)
{
    *work->failure = (struct parents_failure){.rc = rc, .operation = operation, .length = work->levels.lengths[level]};
}

/* *missing: the topmost level that has to be created. */
static curator_status find_missing(struct work *work, size_t *missing)
{
    struct levels *levels = &work->levels;
    curator_status status = CURATOR_OK;
    bool found = false;
    *missing = levels->count;
    work->call->waiting_for = "the answer to exists";
    while (status == CURATOR_OK && *missing > 0 && !found) {
        size_t first = *missing > LEVELS_PER_FLIGHT ? *missing - LEVELS_PER_FLIGHT : 0;
        status = fly(work, first, *missing, send_exists);
        while (status == CURATOR_OK && *missing > first && !found) {
            int rc = levels->requests[*missing - 1 - first]->rc;
            found = rc != ZNONODE;
            if (found && rc != ZOK) {
                fails(work, *missing - 1, rc, "exists");
            }
            *missing -= found ? 0 : 1;
        }
        forget_requests(levels);
    }
    return status;
}

static curator_status create_missing(struct work *work, size_t missing)
{
    struct levels *levels = &work->levels;
    curator_status status = CURATOR_OK;
    work->call->waiting_for = "the answer to the creation of parents";
    for (size_t first = missing; status == CURATOR_OK && work->failure->rc == ZOK && first < levels->count;
         first += LEVELS_PER_FLIGHT) {
        size_t end = levels->count - first > LEVELS_PER_FLIGHT ? first + LEVELS_PER_FLIGHT : levels->count;
        status = fly(work, first, end, send_create);
        for (size_t i = first; status == CURATOR_OK && work->failure->rc == ZOK && i < end; i++) {
            int rc = levels->requests[i - first]->rc;
            if (rc != ZOK && rc != ZNODEEXISTS) {
                fails(work, i, rc, "create");
            }
        }
        forget_requests(levels);
    }
    return status;
}

curator_status parents_create(curator_framework *framework, struct call *call, struct session *session,
                              const char *path, struct parents_failure *failure)
{
    struct work work = {.framework = framework, .call = call, .session = session, .failure = failure};
    *failure = (struct parents_failure){.rc = ZOK};
    size_t missing = 0;
    curator_status status =
        split(path, &work.levels) ? CURATOR_OK : call_fail(call, CURATOR_NO_MEMORY, "no memory for the parents");
    if (status == CURATOR_OK) {
        status = find_missing(&work, &missing);
    }
    if (status == CURATOR_OK && failure->rc == ZOK) {
        status = create_missing(&work, missing);
    }
    if (status == CURATOR_OK && failure->rc == ZUNIMPLEMENTED && !framework->without_containers) {
        framework->without_containers = true; /* a server before 3.5.3: persistent ones, as Curator does there */
        *failure = (struct parents_failure){.rc = ZOK};
        status = create_missing(&work, missing);
    }
    free_levels(&work.levels);
    return status;
}
