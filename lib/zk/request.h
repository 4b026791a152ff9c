/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One asynchronous request of one session. It is finished exactly once: by its reply, by the death of its session, or
 * by the closing of its handle. The caller holds the group's mutex.
 */
#ifndef CURATOR_ZK_REQUEST_H
#define CURATOR_ZK_REQUEST_H

#include "base/wait_group.h"
#include "zk/session.h"

#include <stddef.h>
#include <zookeeper/zookeeper.h>

/* How much of a node's data a request keeps: all we ever compare, and enough to say whose node it is. */
#define DATA_KEPT 64

/* A copy of a list of names; one block of memory. */
struct name_list {
    size_t count;
    const char *names[];
};

/* Whoever sends it owns one reference, the ZooKeeper client another until it has called the completion. */
struct request {
    struct outstanding_request outstanding; /* session->outstanding, while the ZooKeeper client has it */
    struct session *session;
    int references;
    bool finished;
    int rc;
    bool asks_leader;             /* its answer shows that the session lives */
    int64_t sent;                 /* lease clock */
    struct watched_path *watched; /* what it sets a watch on; NULL: nothing */
    bool watch_set;
    struct wait_group *waiting; /* who waits for it; NULL: nobody */
    /* Called once when it finishes; must neither block nor release the request's last reference. */
    void (*on_finished)(struct request *request, void *context);
    void *context;
    struct Stat stat; /* of create, exists and the reads */
    char *path;       /* of create: the created node's, as the server names it; empty until then */
    size_t path_room;
    struct name_list *children; /* of the lists, in the server's order */
    char data[DATA_KEPT];       /* of get_and_watch: the first bytes; stat says how many there are */
    char *contents;             /* of get: the first bytes, with a 0 behind them */
    size_t contents_size, contents_room;
};

/*
 * Each sends at once and returns the request, already finished if it could not be sent; NULL if there is no memory.
 * Paths are full paths. The wait group counts it until it has finished; NULL: nobody waits.
 */
struct request *request_create(struct session *session, struct wait_group *waiting, const char *path, const void *data,
                               size_t size, const struct ACL_vector *acl, int mode);
struct request *request_get_children(struct session *session, struct wait_group *waiting, const char *path);
struct request *request_exists(struct session *session, struct wait_group *waiting, const char *path);
struct request *request_delete(struct session *session, struct wait_group *waiting, const char *path);
struct request *request_sync(struct session *session, struct wait_group *waiting, const char *path);

struct request *request_set(struct session *session, struct wait_group *waiting, const char *path, const void *data,
                            size_t size);

/* Reads the node, and keeps that many bytes of its data at most. */
struct request *request_get(struct session *session, struct wait_group *waiting, const char *path, size_t keep);

/* Lists the children and sets the session's watch on them, unless the node is missing. See watch.h. */
struct request *request_get_children_and_watch(struct session *session, struct wait_group *waiting, const char *path);

/* Reads the node and sets the session's watch on its path, unless the node is missing. See watch.h. */
struct request *request_get_and_watch(struct session *session, struct wait_group *waiting, const char *path);

/* Also sent when the session is dead, if it was never connected: fails when the try to connect that is under way, or
 * the next one, does. */
struct request *request_probe(struct session *session);

void request_ref(struct request *request);
void request_unref(struct request *request); /* NULL is fine */

/* Nobody waits for it any more. Releases the caller's reference; the request itself is not cancelled. NULL is fine. */
void request_abandon(struct request *request);

void request_finish(struct request *request, int rc);

/*
 * The handle has been closed: finishes what the ZooKeeper client has left behind. It forgets some completions when it
 * is closed; none will come any more.
 */
void request_finish_all(struct session *session);

#endif
