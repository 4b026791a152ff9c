/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ends dead sessions, on a thread of its own for each, since that can take seconds. With the client's mutex held.
 */
#ifndef CURATOR_ZK_REAPER_H
#define CURATOR_ZK_REAPER_H

#include "zk/session.h"

/* Closes the handle. First it waits for the requests on their way: closing with requests in flight often leaves the
 * session alive on the server. */
void reaper_close_handle(struct session *session);

/* Ends the session on the server although its handle stays open, by way of a second handle on the same session. */
void reaper_expire_session(struct session *session);

/* When the client is closing: does on the calling thread what no thread could be had for. */
void reaper_finish_here(struct client *client);

#endif
