/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One ephemeral node of ours, from before its create is sent until it is known to be deleted. Its name carries a UUID
 * of its own, so it is found again after a create whose answer was lost. Compare ProtectedMode. Its deletion is in
 * guaranteed_delete.h.
 *
 * It belongs to one session: what was sent in that session is never looked for in another. Caller holds client->mutex.
 */
#ifndef CURATOR_FRAMEWORK_PROTECTED_NODE_H
#define CURATOR_FRAMEWORK_PROTECTED_NODE_H

#include "base/uuid.h"
#include "client/call.h"
#include "framework/framework.h"
#include "zk/request.h"

/*
 * Whether the node exists. Legal transitions:
 *
 *     ABSENT  -> SENT                     the create is sent
 *     SENT    -> PRESENT                  it was answered with the path
 *     SENT    -> ABSENT                   it was refused or not sent, or its session is over: only the
 *                                         end of the session deletes what it may have created
 *     SENT    -> UNKNOWN                  its answer is lost, or makes no sense
 *     UNKNOWN -> PRESENT, ABSENT          a search for the UUID has found the node, or shown that there is none
 *     PRESENT -> UNKNOWN                  found by its name, but the look at it failed: the search starts again
 *     PRESENT -> ABSENT                   somebody else deleted it
 *     ABSENT -> ABSENT, UNKNOWN -> UNKNOWN
 */
enum node_state { NODE_ABSENT, NODE_SENT, NODE_UNKNOWN, NODE_PRESENT };

/*
 * How far its deletion is. NONE -> PENDING when its user discards it; PENDING -> one of the others, which are final.
 */
enum node_deletion {
    DELETION_NONE,         /* in use */
    DELETION_PENDING,      /* discarded: only the background uses it */
    DELETION_DONE,         /* it does not exist, or only until its session ends on the server */
    DELETION_MISSING,      /* somebody else had deleted it before our first delete */
    DELETION_SESSION_OVER, /* the session ended before a delete was confirmed */
    DELETION_REFUSED       /* by the server, for good: the node stays until its session is over */
};

enum deletion_step {
    STEP_NONE,
    STEP_SEARCH, /* for the node, by its UUID */
    STEP_LOOK,   /* whether it is still ours */
    STEP_DELETE
};

struct protected_node {
    curator_framework *framework;
    struct session *session; /* a reference */
    int references;
    enum node_state state;
    int create_rc; /* how the creation ended: ZOK, a refusal, or the end of the session */
    int mode;      /* ZOO_EPHEMERAL_SEQUENTIAL, or ZOO_EPHEMERAL with the sequence in the name */
    char uuid[UUID_LENGTH + 1];
    char *parent; /* full path */
    char *prefix; /* full path without the sequence */
    char *path;   /* full path; NULL until known */
    int64_t czxid;
    bool doubtful; /* since it was last seen, its name may have been deleted and created again without our knowledge */

    enum node_deletion deletion;
    void (*on_created)(struct protected_node *node); /* the answer to the create of a discarded node is in */
    int delete_rc;                                   /* with which a delete was refused */
    int deletes;                                     /* sent */
    enum deletion_step step;                         /* the request of the background that is on its way */
    size_t failures;                                 /* in a row, while connected */
    struct deletion_entry entry;                     /* in framework->deletions, from PENDING on */
    struct session_observer observer;
    struct timer retry;
    struct call *waiting; /* to be woken when the deletion is over */
};

/*
 * NULL: out of memory, or no randomness for the UUID. name: what follows the UUID, such as "lock-"; the server adds the
 * sequence if the mode is a sequential one.
 */
struct protected_node *protected_node_new(curator_framework *framework, struct session *session, const char *parent,
                                          const char *name, int mode);

void protected_node_ref(struct protected_node *node);
void protected_node_unref(struct protected_node *node);

/*
 * Creates it and lists the parent's children in one flight, or with instead, a path, asks whether that exists. After a
 * lost answer it looks for the node and, if it does not exist, creates it again. CURATOR_OK: the server has answered
 * with node->create_rc. If that is ZOK, the node exists, and *children (a request, to be abandoned by the caller;
 * NULL: to be asked again) is newer than it. Otherwise the call is over; the node may exist and is to be deleted.
 */
curator_status protected_node_create(struct protected_node *node, struct call *call, const void *data, size_t size,
                                     const char *instead, struct request **children);

/*
 * What an answer about its path says. A name can be created again; the transaction that created a node is unique.
 * False: our node does not exist any more, so what has its name, if anything, is somebody else's and is never deleted.
 * An answer that does not say (refused, lost) changes nothing.
 */
bool protected_node_stands(struct protected_node *node, const struct request *answer);

/* Somebody else has deleted it. */
void protected_node_vanished(struct protected_node *node);

/* Takes a list of the parent's children that is newer than the create. False: out of memory. */
bool protected_node_found(struct protected_node *node, const struct name_list *children);

#endif
