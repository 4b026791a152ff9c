/* SPDX-License-Identifier: Apache-2.0 */
/** \file
 * How long a hold certainly lasts, and the functions that are called before and after its loss.
 */
#ifndef CURATOR_LEASE_H
#define CURATOR_LEASE_H

#include <curator/api.h>
#include <curator/status.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** \cond */
typedef struct curator_mutex curator_mutex; /* <curator/mutex.h> */
/** \endcond */

/**
 * Asks how long the calling thread's hold certainly lasts if nothing more is heard from the servers.
 *
 * By the library's own clock of the session's lease (docs/guarantees.md): until then no other contender can hold, as
 * long as nobody deletes the node by hand. While the link is healthy it goes up again several times a session timeout.
 *
 * \param mutex        the mutex
 * \param remaining_ms out: milliseconds, rounded down; 0: the lock is lost, or must be taken for lost now. Untouched
 *                     unless CURATOR_OK
 * \retval CURATOR_OK               the time is in *remaining_ms
 * \retval CURATOR_NOT_OWNER        this thread does not hold the lock
 * \retval CURATOR_CLOSED           the framework was closed, or the mutex is being destroyed
 * \retval CURATOR_FORKED           called in a child process
 * \retval CURATOR_INVALID_ARGUMENT a NULL
 * \blocks no
 * \threads the one that acquired
 * \ports nothing: Curator has none
 */
CURATOR_API curator_status curator_mutex_lease_remaining(const curator_mutex *mutex, int64_t *remaining_ms);

/**
 * Sets the function that is called when a hold is about to be lost: so early that what it protects can be stopped
 * before somebody else can hold.
 *
 * Called once when a hold certainly lasts only ms_before or less (curator_mutex_lease_remaining()), and again only
 * after it had been renewed: had had more than that. Most often the loss follows, unless the connection comes back
 * first. With several holds in one object it is called for each.
 *
 * A quiet link costs nothing more: a session that locks depend on is probed 24 times a session timeout T anyway, which
 * on a healthy link keeps more than T/3. So a healthy session never comes down to T/4, the most that is allowed.
 * What counts is the T that the server granted (curator_framework_session_timeout()): for a later session with a
 * smaller one, ms_before is cut to a quarter of that. On a line with round trips of more than T/8 or so, calls may come
 * without a failure. To make sure that a hold does not begin endangered, an acquire waits for a renewal of the lease
 * first where it has to.
 *
 * It may come soon after CURATOR_RECONNECTED: that says that the lease reaches as far as a grant needs, which can be
 * less than ms_before.
 *
 * Never called for a hold that is lost or released by then, so never after its curator_mutex_on_lost(). Where the loss
 * is noticed first, it is not called: a node that somebody deletes is lost without notice; and a process that was
 * stopped (SIGSTOP, a suspended machine) may find both times past, and is told of the loss alone. One stopped past the
 * first time only is told when it goes on.
 *
 * A later call replaces time and function, for the locks held at that moment, too.
 *
 * \param mutex     the mutex
 * \param ms_before milliseconds, 1 to T/4; ignored if fn is NULL
 * \param fn        runs on the framework's callback thread, after the callbacks that are due before it. It may call the
 *                  library, curator_mutex_destroy() of this mutex included. It cannot release for the thread that
 *                  holds. NULL removes it.
 * \param context   what fn is called with; must live until curator_mutex_destroy() or curator_framework_close() has
 *                  returned, also when another function replaces fn, since fn may just be running; if fn itself
 *                  destroys the mutex, until fn has returned
 * \retval CURATOR_OK               done
 * \retval CURATOR_NO_MEMORY        nothing is changed
 * \retval CURATOR_CLOSED           the framework was closed, or the mutex is being destroyed
 * \retval CURATOR_FORKED           called in a child process
 * \retval CURATOR_INVALID_ARGUMENT a NULL mutex; or ms_before is less than 1, or more than a quarter of
 *                                  curator_framework_session_timeout()
 * \blocks no
 * \threads any
 * \ports nothing: Curator has none
 */
CURATOR_API curator_status curator_mutex_on_endangered(curator_mutex *mutex, int64_t ms_before,
                                                       void (*fn)(curator_mutex *mutex, void *context), void *context);

/**
 * Sets the function that is called once for every hold that is lost.
 *
 * A hold is lost when its session has ended or must be taken for ended, or when somebody else has deleted its node. A
 * later call replaces the function. It is called for losses that come after this call, not after release, destroy and
 * close.
 *
 * \param mutex   the mutex
 * \param fn      runs on the framework's callback thread, before any CURATOR_RECONNECTED of a new session. It may call
 *                the library, curator_mutex_destroy() of this mutex included. It cannot release for the thread that
 *                held. NULL removes it.
 * \param context what fn is called with; must live until curator_mutex_destroy() or curator_framework_close() has
 *                returned, also when another function replaces fn, since fn may just be running; if fn itself destroys
 *                the mutex, until fn has returned
 * \retval CURATOR_OK               done
 * \retval CURATOR_NO_MEMORY        nothing is changed
 * \retval CURATOR_CLOSED           the framework was closed, or the mutex is being destroyed
 * \retval CURATOR_FORKED           called in a child process
 * \retval CURATOR_INVALID_ARGUMENT a NULL mutex
 * \blocks no
 * \threads any
 * \ports nothing: in Java a ConnectionStateListener has to be written for it
 */
CURATOR_API curator_status curator_mutex_on_lost(curator_mutex *mutex, void (*fn)(curator_mutex *mutex, void *context),
                                                 void *context);

#ifdef __cplusplus
}
#endif

#endif
