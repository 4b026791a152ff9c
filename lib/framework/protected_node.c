/* SPDX-License-Identifier: Apache-2.0 */
/* How a node is created, and found again after a lost answer. */
#include "framework/protected_node.h"

#include "base/path.h"
#include "framework/protected_name.h"
#include "zk/result_code.h"

#include <assert.h>
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

static void protected_node_set_state(struct protected_node *node, enum node_state state)
{
    /* From the row's state to the column's, in the order of the enum; used by the assertion only. */
    static const char *const legal[] = {"1100", "1011", "1011", "1010"};
    assert(legal[node->state][state] == '1');
    (void)legal;
    node->state = state;
}

static bool is_of_session(const struct protected_node *node, const struct Stat *stat)
{
    return stat->ephemeralOwner == node->session->id;
}

void protected_node_vanished(struct protected_node *node)
{
    protected_node_set_state(node, NODE_ABSENT);
}

bool protected_node_stands(struct protected_node *node, const struct request *answer)
{
    if (answer->rc != ZOK && answer->rc != ZNONODE) {
        return true;
    }
    bool known = node->czxid != 0; /* else it was only found by its name so far */
    const struct Stat *stat = &answer->stat;
    if (answer->rc == ZNONODE || !is_of_session(node, stat) || (known && stat->czxid != node->czxid)) {
        protected_node_vanished(node);
        return false;
    }
    return true;
}

/* False: another session's, so not to be relied on. */
static bool take_stat(struct protected_node *node, const struct Stat *stat)
{
    node->czxid = stat->czxid;
    return is_of_session(node, stat);
}

/* On the completion thread, whether the creator still waits or has left. */
static void protected_node_on_created(struct request *request, void *context)
{
    struct protected_node *node = context;
    node->create_rc = request->rc;
    if (request->rc != ZOK) {
        protected_node_set_state(node, result_code_outcome_unknown(request->rc) ? NODE_UNKNOWN : NODE_ABSENT);
    } else if (!protected_name_is_created(request->path, node->prefix, node->mode == ZOO_EPHEMERAL_SEQUENTIAL)) {
        protected_node_set_state(node, NODE_UNKNOWN);
        node->create_rc = ZRUNTIMEINCONSISTENCY;
    } else {
        node->path = request->path;
        request->path = NULL;
        protected_node_set_state(node, NODE_PRESENT);
        if (!take_stat(node, &request->stat)) {
            node->create_rc = ZNONODE;
        }
    }
    if (node->on_created != NULL) {
        node->on_created(node);
    }
    protected_node_unref(node);
}

/* The two requests leave together; a session's requests are served in order, so the list contains the new node. */
static curator_status send_create(struct protected_node *node, struct call *call, const void *data, size_t size,
                                  const char *instead, struct request **children)
{
    *children = NULL;
    protected_node_set_state(node, NODE_SENT);
    node->doubtful = false; /* before it is sent: events from now on set it again */
    protected_node_ref(node);
    struct request *create = request_create(node->session, &call->requests, node->prefix, data, size,
                                            framework_acl(node->framework), node->mode);
    if (create == NULL) {
        protected_node_set_state(node, NODE_ABSENT);
        protected_node_unref(node);
        return call_fail(call, CURATOR_NO_MEMORY, "no memory for a request");
    }
    if (create->finished) {
        protected_node_on_created(create, node);
    } else {
        create->on_finished = protected_node_on_created;
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
        protected_node_set_state(node, NODE_ABSENT);
        return true;
    }
    node->path = path_join(node->parent, name);
    if (node->path != NULL) {
        protected_node_set_state(node, NODE_PRESENT);
    }
    return node->path != NULL;
}

/* The search after a lost answer. *rc: how it went; with ZOK the state is PRESENT or ABSENT. */
static curator_status find_after_lost_answer(struct protected_node *node, struct call *call, int *rc)
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
            protected_node_set_state(node, NODE_ABSENT);
            *rc = ZOK;
        } else if (*rc == ZOK && !protected_node_found(node, children->children)) {
            status = call_fail(call, CURATOR_NO_MEMORY, "no memory for a path");
        }
    }
    request_abandon(sync);
    request_abandon(children);
    return status;
}

/* The facts about what was found by its name. */
static curator_status read_found_node(struct protected_node *node, struct call *call, int *rc)
{
    node->doubtful = false; /* before it is sent: events from now on set it again */
    struct request *exists = request_exists(node->session, &call->requests, node->path);
    curator_status status =
        exists != NULL ? call_await_requests(call) : call_fail(call, CURATOR_NO_MEMORY, "no memory for a request");
    if (status == CURATOR_OK) {
        *rc = exists->rc;
        if (*rc == ZOK && !take_stat(node, &exists->stat)) {
            protected_node_vanished(node); /* ours was there, since nobody else knows the name */
            *rc = ZNONODE;
        }
    }
    request_abandon(exists);
    return status;
}

/* Until the outcome is known: the node is there, or certainly not, with create_rc ZOK; or the session's end, or a
 * refusal. */
static curator_status resolve_outcome(struct protected_node *node, struct call *call)
{
    do {
        curator_status status = call_retry(call, node->create_rc);
        if (status == CURATOR_OK) {
            status = call_await_reconnected(call, node->session);
        }
        if (status == CURATOR_SESSION_EXPIRED && session_is_dead(node->session)) {
            node->create_rc = node->session->death;
            return CURATOR_OK;
        }
        if (status == CURATOR_OK) {
            free(node->path);
            node->path = NULL;
            protected_node_set_state(node, NODE_UNKNOWN);
            status = find_after_lost_answer(node, call, &node->create_rc);
        }
        if (status == CURATOR_OK && node->create_rc == ZOK && node->state == NODE_PRESENT) {
            status = read_found_node(node, call, &node->create_rc);
        }
        if (status != CURATOR_OK) {
            return status;
        }
    } while (result_code_outcome_unknown(node->create_rc));
    return CURATOR_OK;
}

curator_status protected_node_create(struct protected_node *node, struct call *call, const void *data, size_t size,
                                     const char *instead, struct request **children)
{
    curator_status status;
    do { /* again if it never arrived: that is certain, so a second create cannot leave two nodes */
        status = send_create(node, call, data, size, instead, children);
        if (status == CURATOR_OK && node->state == NODE_UNKNOWN) {
            request_abandon(*children);
            *children = NULL;
            status = resolve_outcome(node, call);
        }
    } while (status == CURATOR_OK && node->create_rc == ZOK && node->state == NODE_ABSENT);
    if (status != CURATOR_OK || node->create_rc != ZOK) {
        request_abandon(*children);
        *children = NULL;
    }
    return status;
}
