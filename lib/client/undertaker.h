/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Closes the handle of a dead session on a thread of its own, since that can take seconds. First it waits for the
 * requests on their way: closing with requests in flight often leaves the session alive on the server.
 */
#ifndef CURATOR_CLIENT_UNDERTAKER_H
#define CURATOR_CLIENT_UNDERTAKER_H

#include "client/session.h"

/* With the client's mutex held. */
void undertaker_start(struct session *session);

#endif
