/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When the descriptors of a session's handle are made close-on-exec: at the opening, before anyone is told of a
 * connection, and now and then while it tries to connect, since each try has a socket of its own. With the client's mutex
 * held, which is let go of while descriptors are looked at.
 */
#ifndef CURATOR_ZK_SESSION_DESCRIPTORS_H
#define CURATOR_ZK_SESSION_DESCRIPTORS_H

#include "zk/session.h"

/* At the opening. Does not let go of the mutex. */
void session_descriptors_found(struct session *session, const struct handle_descriptors *descriptors,
                               enum close_on_exec marked);

/* On the handle's completion thread. The second one does not let go of the mutex. */
void session_descriptors_connected(struct session *session, zhandle_t *handle);
void session_descriptors_disconnected(struct session *session);

/* The function of session_group.mark: looks at the sessions for which it is time. */
void session_descriptors_run(struct timer *timer);

#endif
