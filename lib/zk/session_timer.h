/* SPDX-License-Identifier: Apache-2.0 */
/* What sessions do by the clock: probes, the end of a lease, the end of a dead session. */
#ifndef CURATOR_ZK_SESSION_TIMER_H
#define CURATOR_ZK_SESSION_TIMER_H

#include "base/timer_thread.h"

/* The function of session_group.timer. */
void session_timer_run(struct timer *timer);

#endif
