/* SPDX-License-Identifier: Apache-2.0 */
/* A node of ours: how it is created, and found again after a lost answer. */
#include "framework/protected_node.h"

#include "framework/guaranteed_delete.h"
#include "framework/protected_name.h"
#include "zk/result_code.h"

#include <stdlib.h>
#include <string.h>

struct protected_node *protected_node_new(curator_framework *framework, struct session *session, const char *parent,
                                          const char *name, int mode)
{
    struct protected_node *node = calloc(1, sizeof *node);
    if (node == NULL) {
        return NULL;
    }
    node->framework = framework;
    node->mode = mode;
    node->session = session;
    session_ref(session);
    node->references = 1;
    guaranteed_delete_init(node);
    if (uuid_random(node->uuid)) {
        node->parent = strdup(parent);
        node->prefix = protected_name_path(parent, node->uuid, name);
    }
    if (node->parent == NULL || node->prefix == NULL) {
        protected_node_unref(node);
        return NULL;
    }
    return node;
}

void protected_node_ref(struct protected_node *node)
{
    node->references++;
}

void protected_node_unref(struct protected_node *node)
{
    if (--node->references > 0) {
        return;
    }
    session_unref(node->session);
    free(node->parent);
    free(node->prefix);
    free(node->path);
    free(node);
}

bool protected_node_follow(struct protected_node *node, struct request *request,
                           void (*on_finished)(struct request *request, void *context))
{
    if (request == NULL) {
        return false;
    }
    protected_node_ref(node);
    if (request->finished) {
        on_finished(request, node);
    } else {
        request->on_finished = on_finished;
        request->context = node;
    }
    request_unref(request);
    return true;
}

static bool is_of_session(const struct protected_node *node, const struct Stat *stat)
{
    return stat->ephemeralOwner == node->session->id;
}

void protected_node_vanished(struct protected_node *node)
{
    node->create_state = NODE_ABSENT;
}

bool protected_node_stands(struct protected_node *node, const struct request *answer)
{
    if (answer->rc != ZOK && answer->rc != ZNONODE) {
        return true;
    }
    bool known = node->czxid != 0; /* not of a node that was only found by its name yet */
    const struct Stat *stat = &answer->stat;
    if (answer->rc == ZNONODE || !is_of_session(node, stat) || (known && stat->czxid != node->czxid)) {
        protected_node_vanished(node);
        return false;
    }
    return true;
}

/* False: of another session, so not to be relied on. */
static bool take_stat(struct protected_node *node, const struct Stat *stat)
{
    node->czxid = stat->czxid;
    return is_of_session(node, stat);
}

/* On the completion thread, whether the creator still waits or has left. */
static void on_created(struct request *request, void *context)
{
    struct protected_node *node = context;
    node->create_rc = request->rc;
    if (request->rc != ZOK) {
        node->create_state = result_code_outcome_unknown(request->rc) ? NODE_UNKNOWN : NODE_ABSENT;
    } else if (!protected_name_is_created(request->path, node->prefix, node->mode == ZOO_EPHEMERAL_SEQUENTIAL)) {
        node->create_state = NODE_UNKNOWN;
        node->create_rc = ZRUNTIMEINCONSISTENCY;
    } else {
        node->path = request->path;
        request->path = NULL;
        node->create_state = NODE_PRESENT;
        if (!take_stat(node, &request->stat)) {
            node->create_rc = ZNONODE;
        }
    }
    if (node->discarded) {
        guaranteed_delete_advance(node);
    }
    protected_node_unref(node);
}

/* The two requests leave together; a session's requests are served in order, so the list contains the new node. */
static curator_status send_create(struct protected_node *node, struct call *call, const void *data, size_t size,
                                  const char *instead, struct request **children)
{
    node->create_state = NODE_SENT;
    node->doubtful = false; /* before it is sent: what happens from now on says so */
    protected_node_ref(node);
    struct request *create = request_create(node->session, &call->requests, node->prefix, data, size,
                                            framework_acl(node->framework), node->mode);
    if (create == NULL) {
        node->create_state = NODE_ABSENT;
        protected_node_unref(node);
        return call_fail(call, CURATOR_NO_MEMORY, "no memory for a request");
    }
    if (create->finished) {
        on_created(create, node);
    } else {
        create->on_finished = on_created;
        create->context = node;
    }
    *children = instead != NULL ? request_exists(node->session, &call->requests, instead)
                                : request_get_children(node->session, &call->requests, node->parent);
    call->waiting_for = "the answer to create";
    curator_status status = call_await_requests(call);
    request_abandon(create);
    return status;
}

static const char *find_by_uuid(const struct name_list *children, const char *uuid)
{
    for (size_t i = 0; i < children->count; i++) {
        if (protected_name_has_uuid(children->names[i], uuid)) {
            return children->names[i];
        }
    }
    return NULL;
}

bool protected_node_found(struct protected_node *node, const struct name_list *children)
{
    const char *name = find_by_uuid(children, node->uuid);
    if (name == NULL) {
        node->create_state = NODE_ABSENT;
        return true;
    }
    size_t size = strlen(node->parent) + strlen(name) + 2;
    node->path = malloc(size);
    if (node->path == NULL) {
        return false;
    }
    char *end = stpcpy(node->path, node->parent);
    *end++ = '/';
    stpcpy(end, name);
    node->create_state = NODE_PRESENT;
    return true;
}

/* The search after a lost answer, and the facts about what it found. *rc: how the search itself went. */
static curator_status look_for(struct protected_node *node, struct call *call, int *rc)
{
    call->waiting_for = "the answer to the search for our node";
    struct request *sync =
        request_sync(node->session, &call->requests, node->parent); /* so that no lagging server hides it */
    struct request *children = request_get_children(node->session, &call->requests, node->parent);
    curator_status status = call_await_requests(call);
    if (status == CURATOR_OK && (sync == NULL || children == NULL)) {
        status = call_fail(call, CURATOR_NO_MEMORY, "no memory for a request");
    }
    if (status == CURATOR_OK) {
        *rc = sync->rc != ZOK && sync->rc != ZNONODE ? sync->rc : children->rc;
        if (*rc == ZNONODE) {
            node->create_state = NODE_ABSENT;
            *rc = ZOK;
        } else if (*rc == ZOK && !protected_node_found(node, children->children)) {
            status = call_fail(call, CURATOR_NO_MEMORY, "no memory for a path");
        }
    }
    request_abandon(sync);
    request_abandon(children);
    if (status != CURATOR_OK || *rc != ZOK || node->create_state != NODE_PRESENT) {
        return status;
    }
    node->doubtful = false; /* as above */
    struct request *exists = request_exists(node->session, &call->requests, node->path);
    status = exists != NULL ? call_await_requests(call) : call_fail(call, CURATOR_NO_MEMORY, "no memory for a request");
    if (status == CURATOR_OK) {
        *rc = exists->rc;
    }
    if (status == CURATOR_OK && *rc == ZOK && !take_stat(node, &exists->stat)) {
        protected_node_vanished(node); /* ours was there, since nobody else knows the name */
        *rc = ZNONODE;
    }
    request_abandon(exists);
    return status;
}

/* Until the outcome is known: the node is there, or certainly not. *rc: the end of the session, or a refusal. */
static curator_status resolve_outcome(struct protected_node *node, struct call *call, int *rc)
{
    int failure = node->create_rc;
    for (;;) {
        curator_status status = call_retry(call, failure);
        if (status == CURATOR_OK) {
            status = call_await_reconnected(call, node->session);
        }
        if (status == CURATOR_SESSION_EXPIRED && session_is_dead(node->session)) {
            *rc = node->session->death;
            return CURATOR_OK;
        }
        if (status == CURATOR_OK) {
            free(node->path);
            node->path = NULL;
            node->create_state = NODE_UNKNOWN;
            status = look_for(node, call, rc);
        }
        if (status != CURATOR_OK || !result_code_outcome_unknown(*rc)) {
            return status;
        }
        failure = *rc;
    }
}

curator_status protected_node_create(struct protected_node *node, struct call *call, const void *data, size_t size,
                                     const char *instead, struct request **children, int *rc)
{
    *children = NULL;
    for (;;) {
        curator_status status = send_create(node, call, data, size, instead, children);
        *rc = node->create_rc;
        if (status == CURATOR_OK && node->create_state == NODE_UNKNOWN) {
            request_abandon(*children);
            *children = NULL;
            status = resolve_outcome(node, call, rc);
            if (status == CURATOR_OK && *rc == ZOK && node->create_state == NODE_ABSENT) {
                continue; /* it never arrived: certain, so a second create cannot leave two */
            }
        }
        if (status != CURATOR_OK || *rc != ZOK) {
            request_abandon(*children);
            *children = NULL;
        }
        return status;
    }
}
