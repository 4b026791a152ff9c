/* SPDX-License-Identifier: Apache-2.0 */
/* What the handle of a session reports. */
#ifndef CURATOR_ZK_SESSION_EVENTS_H
#define CURATOR_ZK_SESSION_EVENTS_H

#include "zk/session.h"

/* The watcher of a session's handle, whose context is the session. */
void session_on_event(zhandle_t *handle, int type, int state, const char *path, void *context);

/* Its connection is gone, or is about to be ended by us. */
void session_disconnected(struct session *session);

#endif
