/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ZooKeeper client and the server that it is connected to, as one stand-in for the zoo_... functions. What happens
 * to a request takes four steps, each of which somebody has to ask for: the leader takes part in it (those that write,
 * and sync), the server answers, the client's I/O thread receives, and the completion thread, a task, calls the
 * library.
 *
 * The order is ZooKeeper's: requests of one connection are answered in the order in which they were sent, a write when
 * the server has applied it; events of a transaction are sent when the server applies it, in any order among
 * themselves, and so before any answer that shows it.
 */
#ifndef CURATOR_SCHEDULES_HANDLE_H
#define CURATOR_SCHEDULES_HANDLE_H

#include "ensemble.h"

#include <stdbool.h>
#include <stdint.h>
#include <zookeeper/zookeeper.h>

#define MAX_HANDLES 16
#define MAX_REQUESTS 1024 /* of one connection, on their way */
#define MAX_MESSAGES 1024
#define MAX_WATCHES 32
#define MAX_CHILDREN 96

enum operation { CREATE, DELETE, SET, SYNC, EXISTS, GET, GET_CHILDREN };

struct sent_request {
    enum operation operation;
    char path[PATH_SIZE];
    char data[MAX_DATA];
    int size;
    int mode;
    watcher_fn watcher; /* of a GET */
    void *watcher_context;
    void (*completion)(void); /* of the type that belongs to the operation */
    const void *context;
    int64_t sent;
    int64_t number;
    bool on_wire;  /* sent on this connection */
    bool executed; /* by the leader */
    int64_t zxid;  /* which it was then */
    int rc;
    char result_path[PATH_SIZE];
    struct Stat stat;
    const struct node *children[MAX_CHILDREN];
    int child_count;
};

enum message_kind { ANSWER, EVENT, SESSION_EVENT };

struct message {
    enum message_kind kind;
    struct sent_request *request; /* of an answer */
    int type, state;              /* of an event */
    const char *path;             /* a node's */
    int64_t zxid;                 /* of an answer: what the server had applied */
};

struct queue {
    struct message messages[MAX_MESSAGES];
    size_t first, count;
};

/* What the ZooKeeper client keeps of a watch, or the server. */
struct watch {
    char path[PATH_SIZE];
    watcher_fn fn;
    void *context;
};

struct watches {
    struct watch entries[MAX_WATCHES];
    size_t count;
};

struct _zhandle {
    bool open;
    bool closing;
    bool failing; /* requests are refused: the session is over */
    int number;
    watcher_fn watcher;
    void *context;
    clientid_t id;
    int timeout_ms;
    int state;
    bool connected;
    int64_t last_zxid; /* of the answers received */
    int64_t received;  /* when something last came */
    int64_t applied;   /* by its server */
    bool to_server_stalled, to_client_stalled, leader_cut;
    bool over_on_server;                         /* the server has sent its last and closes the connection */
    struct watches set;                          /* at the client */
    struct watches watched;                      /* at the server */
    struct sent_request *requests[MAX_REQUESTS]; /* not answered yet, in the order of their sending */
    size_t request_count;
    struct sent_request *ghosts[MAX_REQUESTS]; /* writes that a lost connection's server has, and may pass on */
    size_t ghost_count;
    struct queue wire, inbox;
    struct task *completion_task;
    bool has_work; /* the completion thread's */
    int64_t
        list_sent; /* for the oracle: when the newest list of children that was answered had been sent, and the list */
    int64_t list_number;
    int64_t broken_at; /* likewise: when the connection last broke */
    const struct node *listed[MAX_CHILDREN];
    int listed_count;
};

extern struct _zhandle handles[MAX_HANDLES];
extern size_t handle_count;

void handles_reset(void);

/* The steps. False: there is nothing of that kind to do. */
bool handle_forward(zhandle_t *handle);
bool handle_forward_ghost(zhandle_t *handle);
bool handle_apply(zhandle_t *handle);
bool handle_answer(zhandle_t *handle);
bool handle_receive(zhandle_t *handle);

/* The connection breaks: what was on the wire is lost from some point on; outstanding requests end with rc. */
bool handle_disconnect(zhandle_t *handle, int rc);
bool handle_refuse(zhandle_t *handle, int rc); /* a try to connect fails, and what waits for it */
bool handle_connect(zhandle_t *handle, int64_t applied);

#endif
