/* SPDX-License-Identifier: Apache-2.0 */
/* A second handle on a session, to end it while the first one stays open. */
#ifndef CURATOR_ZK_ATTACHMENT_H
#define CURATOR_ZK_ATTACHMENT_H

#include <stdbool.h>
#include <stdint.h>
#include <zookeeper/zookeeper.h>

/*
 * Joins the session with a handle of our own and closes that, which ends the session for everyone. Blocks for up to two
 * seconds. True: the server says that it is over.
 */
bool attachment_close_session(const char *servers, int64_t timeout_ms, const clientid_t *id);

#endif
