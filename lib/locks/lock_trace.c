/* SPDX-License-Identifier: Apache-2.0 */
/* The events of a lock. */
#include "locks/lock_trace.h"

#include "base/clock.h"
#include "base/trace.h"

void lock_trace(const struct curator_mutex *mutex, curator_trace trace, int64_t since, const struct session *session)
{
    const curator_tracer *tracer = framework_tracer(mutex->framework);
    if (tracer->trace != NULL) {
        trace.path = mutex->path;
        trace.duration_ns = clock_now() - since;
        trace.session_id = session != NULL ? session->id : 0;
        trace_event(tracer, &trace);
    }
}
