/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One ephemeral sequential node of ours, from before its create is sent until it is known to be gone. Its name carries
 * a UUID of its own, so it is found again after a create whose answer was lost; its delete goes on in the background
 * until the server confirms it or the session is over. Compare ProtectedMode and FailedDeleteManager.
 *
 * It belongs to one session: what was sent in that session is never looked for in another. Everything here wants the
 * client's mutex held.
 */
#ifndef CURATOR_FRAMEWORK_PROTECTED_NODE_H
#define CURATOR_FRAMEWORK_PROTECTED_NODE_H

#include "base/uuid.h"
#include "client/call.h"
#include "framework/framework.h"
#include "zk/request.h"

/* How long a call that is over waits for its node's delete to be confirmed. */
#define CLEAN_UP_MS 50

enum node_create_state {
    NODE_ABSENT,  /* never sent, refused, or known not to exist */
    NODE_SENT,    /* its create is on its way */
    NODE_UNKNOWN, /* the create's outcome is not known: it has to be looked for */
    NODE_PRESENT  /* created; path is known */
};

struct protected_node {
    curator_framework *framework;
    struct session *session; /* a reference */
    int references;
    enum node_create_state create_state;
    int create_rc;
    int mode; /* ZOO_EPHEMERAL_SEQUENTIAL, or ZOO_EPHEMERAL with a sequence of ours in the name */
    char uuid[UUID_LENGTH + 1];
    char *parent; /* full path */
    char *prefix; /* full path without the sequence */
    char *path;   /* full path; NULL until known */
    int64_t czxid;
    bool doubtful; /* since it was last seen, somebody can have made its name again without our being told */

    bool discarded;          /* to be deleted; nobody but the background uses it */
    bool gone;               /* the work of the background is done */
    bool was_missing;        /* it did not exist any more when the first delete was to be sent, or was */
    bool ended_with_session; /* gone for that, before a delete was confirmed */
    int refused;             /* the result code with which the server refused the delete for good; ZOK: it did not */
    int deletes;             /* sent */
    bool busy;               /* a request of the background is on its way */
    int failures;            /* in a row, while connected */
    struct session_observer observer;
    struct timer retry;
    struct call *waiting;      /* to be woken when it is gone */
    int32_t version_seen;      /* of its data; 0 as created */
    bool revocation_requested; /* for the layer above */
    int64_t token;             /* for the layer above: of the grant; the czxid of this node or of the one it leans on */
    void *holder;              /* for the layer above: who relies on it now; NULL: nobody */
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
 * Creates it and lists the parent's children in one flight, or with instead, a path, asks whether that exists; after a
 * lost answer looks for the node and, if it is not there, creates it again. CURATOR_OK with *rc ZOK: it exists, and
 * *children (a request, to be abandoned by the caller; NULL if it has to be asked again) comes after it. CURATOR_OK with
 * another *rc: the server's refusal, or the end of the session. Otherwise the call is over; the node may exist and wants
 * protected_node_discard().
 */
curator_status protected_node_create(struct protected_node *node, struct call *call, const void *data, size_t size,
                                     const char *instead, struct request **children, int *rc);

/*
 * What an answer about its path says. A name can be made again; the transaction that created a node cannot. False: our
 * node is gone, so what stands there, if anything, is somebody else's and is never deleted. An answer that does not say
 * (refused, lost) changes nothing.
 */
bool protected_node_stands(struct protected_node *node, const struct request *answer);

/* Has on_finished called, now or later, with a new reference to the node, which it lets go of; takes over that to the
 * request. False: the request is NULL, for want of memory. */
bool protected_node_follow(struct protected_node *node, struct request *request,
                           void (*on_finished)(struct request *request, void *context));

/* It is known to have been deleted by somebody. */
void protected_node_vanished(struct protected_node *node);

/* Sees to it in the background that the node is gone, whatever state it is in; takes over the caller's reference. */
void protected_node_discard(struct protected_node *node);

/*
 * After a discard, with an own reference: waits until it is gone, at most until a time, CLEAN_UP_MS after an interrupt,
 * or the closing of the framework. False: it is not gone yet.
 */
bool protected_node_await_gone(struct protected_node *node, struct call *call, int64_t until);

#endif
