/* SPDX-License-Identifier: Apache-2.0 */
/* Events for the caller's tracer. */
#ifndef CURATOR_BASE_TRACE_H
#define CURATOR_BASE_TRACE_H

#include <curator/tracer.h>

/* Does nothing without a tracer. That of a client's settings only queues: see log_queue.h. */
static inline void trace_event(const curator_tracer *tracer, const curator_trace *trace)
{
    if (tracer->trace != NULL) {
        tracer->trace(trace, tracer->context);
    }
}

#endif
