/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One blocking call of the user: its deadline, its retry budget, and everything that can end its wait. Lives on the
 * caller's stack. Compare RetryLoop. The caller holds the client's mutex.
 *
 * No wake-up can be missed: whatever a call waits for changes under the mutex, and the call looks at it under the mutex
 * before it waits.
 */
#ifndef CURATOR_CLIENT_CALL_H
#define CURATOR_CLIENT_CALL_H

#include "base/clock.h"
#include "base/wait_group.h"
#include "client/client.h"

#include <curator/status.h>

struct call {
    struct call *prev, *next; /* client->calls */
    struct client *client;
    const void *owner;  /* the object it was made on: what an interrupt addresses */
    const char *caller; /* for sentences: "curator_mutex_acquire" */
    const char *path;   /* for sentences; NULL: none */
    struct waker *waker;
    int64_t started;
    int64_t deadline;
    curator_status at_deadline; /* what it means when the deadline passes */
    bool interrupted;
    bool owner_closed;
    struct wait_group requests; /* of its requests, not finished yet */
    int retries;                /* how often the policy has been asked */
    int64_t connect_by;         /* when waiting for a connection ends; NEVER while connected */
    const char *waiting_for;    /* for sentences: "the answer to create"; never NULL */
};

/*
 * CURATOR_OK, or the call cannot begin: CURATOR_CLOSED, CURATOR_WOULD_DEADLOCK. To be ended only
 * after CURATOR_OK.
 */
curator_status call_begin(struct call *call, struct client *client, const void *owner, const char *caller,
                          const char *path, int64_t deadline);
void call_end(struct call *call);

void call_wake(struct call *call);

/* Ends the waits of all calls on an object: interrupts them, or says that the object is closed. */
void call_interrupt_all(struct client *client, const void *owner);
void call_close_all(struct client *client, const void *owner);
bool call_any(const struct client *client, const void *owner);

/* CURATOR_OK, or why the call may not go on: CURATOR_CLOSED, CURATOR_INTERRUPTED, its status at the deadline. */
curator_status call_check(struct call *call);

/*
 * Waits until somebody wakes the call, or until a time. CURATOR_OK: look again at what you wait for; else as
 * call_check().
 */
curator_status call_wait(struct call *call, int64_t until);

/* Waits until all requests of the call have finished. */
curator_status call_await_requests(struct call *call);

/*
 * Waits for a usable session and hands out a reference to it; at most the connection timeout and the pauses of the
 * retry policy.
 * CURATOR_CONNECTION_LOSS, CURATOR_NO_AUTH, or as call_check().
 */
curator_status call_await_session(struct call *call, struct session **session);

/* Waits until this session is usable again; CURATOR_SESSION_EXPIRED if it dies. */
curator_status call_await_reconnected(struct call *call, struct session *session);

/*
 * After a failure that can pass: asks the retry policy and waits the pause it wants, less if a lost connection is back
 * at the first retry. CURATOR_OK: try again. Otherwise the status that the failure has, or as call_check().
 */
curator_status call_retry(struct call *call, int rc);

/* A sentence with the function called and the path in front. */
curator_status call_fail(const struct call *call, curator_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The sentence for credentials that the server has refused: CURATOR_NO_AUTH. */
curator_status call_fail_credentials(const struct call *call);

/* The sentence for a request that ended with this code. */
curator_status call_fail_request(const struct call *call, const char *operation, const char *path, int rc);

#endif
