/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counting and timing locks for Prometheus: a tracer feeds a text file that the textfile collector of node_exporter
 * reads. Three threads share a lock for a while. Usage: tracer_prometheus [host:port,... [file]]
 */
#define _POSIX_C_SOURCE 200809L

#include <curator/curator.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define LOCK_PATH "/examples/tracer_prometheus"
#define THREADS 3
#define TURNS 20
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

/* Only the tracer's thread uses it until the framework is closed: no lock is needed. */
struct metrics {
    const char *file;
    time_t written;
    struct series series[EVENTS][STATUSES];
    unsigned long dropped;
};

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
            if (series->count > 0) {
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
static bool save_metrics(struct metrics *metrics)
{
    char temporary[4096];
    if (snprintf(temporary, sizeof temporary, "%s.new", metrics->file) >= (int)sizeof temporary) {
        return false;
    }
    FILE *file = fopen(temporary, "w");
    if (file == NULL) {
        return false;
    }
    write_metrics(file, metrics);
    bool written = ferror(file) == 0;
    written = fclose(file) == 0 && written && rename(temporary, metrics->file) == 0;
    metrics->written = time(NULL);
    return written;
}

static void on_trace(const curator_trace *trace, void *context)
{
    struct metrics *metrics = context;
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
    if (time(NULL) != metrics->written && !save_metrics(metrics)) { /* at most once a second */
        perror(metrics->file);
    }
}

static void check(const char *what, curator_status status)
{
    if (status != CURATOR_OK) {
        fprintf(stderr, "%s: %s (%s)\n", what, curator_last_error(), curator_status_string(status));
        exit(EXIT_FAILURE);
    }
}

static void *take_turns(void *context)
{
    curator_mutex *mutex = context;
    for (int i = 0; i < TURNS; i++) {
        check("acquire", curator_mutex_acquire_for(mutex, 60000));
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL); /* the work */
        check("release", curator_mutex_release(mutex));
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct metrics metrics = {.file = argc > 2 ? argv[2] : "curator.prom"};
    curator_framework_options options = {.connect_string = argc > 1 ? argv[1] : "127.0.0.1:2181",
                                         .tracer = {.trace = on_trace, .context = &metrics}};
    curator_framework *framework;
    curator_mutex *mutex;
    pthread_t threads[THREADS];
    check("open", curator_framework_open(&framework, &options));
    check("create", curator_mutex_create(&mutex, framework, LOCK_PATH));
    for (int i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, take_turns, mutex) != 0) {
            perror("pthread_create");
            return EXIT_FAILURE;
        }
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    check("destroy", curator_mutex_destroy(mutex));
    check("close", curator_framework_close(framework)); /* from here on nothing more is traced */
    if (!save_metrics(&metrics)) {
        perror(metrics.file);
        return EXIT_FAILURE;
    }
    printf("%d turns were traced to %s\n", THREADS * TURNS, metrics.file);
    return EXIT_SUCCESS;
}
