/* SPDX-License-Identifier: Apache-2.0 */
/* What log and tracer learn of the connection state. Caller holds client->mutex. */
#ifndef CURATOR_FRAMEWORK_STATE_REPORT_H
#define CURATOR_FRAMEWORK_STATE_REPORT_H

#include "framework/framework.h"

/* The state has changed, because of an event of the current session. */
void state_report(curator_framework *framework, curator_connection_state before, enum session_event event);

#endif
