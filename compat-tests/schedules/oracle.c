/* SPDX-License-Identifier: Apache-2.0 */
/* What has to be so, judged by what the leader knows. */
#include "oracle.h"

#include "schedule.h"
#include "task.h"

#include <string.h>

#define OWN_NODE_MS 20 /* docs/protocol.md: a node made again under our name within this time is not noticed */

bool oracle_is_contender(const struct node *node)
{
    return node_is_child(node, LOCK_PATH);
}

const char *oracle_lock_name(const struct node *node)
{
    static const char *const names[] = {"lock-", "__READ__", "__WRIT__"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *found = strstr(node->path, names[i]);
        if (found != NULL) {
            return found;
        }
    }
    return node->path;
}

/* By the number; only writers are before a reader. */
bool node_before(const struct node *node, const struct node *own)
{
    bool ignored = run.plan.kind == READER && strstr(node->path, "__WRIT__") == NULL;
    const char *number = node->path + strlen(node->path) - 10;
    return !ignored && strcmp(number, own->path + strlen(own->path) - 10) < 0;
}

struct node *oracle_node_of_token(void)
{
    int64_t token = 0;
    if (curator_mutex_fencing_token(run.mutex, &token) != CURATOR_OK) {
        return NULL;
    }
    for (struct node *node = ensemble.nodes; node < ensemble.nodes + ensemble.node_count; node++) {
        if (node->created == token) {
            return node;
        }
    }
    return NULL;
}

static zhandle_t *handle_of(const struct node *own)
{
    for (size_t i = 0; i < handle_count; i++) {
        if (handles[i].id.client_id == own->owner) {
            return &handles[i];
        }
    }
    return NULL;
}

static bool was_listed(const zhandle_t *handle, const struct node *node)
{
    for (int i = 0; i < handle->listed_count; i++) {
        if (handle->listed[i] == node) {
            return true;
        }
    }
    return false;
}

/* Made again by an operator, so early that no recipe can know: docs/protocol.md, "Within one flight". */
static bool is_excused(const zhandle_t *handle, const struct node *own)
{
    for (const struct node *node = ensemble.nodes; node < ensemble.nodes + ensemble.node_count; node++) {
        if (node->created > own->created && strcmp(node->path, own->path) == 0) {
            return handle->list_sent < own->stat_sent + OWN_NODE_MS * MS && handle->broken_at < own->stat_sent;
        }
    }
    return false;
}

/* Whoever is granted the lock has had the first node after some transaction, and nobody else's is before it now. */
void oracle_check_grant(void)
{
    const struct node *own = oracle_node_of_token();
    const zhandle_t *handle = own != NULL ? handle_of(own) : NULL;
    if (own == NULL || !own->of_library || handle == NULL) {
        run_fail("granted without a node of its own");
        return;
    }
    if (ensemble_session(own->owner)->ending == EXPIRED) {
        run_fail("granted in a session that the leader has expired");
    }
    for (const struct node *node = ensemble.nodes; node < ensemble.nodes + ensemble.node_count; node++) {
        bool reader = strstr(node->path, "__READ__") != NULL && node->owner != 0; /* in its writer's place */
        bool counts = node->created < own->created || was_listed(handle, node) || (run.plan.kind != MUTEX && reader);
        if (node == own || !oracle_is_contender(node) || !counts || !node_before(node, own)) {
            continue;
        }
        if (node->deleted == 0) {
            run_fail("granted to %s while %s stands before it", oracle_lock_name(own), oracle_lock_name(node));
        }
        bool was_first = own->deleted == 0 || node->deleted < own->deleted;
        if (!was_first && node->created < own->deleted && !is_excused(handle, own)) {
            run_fail("granted to %s, which was deleted before it was first", oracle_lock_name(own));
        }
    }
}

void oracle_check_hold(void)
{
    const struct node *own = oracle_node_of_token();
    if (own == NULL || !curator_mutex_is_owned_by_current_thread(run.mutex)) {
        return;
    }
    if (ensemble_session(own->owner)->ending == EXPIRED) {
        const struct server_session *session = ensemble_session(own->owner);
        run_fail("held in a session that the leader has expired: last heard of at %lld ms",
                 (long long)((session->heard - INT64_C(1000000) * MS) / MS));
    }
}

void oracle_check_nothing_left(const char *when)
{
    for (const struct node *node = ensemble.nodes; node < ensemble.nodes + ensemble.node_count; node++) {
        if (node->of_library && oracle_is_contender(node) && node->deleted == 0) {
            run_fail("%s is left behind after %s", node->path, when);
        }
    }
}
