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

/* What one parents_create() works with. */
struct parents {
    curator_framework *framework;
    struct call *call;
    struct session *session;
    struct parents_failure *failure;
    int mode;        /* of the nodes that are created */
    char *path;      /* a copy, which ends behind one level while that is asked about */
    size_t *lengths; /* of the path down to each level; the top one first */
    size_t count;
    struct request *requests[LEVELS_PER_FLIGHT]; /* of one flight */
};

static void parents_forget_requests(struct parents *parents)
{
    for (size_t i = 0; i < LEVELS_PER_FLIGHT; i++) {
        request_abandon(parents->requests[i]);
        parents->requests[i] = NULL;
    }
}

static bool split_path(const char *path, struct parents *parents)
{
    size_t depth = 0;
    for (const char *at = path; *at != '\0'; at++) {
        depth += *at == '/';
    }
    parents->path = strdup(path);
    parents->lengths = calloc(depth, sizeof *parents->lengths);
    if (parents->path == NULL || parents->lengths == NULL) {
        return false;
    }
    for (const char *end = strchr(path + 1, '/'); end != NULL; end = strchr(end + 1, '/')) {
        parents->lengths[parents->count++] = (size_t)(end - path);
    }
    parents->lengths[parents->count++] = strlen(path);
    return true;
}

/*
 * One flight for the levels from first to before end: creates them, or asks whether they exist. Afterwards the answers
 * are there, until parents_forget_requests().
 */
static curator_status parents_send(struct parents *parents, size_t first, size_t end, bool create)
{
    const struct ACL_vector *acl = framework_acl(parents->framework);
    bool complete = true;
    for (size_t i = first; i < end && complete; i++) {
        char *cut = parents->path + parents->lengths[i];
        char after = *cut;
        *cut = '\0';
        struct request *request = create ? request_create(parents->session, &parents->call->requests, parents->path, "",
                                                          0, acl, parents->mode)
                                         : request_exists(parents->session, &parents->call->requests, parents->path);
        *cut = after;
        parents->requests[i - first] = request;
        complete = request != NULL;
    }
    return complete ? call_await_requests(parents->call)
                    : call_fail(parents->call, CURATOR_NO_MEMORY, "no memory for a request");
}

static void note_failure(const struct parents *parents, size_t level, int rc, const char *operation)
{
    *parents->failure = (struct parents_failure){.rc = rc, .operation = operation, .length = parents->lengths[level]};
}

/* *missing: the topmost level that has to be created. */
static curator_status find_missing(struct parents *parents, size_t *missing)
{
    curator_status status = CURATOR_OK;
    bool found = false;
    *missing = parents->count;
    parents->call->waiting_for = "the answer to exists";
    while (status == CURATOR_OK && *missing > 0 && !found) {
        size_t first = *missing > LEVELS_PER_FLIGHT ? *missing - LEVELS_PER_FLIGHT : 0;
        status = parents_send(parents, first, *missing, false);
        while (status == CURATOR_OK && *missing > first && !found) {
            int rc = parents->requests[*missing - 1 - first]->rc;
            found = rc != ZNONODE;
            if (found && rc != ZOK) {
                note_failure(parents, *missing - 1, rc, "exists");
            }
            *missing -= found ? 0 : 1;
        }
        parents_forget_requests(parents);
    }
    return status;
}

static curator_status create_missing(struct parents *parents, size_t missing)
{
    curator_status status = CURATOR_OK;
    parents->call->waiting_for = "the answer to the creation of parents";
    for (size_t first = missing; status == CURATOR_OK && parents->failure->rc == ZOK && first < parents->count;
         first += LEVELS_PER_FLIGHT) {
        size_t end = parents->count - first > LEVELS_PER_FLIGHT ? first + LEVELS_PER_FLIGHT : parents->count;
        status = parents_send(parents, first, end, true);
        for (size_t i = first; status == CURATOR_OK && parents->failure->rc == ZOK && i < end; i++) {
            int rc = parents->requests[i - first]->rc;
            if (rc != ZOK && rc != ZNODEEXISTS) {
                note_failure(parents, i, rc, "create");
            }
        }
        parents_forget_requests(parents);
    }
    return status;
}

/*
 * A server before 3.5.3 does not know containers, and closes the connection behind its answer: Curator creates
 * persistent nodes there. So do we, also for servers other than ZooKeeper's that call the request a bad one. What was
 * wrong with that is known when the other succeeds.
 */
static curator_status create_without_containers(struct parents *parents, size_t missing)
{
    parents->mode = ZOO_PERSISTENT;
    if (parents->failure->rc == ZUNIMPLEMENTED) {
        parents->framework->without_containers = true;
    }
    *parents->failure = (struct parents_failure){.rc = ZOK};
    curator_status status = create_missing(parents, missing);
    if (status == CURATOR_OK && parents->failure->rc == ZOK) {
        parents->framework->without_containers = true;
    }
    return status;
}

curator_status parents_create(curator_framework *framework, struct call *call, struct session *session,
                              const char *path, struct parents_failure *failure)
{
    struct parents parents = {.framework = framework,
                              .call = call,
                              .session = session,
                              .failure = failure,
                              .mode = framework->without_containers ? ZOO_PERSISTENT : ZOO_CONTAINER};
    *failure = (struct parents_failure){.rc = ZOK};
    size_t missing = 0;
    curator_status status =
        split_path(path, &parents) ? CURATOR_OK : call_fail(call, CURATOR_NO_MEMORY, "no memory for the parents");
    if (status == CURATOR_OK) {
        status = find_missing(&parents, &missing);
    }
    if (status == CURATOR_OK && failure->rc == ZOK) {
        status = create_missing(&parents, missing);
    }
    if (status == CURATOR_OK && (failure->rc == ZUNIMPLEMENTED || failure->rc == ZBADARGUMENTS) &&
        parents.mode == ZOO_CONTAINER) {
        status = create_without_containers(&parents, missing);
    }
    free(parents.path);
    free(parents.lengths);
    return status;
}
