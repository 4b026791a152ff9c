/* SPDX-License-Identifier: Apache-2.0 */
/** \file
 * The nodes that hold a lock and wait for it.
 *
 * curator_mutex_contenders() has what they say, too.
 */
#ifndef CURATOR_PARTICIPANTS_H
#define CURATOR_PARTICIPANTS_H

#include <curator/api.h>
#include <curator/status.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** \cond */
typedef struct curator_mutex curator_mutex; /* <curator/mutex.h> */
/** \endcond */

/** The contenders of a lock in the order in which they get it; freed with curator_participants_free(). */
typedef struct curator_participants {
    size_t count; /**< How many there are. */
    char **paths; /**< Their nodes: full paths, without the name space. */
} curator_participants;

/**
 * Lists the nodes that hold and wait, the holder first.
 *
 * Of a side of a read-write lock only those of its kind. A path that does not exist has none; below a chroot, whether
 * that exists is then asked for with another request.
 *
 * \param mutex        the mutex
 * \param participants out: the list, to be freed with curator_participants_free(); NULL unless CURATOR_OK
 * \retval CURATOR_OK               the list is in *participants
 * \retval CURATOR_CONNECTION_LOSS  the retry policy allows no further try
 * \retval CURATOR_SESSION_EXPIRED  the retry policy allows no further try
 * \retval CURATOR_INTERRUPTED      by curator_mutex_interrupt()
 * \retval CURATOR_NO_AUTH          the server refused
 * \retval CURATOR_WOULD_DEADLOCK   called on a ZooKeeper callback thread
 * \retval CURATOR_NO_MEMORY        no list
 * \retval CURATOR_CLOSED           the framework was closed or the mutex destroyed, before or during the call
 * \retval CURATOR_FORKED           called in a child process
 * \retval CURATOR_INVALID_ARGUMENT a NULL
 * \retval CURATOR_ERROR            the chroot of the connect string does not exist; or else, as the sentence says
 * \blocks a round trip. Without a connection: connection_timeout_ms, then the pauses of the retry policy. Without an
 *         answer: connection_timeout_ms for each try that the policy allows, and its pauses.
 * \threads any but a ZooKeeper callback's
 * \ports InterProcessMutex.getParticipantNodes()
 */
CURATOR_API curator_status curator_mutex_participants(curator_mutex *mutex, curator_participants **participants);

/**
 * Frees a list of participants.
 *
 * \param participants what curator_mutex_participants() handed out; NULL is fine
 * \blocks no
 * \threads any
 * \ports nothing: in Java a garbage collector does it
 */
CURATOR_API void curator_participants_free(curator_participants *participants);

#ifdef __cplusplus
}
#endif

#endif
