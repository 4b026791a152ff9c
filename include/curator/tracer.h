/* SPDX-License-Identifier: Apache-2.0 */
/** \file
 * Measurement: what happened, how long it took, how it ended; without parsing log lines.
 *
 * The function of ::curator_framework_options::tracer is called once for each event. examples/tracer_prometheus.c feeds
 * a text file for Prometheus from it.
 *
 * \code
 * #include <curator/curator.h>
 * #include <stdio.h>
 *
 * static void on_trace(const curator_trace *trace, void *context)
 * {
 *     static const char *const names[] = {"acquire", "wait", "hold", "release", "retry", "loss", "reconnect"};
 *     if ((size_t)trace->event >= sizeof names / sizeof names[0]) {
 *         return; // of a newer library
 *     }
 *     fprintf(context, "%s %s %.3f ms %s\n", names[trace->event], trace->path != NULL ? trace->path : "-",
 *             (double)trace->duration_ns / 1e6, curator_status_string(trace->status));
 * }
 *
 * curator_status open_traced(curator_framework **client, const char *servers)
 * {
 *     return curator_framework_open(client, &(curator_framework_options){
 *                                               .connect_string = servers,
 *                                               .tracer = {.trace = on_trace, .context = stderr},
 *                                           });
 * }
 * \endcode
 *
 * \ports org.apache.curator.drivers.TracerDriver
 */
#ifndef CURATOR_TRACER_H
#define CURATOR_TRACER_H

#include <curator/api.h>
#include <curator/status.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What happened. Later versions may add events: ignore those that you do not know. */
typedef enum curator_trace_event {
    CURATOR_TRACE_ACQUIRE = 0, /**< An acquire returns, after duration_ns, with status. A thread that holds the lock
                                    already and gets it again makes no event, nor does a call that is refused before
                                    it begins. */
    CURATOR_TRACE_WAIT,        /**< Part of an acquire: it queued behind others for duration_ns, after which it got the
                                    lock (CURATOR_OK), gave up, or had to queue anew (status says why). */
    CURATOR_TRACE_HOLD,        /**< A lock was held for duration_ns, from the grant to its last release or the destroy
                                    of its mutex. CURATOR_LOCK_LOST if it was lost meanwhile. None for locks that are
                                    still held when the framework is closed. */
    CURATOR_TRACE_RELEASE,     /**< The last release of a lock returns, after duration_ns, with status. */
    CURATOR_TRACE_RETRY,       /**< A call that had failed with status tries again, after a pause of duration_ns. */
    CURATOR_TRACE_LOSS,        /**< With a path: a lock is lost, duration_ns after its grant. CURATOR_SESSION_EXPIRED:
                                    its session is over; CURATOR_LOCK_LOST: somebody deleted its node. Without a path:
                                    the session is lost, duration_ns after its connection was: CURATOR_SESSION_EXPIRED,
                                    or CURATOR_NO_AUTH if the server has refused the credentials. */
    CURATOR_TRACE_RECONNECT    /**< The connection is back, duration_ns after it was suspended. CURATOR_OK: in the same
                                    session; CURATOR_SESSION_EXPIRED: in a new one. */
} curator_trace_event;

/** One event. Later versions may add members at the end. */
typedef struct curator_trace {
    curator_trace_event event; /**< What happened. */
    curator_status status;     /**< How it ended. */
    const char *path;          /**< Of the lock or the call, as in curator_last_error(); NULL: of the connection. */
    int64_t duration_ns;       /**< How long it took, in nanoseconds. */
    int64_t session_id;        /**< ZooKeeper's id of the session; 0: there was none. */
    size_t queued_behind;      /**< CURATOR_TRACE_WAIT: how many nodes were before ours at first. Otherwise 0. */
    unsigned long dropped;     /**< How many events were dropped before this one, since the last that was not. */
} curator_trace;

/**
 * The function that takes the events.
 *
 * It runs on the thread that also runs the logger: one event after the other, in the order in which they ended, with no
 * library lock held. It needs no lock of its own against itself. It may block, and may call the library, except
 * curator_framework_close() of its own framework (CURATOR_WOULD_DEADLOCK).
 *
 * A slow one delays the events and log lines behind it and the close, nothing else: no call, no deadline, no callback,
 * no report of a loss. At most 1024 events wait for it. Further ones are dropped, and the next one that is not says how
 * many. Before curator_framework_close() returns, every event that waits is delivered, and none comes later.
 *
 * What an event costs the thread that it happens on: one allocation and one signal, measured with 3.4 microseconds of
 * processor time while the tracer's thread sleeps. Without a tracer: one comparison.
 *
 * \param trace   the event; it and its path are valid during the call
 * \param context the tracer's
 */
typedef void (*curator_trace_fn)(const curator_trace *trace, void *context);

/**
 * A tracer: a plain value, for ::curator_framework_options::tracer.
 *
 * Function and context must live until curator_framework_close() has returned (or curator_framework_open(), if that
 * failed). A child process traces nothing through its parent's framework.
 *
 * \ports TracerDriver and AdvancedTracerDriver, which are called on the thread of the operation
 */
typedef struct curator_tracer {
    curator_trace_fn trace; /**< NULL: nothing is traced. */
    void *context;          /**< What the function is called with. */
} curator_tracer;

#ifdef __cplusplus
}
#endif

#endif
