/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a session. */
#ifndef CURATOR_ZK_SESSION_OPEN_H
#define CURATOR_ZK_SESSION_OPEN_H

#include "zk/session.h"

/*
 * Asks the servers (numeric addresses, and the chroot) for a new session. NULL with *error set to an errno value. The
 * reference returned is the open handle's. Releases the mutex meanwhile; until it has it back, nobody learns of what
 * happens to the session.
 */
struct session *session_open(struct session_group *group, const char *servers, int *error);

/*
 * Opens another handle on a session that has none, with its id. False with *error set to an errno value. Releases the
 * mutex meanwhile, as above.
 */
bool session_reopen(struct session *session, int *error);

#endif
