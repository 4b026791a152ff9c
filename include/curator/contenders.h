/* SPDX-License-Identifier: Apache-2.0 */
/** \file
 * Who holds a lock and who waits for it: what an operator wants to see.
 *
 * curator_mutex_participants() has the nodes alone, as Curator has.
 *
 * \code
 * #include <curator/curator.h>
 * #include <inttypes.h>
 * #include <stdio.h>
 *
 * // Prints who holds a lock, with the data of its node, and who waits.
 * curator_status print_queue(curator_mutex *mutex)
 * {
 *     curator_contenders *contenders;
 *     curator_status status = curator_mutex_contenders(mutex, &contenders);
 *     if (status != CURATOR_OK) {
 *         fprintf(stderr, "no list: %s\n", curator_last_error());
 *         return status;
 *     }
 *     for (size_t i = 0; i < contenders->count; i++) {
 *         const curator_contender *contender = contenders->contenders[i];
 *         printf("%s %.*s, session 0x%" PRIx64 "\n", contender->holds ? "holds" : "waits", (int)contender->data_size,
 *                (const char *)contender->data, (uint64_t)contender->session_id);
 *     }
 *     curator_contenders_free(contenders);
 *     return CURATOR_OK;
 * }
 * \endcode
 */
#ifndef CURATOR_CONTENDERS_H
#define CURATOR_CONTENDERS_H

#include <curator/api.h>
#include <curator/mutex.h>
#include <curator/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The most bytes of a node's data that a ::curator_contender carries. */
#define CURATOR_CONTENDER_DATA_MAX 4096

/** What a contender wants, by the name of its node. */
typedef enum curator_contender_kind {
    CURATOR_CONTENDER_MUTEX = 0, /**< A mutex, and every name that is neither of the others, whoever made the node. */
    CURATOR_CONTENDER_READ,      /**< The read side of a read-write lock: the name contains "__READ__". */
    CURATOR_CONTENDER_WRITE      /**< Its write side: the name contains "__WRIT__". */
} curator_contender_kind;

/** One node in the queue of a lock. The library allocates it; later versions may append members. */
typedef struct curator_contender {
    char *path;                  /**< The node: full path, without the name space. */
    curator_contender_kind kind; /**< What it wants. */
    bool holds;                  /**< It holds the lock; otherwise it waits. */
    bool readable;               /**< False: the node's ACL forbids this client to read its data; the rest is known. */
    int64_t session_id;          /**< Of the session that the node ends with; 0: of none, nobody's death frees it. */
    int64_t created_ms;          /**< When it was created, by the server's clock: milliseconds since 1970-01-01 UTC. */
    int64_t token;               /**< What curator_mutex_fencing_token() answers its owner once it holds. For a read
                                      node that outlived the write node of its own thread it is a later number. */
    void *data;                  /**< The first bytes of its data, with a 0 behind them; never NULL. If they were
                                      gzip'd, as by Curator's `enableCompression()`, they are inflated. */
    size_t data_size;            /**< Bytes at data, without that 0: at most CURATOR_CONTENDER_DATA_MAX. */
    size_t data_length;          /**< Bytes that the node has; of data that were gzip'd, data_size, or one more if there
                                      may be more than that. */
} curator_contender;

/** The contenders of a lock in the order in which they get it; freed with curator_contenders_free(). */
typedef struct curator_contenders {
    size_t count;                   /**< How many there are. */
    curator_contender **contenders; /**< Those that hold come first, unless readers hold beside waiting writers. */
} curator_contenders;

/**
 * Lists the contenders of a lock with what their nodes say.
 *
 * Every child of the path counts, whoever made it, as for the lock itself: a node that Curator's locks would wait for
 * is in the list. It stands where curator_mutex_participants() has it; kazoo's and go-zookeeper's nodes are in the
 * order that Curator sees only if their names end in "lock-" and the sequence (docs/compatibility.md).
 *
 * Unlike participants, each side of a read-write lock lists both kinds, since it waits for both. A path that does not
 * exist has no contenders; below a chroot, whether that exists is then asked for with another request.
 *
 * It is a list of the children, then reads of all nodes, at most 128 and about 1 MB of data on their way at a time. So
 * it is no snapshot: a node that vanishes between the two is left out, and the first one left counts as the holder.
 * Nothing is watched, no lock is touched, and other calls of the framework go on beside it.
 *
 * \param mutex      the mutex, or a side of a read-write lock; need not be held
 * \param contenders out: the list, to be freed with curator_contenders_free(); NULL unless CURATOR_OK
 * \retval CURATOR_OK               the list is in *contenders
 * \retval CURATOR_CONNECTION_LOSS  the retry policy allows no further try
 * \retval CURATOR_SESSION_EXPIRED  the retry policy allows no further try
 * \retval CURATOR_INTERRUPTED      by curator_mutex_interrupt()
 * \retval CURATOR_NO_AUTH          the server refused the list of children
 * \retval CURATOR_WOULD_DEADLOCK   called on a ZooKeeper callback thread
 * \retval CURATOR_NO_MEMORY        no list
 * \retval CURATOR_CLOSED           the framework was closed or the mutex destroyed, before or during the call
 * \retval CURATOR_FORKED           called in a child process
 * \retval CURATOR_INVALID_ARGUMENT a NULL
 * \retval CURATOR_ERROR            the chroot of the connect string does not exist; or else, as the sentence says
 * \blocks two round trips, one more if data may not be read, and more for long queues. Without a connection, or without
 *         an answer to the list: as curator_mutex_participants(). A server that falls silent in the middle is given
 *         until the connection is found dead.
 * \threads any but a ZooKeeper callback's
 * \ports InterProcessMutex.getParticipantNodes() and LockInternals.getParticipantNodes(), and says more
 */
CURATOR_API curator_status curator_mutex_contenders(curator_mutex *mutex, curator_contenders **contenders);

/**
 * Frees a list of contenders.
 *
 * \param contenders what curator_mutex_contenders() handed out; NULL is fine
 * \blocks no
 * \threads any
 * \ports nothing: in Java a garbage collector does it
 */
CURATOR_API void curator_contenders_free(curator_contenders *contenders);

#ifdef __cplusplus
}
#endif

#endif
