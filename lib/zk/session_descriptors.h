/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When the descriptors of a session's handle are made close-on-exec: at the opening, before anyone learns of a
 * connection, and now and then while it tries to connect, since each try has a socket of its own. With the client's
 * mutex held, which is released while descriptors are looked at.
 */
#ifndef CURATOR_ZK_SESSION_DESCRIPTORS_H
#define CURATOR_ZK_SESSION_DESCRIPTORS_H

#include "zk/session.h"

/* At the opening. Keeps the mutex. */
void session_descriptors_found(struct session *session, const struct handle_descriptors *descriptors,
                               enum close_on_exec marked);

/* On the handle's completion thread. The second one keeps the mutex. */
void session_descriptors_connected(struct session *session, zhandle_t *handle);
void session_descriptors_disconnected(struct session *session);

/* The function of session_group.mark: looks at the sessions for which it is time. */
void session_descriptors_run(struct timer *timer);

#endif
