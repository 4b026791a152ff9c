/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the way of log lines and traces to a logger and a tracer that may be slow. */
#include "base/log_queue.h"

#include "base/log.h"
#include "base/trace.h"

#include <criterion/criterion.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 4
#define LINES_EACH 200

/* A logger that waits for `go` at its first line, if there is one to wait for. */
struct sink {
    struct log_queue queue;
    sem_t entered, go;
    bool waits;
    atomic_int running;
    int count;
    curator_log_level level;
    char last[200];
    char notice[200]; /* the last line of errors */
    int next[THREADS];
    bool in_order, on_thread;
    int traces;
    curator_trace last_trace; /* its path is in `last` */
};

static void take(curator_log_level level, const char *line, void *context)
{
    struct sink *sink = context;
    cr_assert_eq(atomic_fetch_add(&sink->running, 1), 0, "two at once");
    sink->on_thread = sink->on_thread && log_queue_on_thread(&sink->queue);
    if (sink->waits && sink->count == 0) {
        sem_post(&sink->entered);
        sem_wait(&sink->go);
    }
    sink->count++;
    sink->level = level;
    strncpy(sink->last, line, sizeof sink->last - 1);
    if (level == CURATOR_LOG_ERROR) {
        strncpy(sink->notice, line, sizeof sink->notice - 1);
    }
    char *rest;
    long thread = strtol(line, &rest, 10);
    if (rest != line && level != CURATOR_LOG_ERROR) { /* "<thread> <number>" */
        int number = (int)strtol(rest, NULL, 10);
        sink->in_order = sink->in_order && sink->next[thread] == number;
        sink->next[thread] = number + 1;
    }
    atomic_fetch_sub(&sink->running, 1);
}

static void take_trace(const curator_trace *trace, void *context)
{
    struct sink *sink = context;
    cr_assert_eq(atomic_fetch_add(&sink->running, 1), 0, "beside a line");
    sink->on_thread = sink->on_thread && log_queue_on_thread(&sink->queue);
    sink->traces++;
    sink->last_trace = *trace;
    strncpy(sink->last, trace->path != NULL ? trace->path : "no path", sizeof sink->last - 1);
    atomic_fetch_sub(&sink->running, 1);
}

static curator_logger start(struct sink *sink, bool waits)
{
    *sink = (struct sink){.waits = waits, .in_order = true, .on_thread = true};
    sem_init(&sink->entered, 0, 0);
    sem_init(&sink->go, 0, 0);
    curator_logger users = {.log = take, .context = sink, .level = CURATOR_LOG_WARN};
    curator_tracer tracer = {.trace = take_trace, .context = sink};
    cr_assert_eq(log_queue_start(&sink->queue, &users, &tracer), 0);
    return log_queue_logger(&sink->queue);
}

static void stop(struct sink *sink)
{
    log_queue_stop(&sink->queue);
    cr_assert(sink->on_thread);
    cr_assert_not(log_queue_on_thread(&sink->queue));
}

Test(log_queue, what_is_queued_is_delivered_before_the_stop_and_nothing_after)
{
    struct sink sink;
    curator_logger logger = start(&sink, true);
    log_line(&logger, CURATOR_LOG_WARN, "%s", "first");
    sem_wait(&sink.entered);
    log_line(&logger, CURATOR_LOG_WARN, "%s", "second"); /* returns although the logger stands */
    log_line(&logger, CURATOR_LOG_INFO, "%s", "not wanted");
    sem_post(&sink.go);
    stop(&sink);
    cr_assert_eq(sink.count, 2);
    cr_assert_str_eq(sink.last, "second");
    cr_assert_eq(sink.level, CURATOR_LOG_WARN);
    log_line(&logger, CURATOR_LOG_WARN, "%s", "late");
    cr_assert_eq(sink.count, 2);
    cr_assert_null(sink.queue.first, "nobody would free it");
    log_queue_free(&sink.queue);
}

Test(log_queue, what_there_is_no_room_for_is_counted_and_said_where_it_is_missing)
{
    struct sink sink;
    curator_logger logger = start(&sink, true);
    log_line(&logger, CURATOR_LOG_WARN, "first");
    sem_wait(&sink.entered);
    for (int i = 0; i < LOG_QUEUE_LINES + 7; i++) {
        log_line(&logger, CURATOR_LOG_WARN, "0 %d", i);
    }
    sem_post(&sink.go);
    stop(&sink);
    cr_assert_eq(sink.count, 1 + LOG_QUEUE_LINES + 1);
    cr_assert_eq(sink.next[0], LOG_QUEUE_LINES);
    cr_assert_eq(strncmp(sink.last, "7 log lines were dropped", strlen("7 log lines were dropped")), 0, "%s",
                 sink.last);
    cr_assert_str_eq(sink.last, sink.notice);
    log_queue_free(&sink.queue);
}

struct source {
    const curator_logger *logger;
    int number;
};

static void *log_lines(void *context)
{
    const struct source *source = context;
    for (int i = 0; i < LINES_EACH; i++) {
        log_line(source->logger, CURATOR_LOG_WARN, "%d %d", source->number, i);
    }
    return NULL;
}

Test(log_queue, lines_of_a_thread_keep_their_order_and_the_logger_runs_once_at_a_time)
{
    struct sink sink;
    curator_logger logger = start(&sink, false);
    pthread_t threads[THREADS];
    struct source sources[THREADS];
    for (int i = 0; i < THREADS; i++) {
        sources[i] = (struct source){.logger = &logger, .number = i};
        cr_assert_eq(pthread_create(&threads[i], NULL, log_lines, &sources[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    stop(&sink);
    cr_assert(sink.in_order);
    cr_assert_eq(sink.count, THREADS * LINES_EACH);
    log_queue_free(&sink.queue);
}

Test(log_queue, without_a_logger_there_is_nothing)
{
    struct log_queue queue;
    curator_logger none = {.log = NULL};
    curator_tracer no_tracer = {.trace = NULL};
    cr_assert_eq(log_queue_start(&queue, &none, &no_tracer), 0);
    cr_assert_null(log_queue_logger(&queue).log);
    cr_assert_null(log_queue_tracer(&queue).trace);
    log_queue_stop(&queue);
    log_queue_free(&queue);
}

Test(log_queue, traces_and_lines_are_delivered_in_the_order_in_which_they_came)
{
    struct sink sink;
    curator_logger logger = start(&sink, true);
    curator_tracer tracer = log_queue_tracer(&sink.queue);
    char path[] = "/a";
    log_line(&logger, CURATOR_LOG_WARN, "line");
    sem_wait(&sink.entered);
    trace_event(&tracer, &(curator_trace){.event = CURATOR_TRACE_LOSS, .path = path, .duration_ns = 7});
    path[1] = 'b'; /* it was copied */
    sem_post(&sink.go);
    stop(&sink);
    cr_assert_eq(sink.traces, 1);
    cr_assert_eq(sink.count, 1);
    cr_assert_str_eq(sink.last, "/a");
    cr_assert_eq(sink.last_trace.event, CURATOR_TRACE_LOSS);
    cr_assert_eq(sink.last_trace.duration_ns, 7);
    trace_event(&tracer, &(curator_trace){.path = path});
    cr_assert_eq(sink.traces, 1);
    log_queue_free(&sink.queue);
}

Test(log_queue, traces_that_there_is_no_room_for_are_counted_in_the_next_one_and_lines_have_their_own_room)
{
    struct sink sink;
    curator_logger logger = start(&sink, true);
    curator_tracer tracer = log_queue_tracer(&sink.queue);
    log_line(&logger, CURATOR_LOG_WARN, "first");
    sem_wait(&sink.entered);
    for (int i = 0; i < LOG_QUEUE_TRACES + 7; i++) {
        trace_event(&tracer, &(curator_trace){.event = CURATOR_TRACE_WAIT});
    }
    log_line(&logger, CURATOR_LOG_WARN, "still room");
    sem_post(&sink.go);
    pthread_mutex_lock(&sink.queue.mutex);
    while (sink.queue.traces == LOG_QUEUE_TRACES) {
        pthread_mutex_unlock(&sink.queue.mutex);
        sched_yield();
        pthread_mutex_lock(&sink.queue.mutex);
    }
    pthread_mutex_unlock(&sink.queue.mutex);
    trace_event(&tracer, &(curator_trace){.event = CURATOR_TRACE_HOLD});
    stop(&sink);
    cr_assert_eq(sink.traces, LOG_QUEUE_TRACES + 1);
    cr_assert_eq(sink.count, 2);
    cr_assert_eq(sink.last_trace.event, CURATOR_TRACE_HOLD);
    cr_assert_eq(sink.last_trace.dropped, 7);
    cr_assert_str_eq(sink.last, "no path");
    log_queue_free(&sink.queue);
}

/* Whoever made the child held the mutex. */
Test(log_queue, a_child_process_drops_its_lines)
{
    struct sink sink;
    curator_logger logger = start(&sink, false);
    pthread_mutex_lock(&sink.queue.mutex);
    pid_t child = fork();
    if (child == 0) {
        alarm(10);
        log_line(&logger, CURATOR_LOG_WARN, "of the child");
        execl("/bin/true", "child", (char *)NULL); /* no leak checker looks into this child */
        _exit(127);
    }
    pthread_mutex_unlock(&sink.queue.mutex);
    int status = -1;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    stop(&sink);
    cr_assert_eq(sink.count, 0);
    log_queue_free(&sink.queue);
}
