/* SPDX-License-Identifier: Apache-2.0 */
/* How long a session is waited for that is not connected. Wants the client's mutex held. */
#ifndef CURATOR_CLIENT_CONNECTING_H
#define CURATOR_CLIENT_CONNECTING_H

#include <stdint.h>

struct session;

/* Gives up a session that has been waited for long enough. When it wants to be asked again: clock_now() or NEVER. */
int64_t connect_on_timer(struct session *session);

#endif
