/* SPDX-License-Identifier: Apache-2.0 */
/* The truth: what the leader of a simulated ensemble has committed. */
#include "ensemble.h"

#include "task.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

struct ensemble ensemble;

void ensemble_reset(void)
{
    ensemble.zxid = 100;
    ensemble.node_count = 0;
    ensemble.session_count = 0;
    ensemble.unreadable = false;
}

struct server_session *ensemble_open_session(int64_t timeout, bool of_library)
{
    assert(ensemble.session_count < MAX_SESSIONS);
    struct server_session *session = &ensemble.sessions[ensemble.session_count++];
    ensemble.zxid++;
    *session = (struct server_session){.id = 0x1000 + (int64_t)ensemble.session_count,
                                       .timeout = timeout,
                                       .heard = time_now() + time_slept(),
                                       .of_library = of_library};
    return session;
}

struct server_session *ensemble_session(int64_t id)
{
    for (size_t i = 0; i < ensemble.session_count; i++) {
        if (ensemble.sessions[i].id == id) {
            return &ensemble.sessions[i];
        }
    }
    return NULL;
}

void ensemble_end_session(struct server_session *session, enum ending how)
{
    session->ending = how;
    session->ended = ++ensemble.zxid;
    for (struct node *node = ensemble.nodes; node < ensemble.nodes + ensemble.node_count; node++) {
        if (node->owner == session->id && node->deleted == 0) {
            node->deleted = ensemble.zxid;
        }
    }
}

void ensemble_expire_sessions(void)
{
    for (size_t i = 0; i < ensemble.session_count; i++) {
        struct server_session *session = &ensemble.sessions[i];
        if (session->of_library && session->ending == ALIVE &&
            time_now() + time_slept() >= session->heard + session->timeout) {
            ensemble_end_session(session, EXPIRED);
        }
    }
}

bool node_visible(const struct node *node, int64_t zxid)
{
    return node->created <= zxid && (node->deleted == 0 || node->deleted > zxid);
}

struct node *ensemble_find(const char *path, int64_t zxid)
{
    for (struct node *node = ensemble.nodes; node < ensemble.nodes + ensemble.node_count; node++) {
        if (node_visible(node, zxid) && strcmp(node->path, path) == 0) {
            return node;
        }
    }
    return NULL;
}

static size_t parent_length(const char *path)
{
    return (size_t)(strrchr(path, '/') - path);
}

bool node_is_child(const struct node *node, const char *parent)
{
    size_t length = parent_length(node->path);
    return strlen(parent) == length && strncmp(node->path, parent, length) == 0;
}

static bool has_children(const struct node *parent)
{
    for (const struct node *node = ensemble.nodes; node < ensemble.nodes + ensemble.node_count; node++) {
        if (node_visible(node, ensemble.zxid) && node_is_child(node, parent->path)) {
            return true;
        }
    }
    return false;
}

static void add_change(struct node *node, const char *data, int size)
{
    assert(node->change_count < MAX_CHANGES);
    struct change *change = &node->changes[node->change_count++];
    *change = (struct change){.zxid = ensemble.zxid, .size = size < MAX_DATA ? size : MAX_DATA};
    if (change->size > 0) {
        memcpy(change->data, data, (size_t)change->size);
    }
}

int ensemble_create(const char *path, int mode, int64_t owner, const char *data, int size, struct node **created)
{
    char parent_path[PATH_SIZE];
    snprintf(parent_path, sizeof parent_path, "%.*s", (int)parent_length(path), path);
    struct node *parent = parent_path[0] != '\0' ? ensemble_find(parent_path, ensemble.zxid) : NULL;
    if (parent_path[0] != '\0' && parent == NULL) {
        return ZNONODE;
    }
    bool sequential = mode == ZOO_EPHEMERAL_SEQUENTIAL || mode == ZOO_PERSISTENT_SEQUENTIAL;
    bool ephemeral = mode == ZOO_EPHEMERAL_SEQUENTIAL || mode == ZOO_EPHEMERAL;
    if (!sequential && ensemble_find(path, ensemble.zxid) != NULL) {
        return ZNODEEXISTS;
    }
    assert(ensemble.node_count < MAX_NODES);
    struct node *node = &ensemble.nodes[ensemble.node_count++];
    *node = (struct node){.created = ++ensemble.zxid, .owner = ephemeral ? owner : 0};
    int length = sequential ? snprintf(node->path, PATH_SIZE, "%s%010d", path, parent->sequence)
                            : snprintf(node->path, PATH_SIZE, "%s", path);
    assert(length < PATH_SIZE);
    if (parent != NULL) {
        parent->sequence++;
    }
    add_change(node, data, size);
    *created = node;
    return ZOK;
}

int ensemble_delete(const char *path)
{
    struct node *node = ensemble_find(path, ensemble.zxid);
    if (node == NULL) {
        return ZNONODE;
    }
    if (has_children(node)) {
        return ZNOTEMPTY;
    }
    node->deleted = ++ensemble.zxid;
    return ZOK;
}

int ensemble_set(const char *path, const char *data, int size)
{
    struct node *node = ensemble_find(path, ensemble.zxid);
    if (node == NULL || node->change_count == MAX_CHANGES) {
        return ZNONODE;
    }
    ensemble.zxid++;
    add_change(node, data, size);
    return ZOK;
}

int ensemble_replace(struct node *node)
{
    struct node *created;
    int rc = ensemble_delete(node->path);
    return rc == ZOK ? ensemble_create(node->path, ZOO_PERSISTENT, 0, "", 0, &created) : rc;
}

const struct change *node_change(const struct node *node, int64_t zxid)
{
    int i = node->change_count - 1;
    while (i > 0 && node->changes[i].zxid > zxid) {
        i--;
    }
    return &node->changes[i];
}

void node_stat(const struct node *node, int64_t zxid, struct Stat *stat)
{
    const struct change *change = node_change(node, zxid);
    *stat = (struct Stat){.czxid = node->created,
                          .mzxid = change->zxid,
                          .version = (int32_t)(change - node->changes),
                          .ephemeralOwner = node->owner,
                          .dataLength = change->size};
}
