/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moves a living session, with its nodes, to other servers of its ensemble.
 *
 * A handle of the ZooKeeper client cannot be given other servers safely: zoo_set_servers() closes the socket under the
 * thread that uses it, and takes two addresses that differ in the port only for one. So the handle is exchanged: its
 * connection is broken, it is closed while it has none, which leaves the session alone, and another handle connects to
 * the new servers with the session's id. For those who use the session the connection was lost and comes back. Caller
 * holds the group's mutex.
 */
#ifndef CURATOR_ZK_SESSION_MOVE_H
#define CURATOR_ZK_SESSION_MOVE_H

#include "zk/session.h"

/*
 * From its next connection on the session uses these servers (numeric addresses, and the chroot; taken over). If it is
 * connected to one that is not among them, that connection is ended now, unless the handle is lent: then when it comes
 * back. The session has been connected before, and is alive.
 */
void session_move_to(struct session *session, char *servers);

/* Begins to exchange the handle if that is wanted, and if it is time. */
void session_move_consider(struct session *session);

#endif
