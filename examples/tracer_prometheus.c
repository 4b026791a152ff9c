/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counting and timing locks for Prometheus: a tracer feeds a text file that the textfile collector of node_exporter
 * reads. Three threads share a lock for a while, each turn with 2 ms of work.
 * Usage: tracer_prometheus [host:port,... [file [milliseconds of work]]]
 */
#define _GNU_SOURCE

#include <curator/curator.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define LOCK_PATH "/examples/tracer_prometheus"
#define THREADS 3
#define TURNS 20
#define SAVE_SECONDS 5
#define EVENTS 7
#define STATUSES 64 /* more than there are */
#define BUCKETS 5

static const char *const names[EVENTS] = {"acquire", "wait", "hold", "release", "retry", "loss", "reconnect"};
static const double bounds[BUCKETS] = {0.001, 0.01, 0.1, 1, 10}; /* seconds */

struct series {
    unsigned long count;
    unsigned long within[BUCKETS]; /* a bound: cumulative, as Prometheus wants them */
    double seconds;
};

struct metrics {
    const char *file;

    pthread_mutex_t access; /* guards what follows, and the writing of the file */
    pthread_cond_t changed;
    bool urgent; /* to be saved at once */
    bool ended;
    bool saved; /* at the last try */
    struct series series[EVENTS][STATUSES];
    unsigned long dropped;
};

/* Written from the start: the increase() of a series whose first value is not 0 misses the first events. */
static bool is_expected(curator_trace_event event, curator_status status)
{
    return (event == CURATOR_TRACE_ACQUIRE && status <= CURATOR_ERROR) ||
           (event == CURATOR_TRACE_LOSS && (status == CURATOR_LOCK_LOST || status == CURATOR_SESSION_EXPIRED));
}

static void write_series(FILE *file, const char *event, const char *status, const struct series *series)
{
    for (int i = 0; i < BUCKETS; i++) {
        fprintf(file, "curator_seconds_bucket{event=\"%s\",status=\"%s\",le=\"%g\"} %lu\n", event, status, bounds[i],
                series->within[i]);
    }
    fprintf(file, "curator_seconds_bucket{event=\"%s\",status=\"%s\",le=\"+Inf\"} %lu\n", event, status, series->count);
    fprintf(file, "curator_seconds_sum{event=\"%s\",status=\"%s\"} %.9f\n", event, status, series->seconds);
    fprintf(file, "curator_seconds_count{event=\"%s\",status=\"%s\"} %lu\n", event, status, series->count);
}

static void write_metrics(FILE *file, const struct metrics *metrics)
{
    fputs("# HELP curator_seconds How long what happened to locks and sessions took.\n"
          "# TYPE curator_seconds histogram\n",
          file);
    for (int event = 0; event < EVENTS; event++) {
        for (int status = 0; status < STATUSES; status++) {
            const struct series *series = &metrics->series[event][status];
            if (series->count > 0 || is_expected((curator_trace_event)event, (curator_status)status)) {
                write_series(file, names[event], curator_status_string((curator_status)status), series);
            }
        }
    }
    fputs("# HELP curator_traces_dropped_total Events that the tracer was too slow for.\n"
          "# TYPE curator_traces_dropped_total counter\n",
          file);
    fprintf(file, "curator_traces_dropped_total %lu\n", metrics->dropped);
}

/* By rename: the collector never reads half a file. */
static bool replace_file(const struct metrics *metrics)
{
    char temporary[4096];
    if (snprintf(temporary, sizeof temporary, "%s.new", metrics->file) >= (int)sizeof temporary) {
        errno = ENAMETOOLONG;
        return false;
    }
    FILE *file = fopen(temporary, "w");
    if (file == NULL) {
        return false;
    }
    write_metrics(file, metrics);
    bool written = ferror(file) == 0;
    return fclose(file) == 0 && written && rename(temporary, metrics->file) == 0;
}

/* The caller holds metrics->access. */
static void save_metrics(struct metrics *metrics)
{
    metrics->saved = replace_file(metrics);
    if (!metrics->saved) {
        perror(metrics->file);
    }
}

/* A thread of its own: the next event may be hours away. At the end it saves once more. */
static void *save_regularly(void *context)
{
    struct metrics *metrics = context;
    pthread_mutex_lock(&metrics->access);
    while (!metrics->ended) {
        struct timespec due;
        clock_gettime(CLOCK_MONOTONIC, &due);
        due.tv_sec += SAVE_SECONDS;
        while (!metrics->ended && !metrics->urgent &&
               pthread_cond_clockwait(&metrics->changed, &metrics->access, CLOCK_MONOTONIC, &due) == 0) {
        }
        metrics->urgent = false;
        save_metrics(metrics);
    }
    pthread_mutex_unlock(&metrics->access);
    return NULL;
}

/* Runs on the tracer's thread. */
static void on_trace(const curator_trace *trace, void *context)
{
    struct metrics *metrics = context;
    pthread_mutex_lock(&metrics->access);
    metrics->dropped += trace->dropped;
    if ((int)trace->event < EVENTS && (int)trace->status < STATUSES) { /* else of a newer library */
        struct series *series = &metrics->series[trace->event][trace->status];
        double seconds = (double)trace->duration_ns / 1e9;
        series->count++;
        series->seconds += seconds;
        for (int i = 0; i < BUCKETS; i++) {
            series->within[i] += seconds <= bounds[i];
        }
    }
    if (trace->event == CURATOR_TRACE_LOSS) { /* the program may end next */
        metrics->urgent = true;
        pthread_cond_signal(&metrics->changed);
    }
    pthread_mutex_unlock(&metrics->access);
}

static bool succeeds(const char *what, curator_status status)
{
    if (status != CURATOR_OK) {
        fprintf(stderr, "%s: %s (%s)\n", what, curator_last_error(), curator_status_string(status));
    }
    return status == CURATOR_OK;
}

static void check(const char *what, curator_status status)
{
    if (!succeeds(what, status)) {
        exit(EXIT_FAILURE);
    }
}

struct turns {
    curator_mutex *mutex;
    long work_ms;
};

/* A lock that is lost is traced, and the next turn comes. NULL, unless an acquire has failed. */
static void *take_turns(void *context)
{
    const struct turns *turns = context;
    const struct timespec work = {.tv_sec = turns->work_ms / 1000, .tv_nsec = turns->work_ms % 1000 * 1000000};
    for (int i = 0; i < TURNS; i++) {
        if (!succeeds("acquire", curator_mutex_acquire_for(turns->mutex, 60000))) {
            return context;
        }
        nanosleep(&work, NULL);
        succeeds("release", curator_mutex_release(turns->mutex));
    }
    return NULL;
}

/* True if all threads had all their turns. */
static bool run_threads(struct turns *turns)
{
    pthread_t threads[THREADS];
    bool all = true;
    for (int i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, take_turns, turns) != 0) {
            perror("pthread_create");
            exit(EXIT_FAILURE);
        }
    }
    for (int i = 0; i < THREADS; i++) {
        void *failed = NULL;
        pthread_join(threads[i], &failed);
        all = all && failed == NULL;
    }
    return all;
}

/* No turn has begun, so all that is expected is 0. */
static pthread_t start_saving(struct metrics *metrics)
{
    pthread_t saver;
    pthread_mutex_lock(&metrics->access);
    save_metrics(metrics);
    pthread_mutex_unlock(&metrics->access);
    if (pthread_create(&saver, NULL, save_regularly, metrics) != 0) {
        perror("pthread_create");
        exit(EXIT_FAILURE);
    }
    return saver;
}

static bool stop_saving(struct metrics *metrics, pthread_t saver)
{
    pthread_mutex_lock(&metrics->access);
    metrics->ended = true;
    pthread_cond_signal(&metrics->changed);
    pthread_mutex_unlock(&metrics->access);
    pthread_join(saver, NULL);
    return metrics->saved;
}

int main(int argc, char **argv)
{
    static struct metrics metrics = {.access = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    struct turns turns = {.work_ms = argc > 3 ? strtol(argv[3], NULL, 10) : 2};
    curator_framework_options options = {.connect_string = argc > 1 ? argv[1] : "127.0.0.1:2181",
                                         .tracer = {.trace = on_trace, .context = &metrics}};
    curator_framework *framework;
    metrics.file = argc > 2 ? argv[2] : "curator.prom";
    check("open", curator_framework_open(&framework, &options));
    check("create", curator_mutex_create(&turns.mutex, framework, LOCK_PATH));
    pthread_t saver = start_saving(&metrics);
    bool good = run_threads(&turns);
    check("destroy", curator_mutex_destroy(turns.mutex));
    check("close", curator_framework_close(framework)); /* from here on nothing more is traced */
    if (!stop_saving(&metrics, saver) || !good) {
        return EXIT_FAILURE;
    }
    printf("%d turns were traced to %s\n", THREADS * TURNS, metrics.file);
    return EXIT_SUCCESS;
}
