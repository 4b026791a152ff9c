/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ends dead sessions, each on a thread of its own, since that can take seconds. The caller holds the group's mutex.
 *
 * Before a handle is closed, the requests on their way are waited for: closing with requests in flight often leaves the
 * session alive on the server. A session whose handle is lent is ended by way of a second handle.
 */
#ifndef CURATOR_ZK_REAPER_H
#define CURATOR_ZK_REAPER_H

#include "zk/session.h"

/* Begins to end a dead session, if it is time; if not, returns when to ask again (clock_now() or NEVER). */
int64_t reaper_consider(struct session *session);

/*
 * The end of a session that still lives on the server gives its locks to others. Those who held them have been told
 * when this returns, unless a callback of theirs takes its time. Releases the mutex meanwhile.
 */
void reaper_await_told(const struct session *session);

/*
 * Runs a function on a thread of its own, which the end of all sessions waits for. False: no thread can be started. The
 * function ends with the second one, its last touch: whoever waits for reapers == 0 may then free the client. That
 * releases the mutex.
 */
bool reaper_begin(struct session *session, void *(*run)(void *context));
void reaper_end(struct session_group *group);

/*
 * Ends all sessions, each within its bound, on the calling thread where no other can be started. Releases the mutex
 * meanwhile. group->lingering says how many could not be closed on the server. True: a handle is still lent, so its
 * session stays.
 */
bool reaper_close_all(struct session_group *group);

#endif
