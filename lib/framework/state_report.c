/* SPDX-License-Identifier: Apache-2.0 */
/* What log and tracer learn of the connection state. */
#include "framework/state_report.h"

#include "base/trace.h"
#include "zk/result_code.h"
#include "zk/session_log.h"

static void trace_state(const curator_framework *framework, curator_trace_event event, curator_status status)
{
    trace_event(framework_tracer(framework), &(curator_trace){.event = event,
                                                              .status = status,
                                                              .duration_ns = clock_now() - framework->suspended_at,
                                                              .session_id = framework->client.connection.session->id});
}

static void report_lost(const curator_framework *framework, const struct session *session)
{
    framework_log(framework, CURATOR_LOG_INFO, "connection LOST: session 0x%llx is over, its timeout was %lld ms: %s",
                  (unsigned long long)session->id, (long long)session->timeout_ms, session_death_text(session));
    trace_state(framework, CURATOR_TRACE_LOSS, result_code_status(session->death));
}

static void report_reconnected(const curator_framework *framework, const struct session *session, bool is_new)
{
    framework_log(framework, CURATOR_LOG_INFO, "connection RECONNECTED after %.0f ms: %s 0x%llx",
                  clock_ms_since(framework->suspended_at), is_new ? "a new session" : "the same session",
                  (unsigned long long)session->id);
    trace_state(framework, CURATOR_TRACE_RECONNECT, is_new ? CURATOR_SESSION_EXPIRED : CURATOR_OK);
}

void state_report(curator_framework *framework, curator_connection_state before, enum session_event event)
{
    const struct session *session = framework->client.connection.session;
    if (before == CURATOR_CONNECTED || before == CURATOR_RECONNECTED) {
        framework->suspended_at = clock_now();
    }
    switch (framework->connection.current) {
    case CURATOR_SUSPENDED:
        framework_log(
            framework, CURATOR_LOG_INFO, "connection SUSPENDED: session 0x%llx %s", (unsigned long long)session->id,
            event == SESSION_UNRESPONSIVE ? "gets no answers of the ensemble's leader" : "has lost its server");
        return;
    case CURATOR_LOST:
        report_lost(framework, session);
        return;
    case CURATOR_RECONNECTED:
        report_reconnected(framework, session, before == CURATOR_LOST);
        return;
    default:
        return; /* the first connection: the session has logged it */
    }
}
