/* SPDX-License-Identifier: Apache-2.0 */
/** \file
 * What every call answers, and the sentence that goes with a failure.
 *
 * A call answers with a status for the program and a sentence for the person who reads the log. The sentence belongs to
 * the thread that failed; failures of other threads do not disturb it.
 *
 * \code
 * #include <curator/curator.h>
 * #include <stdio.h>
 *
 * // True if the lock is ours; says why, if it is not.
 * bool take(curator_mutex *mutex, int64_t timeout_ms)
 * {
 *     curator_status status = curator_mutex_acquire_for(mutex, timeout_ms);
 *     switch (status) {
 *     case CURATOR_OK:
 *         return true;
 *     case CURATOR_TIMED_OUT:
 *     case CURATOR_INTERRUPTED:
 *         return false; // an answer, not a failure
 *     default:
 *         fprintf(stderr, "%s: %s\n", curator_status_string(status), curator_last_error());
 *         return false;
 *     }
 * }
 * \endcode
 */
#ifndef CURATOR_STATUS_H
#define CURATOR_STATUS_H

#include <curator/api.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a call answers. */
typedef enum curator_status {
    CURATOR_OK = 0,           /**< Done. */
    CURATOR_TIMED_OUT,        /**< The time that the caller gave has passed. */
    CURATOR_INTERRUPTED,      /**< Another thread called curator_mutex_interrupt() or
                                   curator_semaphore_interrupt() during the wait. */
    CURATOR_NOT_OWNER,        /**< The calling thread does not hold the lock; nothing changed. A bug in the caller:
                                   only the thread that acquired can release. */
    CURATOR_LOCK_LOST,        /**< The lock was held and is no longer ours. Stop, treat what was done as
                                   unprotected, and release as often as acquired. */
    CURATOR_RELEASE_PENDING,  /**< The lock was given up, but its delete is not confirmed yet. It goes on in the
                                   background; nothing is left to do. */
    CURATOR_WOULD_DEADLOCK,   /**< The call would wait for what only the calling thread can bring about. Call from
                                   another thread; of a read-write lock, release the read lock first. */
    CURATOR_CONNECTION_LOSS,  /**< No server could be reached within the connection timeout and the retry policy. */
    CURATOR_SESSION_EXPIRED,  /**< Sessions ended during the call more often than the retry policy allows. Try again. */
    CURATOR_NO_AUTH,          /**< The server refused: an ACL, or the credentials. */
    CURATOR_INVALID_ARGUMENT, /**< An argument is wrong; nothing was sent. */
    CURATOR_NO_MEMORY,        /**< An allocation failed. The call did nothing that stays (docs/reliability.md has the
                                   details); it can be called again. */
    CURATOR_CLOSED,           /**< The framework was closed, or the object destroyed, before or during the call. */
    CURATOR_FORKED,           /**< The object belongs to the parent process. Open a new framework in the child. */
    CURATOR_ERROR             /**< Anything else; the sentence of curator_last_error() says what. */
} curator_status;

/**
 * Returns the name of a status, such as "CURATOR_TIMED_OUT".
 *
 * \param status any value
 * \return the name; "unknown curator_status" for a value that is none. Never NULL; static storage, not to be freed.
 * \blocks no
 * \threads any
 * \ports the class name of an exception
 */
CURATOR_API const char *curator_status_string(curator_status status);

/**
 * Returns the last failure of the calling thread in words.
 *
 * The sentence begins with the function called and the path it was called for:
 * `curator_mutex_acquire_for /jobs/nightly: ...`. Then it says why it failed. If no server could be reached, it names
 * the servers tried and what is known of each: a name that cannot be resolved, a connection that was refused, a request
 * for a session that is not answered. That comes from the log of ZooKeeper's C client, at its level INFO, for up to 16
 * sessions of a process.
 *
 * It is one line of at most 1023 bytes; a longer one ends in "...". Long names, paths and data are cut, too.
 * It is UTF-8: control characters, line separators and bytes that are no UTF-8 stand as `\x0a`, so that a name or data
 * from outside cannot forge lines of a log. Nothing is allocated.
 *
 * \return the sentence; "" before the first failure of this thread. Never NULL. It belongs to the library and stays
 *         until the next failing call of this thread. A call that returns CURATOR_OK leaves it alone.
 * \blocks no
 * \threads any
 * \ports Throwable.getMessage()
 */
CURATOR_API const char *curator_last_error(void);

#ifdef __cplusplus
}
#endif

#endif
