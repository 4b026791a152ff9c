/* SPDX-License-Identifier: Apache-2.0 */
/* What every call answers, and the sentence that goes with a failure. */
#ifndef CURATOR_STATUS_H
#define CURATOR_STATUS_H

#include <curator/api.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum curator_status {
    CURATOR_OK = 0,
    CURATOR_TIMED_OUT,        /* the time the caller gave has passed */
    CURATOR_INTERRUPTED,      /* another thread called curator_mutex_interrupt() */
    CURATOR_NOT_OWNER,        /* the calling thread does not hold the lock */
    CURATOR_LOCK_LOST,        /* the lock was held and is not ours any more */
    CURATOR_RELEASE_PENDING,  /* given up; the delete is not confirmed yet and goes on in the background */
    CURATOR_WOULD_DEADLOCK,   /* the call would wait for something only the calling thread can bring about */
    CURATOR_CONNECTION_LOSS,  /* no server could be reached within the connection timeout and the retry policy */
    CURATOR_SESSION_EXPIRED,  /* sessions ended under the call more often than the retry policy allows */
    CURATOR_NO_AUTH,          /* the server refused: an ACL, or the credentials */
    CURATOR_INVALID_ARGUMENT, /* an argument is wrong; nothing was sent */
    CURATOR_NO_MEMORY,        /* an allocation failed */
    CURATOR_CLOSED,           /* the framework or the mutex was closed */
    CURATOR_FORKED,           /* the object belongs to the parent process; open a new framework in the child */
    CURATOR_ERROR             /* anything else; curator_last_error() says what */
} curator_status;

/* The status's name, such as "CURATOR_TIMED_OUT". Never NULL; static storage; any thread; does not block. */
CURATOR_API const char *curator_status_string(curator_status status);

/*
 * The calling thread's last failure in words: what was tried, on which path, and why it failed.
 * Never NULL ("" before the first failure). The text belongs to the library and stays until this thread's next failing
 * call. A call that returns CURATOR_OK leaves it alone. Any thread; does not block.
 */
CURATOR_API const char *curator_last_error(void);

#ifdef __cplusplus
}
#endif

#endif
