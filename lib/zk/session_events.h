/* SPDX-License-Identifier: Apache-2.0 */
/* What the handle of a session reports. */
#ifndef CURATOR_ZK_SESSION_EVENTS_H
#define CURATOR_ZK_SESSION_EVENTS_H

#include <zookeeper/zookeeper.h>

/* The watcher of a session's handle, whose context is the session. */
void session_on_event(zhandle_t *handle, int type, int state, const char *path, void *context);

#endif
