/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The truth: what the leader of a simulated ensemble has committed. Nodes keep when they were made, changed and
 * deleted, so that a server which lags can be asked for what it has seen until a transaction.
 */
#ifndef CURATOR_SCHEDULES_ENSEMBLE_H
#define CURATOR_SCHEDULES_ENSEMBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zookeeper/zookeeper.h>

#define MAX_NODES 96
#define MAX_CHANGES 8
#define MAX_SESSIONS 32
#define MAX_DATA 16
#define PATH_SIZE 160

struct change {
    int64_t zxid;
    char data[MAX_DATA];
    int size;
};

struct node {
    char path[PATH_SIZE];
    int64_t created, deleted; /* zxid; 0: not deleted */
    int64_t owner;            /* a session's id; 0: none */
    bool of_library;          /* made by a request of the library */
    struct change changes[MAX_CHANGES];
    int change_count;  /* the first is the creation */
    int sequence;      /* of the next child */
    int64_t stat_sent; /* for the oracle: the newest request that was answered with its Stat */
    bool deletion_told;
};

enum ending { ALIVE, EXPIRED, CLOSED_BY_CLIENT, CLOSED_BY_OPERATOR };

struct server_session {
    int64_t id;
    int64_t timeout;
    int64_t heard; /* when the leader last heard of it */
    int64_t ended; /* zxid; 0: not */
    enum ending ending;
    bool of_library;
};

struct ensemble {
    int64_t zxid;
    struct node nodes[MAX_NODES];
    size_t node_count;
    struct server_session sessions[MAX_SESSIONS];
    size_t session_count;
    bool unreadable; /* nodes' data, by their ACL */
};

extern struct ensemble ensemble;

void ensemble_reset(void);

struct server_session *ensemble_open_session(int64_t timeout, bool of_library);
struct server_session *ensemble_session(int64_t id);
void ensemble_end_session(struct server_session *session, enum ending how);
void ensemble_expire_sessions(void); /* those the leader has not heard of for long enough */

/* Each a transaction: a result code. *created gets the node. */
int ensemble_create(const char *path, int mode, int64_t owner, const char *data, int size, struct node **created);
int ensemble_delete(const char *path);
int ensemble_set(const char *path, const char *data, int size);
int ensemble_replace(struct node *node); /* deleted and made again by an operator, in two transactions */

/* What a server that has applied the transactions until a zxid sees; the newest state is that of ensemble.zxid. */
struct node *ensemble_find(const char *path, int64_t zxid);
bool node_visible(const struct node *node, int64_t zxid);
bool node_is_child(const struct node *node, const char *parent);
const struct change *node_change(const struct node *node, int64_t zxid); /* the newest by then */
void node_stat(const struct node *node, int64_t zxid, struct Stat *stat);

#endif
