/* SPDX-License-Identifier: Apache-2.0 */
/* How long a session is waited for that is not connected. */
#ifndef CURATOR_CLIENT_CONNECT_TIMEOUT_H
#define CURATOR_CLIENT_CONNECT_TIMEOUT_H

#include "base/timer_thread.h"

/* The function of connection.timeout: gives up the current session when it has been waited for long enough. */
void connect_timeout_run(struct timer *timer);

#endif
