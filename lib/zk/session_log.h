/* SPDX-License-Identifier: Apache-2.0 */
/* What a session says in the log about its begin and its end. Caller holds the group's mutex. */
#ifndef CURATOR_ZK_SESSION_LOG_H
#define CURATOR_ZK_SESSION_LOG_H

#include "zk/session.h"

/* On a thread of its handle, when that has connected. */
void session_log_connected(const struct session *session, bool first);

void session_log_closed(const struct session *session);

/* The server has refused the credentials. */
void session_log_refused(const struct session *session);

/* Why a dead one died: "the server has expired it". */
const char *session_death_text(const struct session *session);

#endif
