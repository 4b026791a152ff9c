/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tracer runs on one thread, with the logger and with no lock held: it may call everything but the closing of its
 * framework. While it blocks, calls go on. What waits for it is delivered before close returns, and nothing after.
 */
#include "scenario.h"
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#define TURNS 10

struct setup {
    const char *path;
    curator_framework *client;
    curator_mutex *mutex, *other;
    sem_t entered, go;
    pthread_t thread;
    int acquires, releases, holds; /* only the tracer's thread touches these before close has returned */
    int lines;
    atomic_bool closed, late;
};

static void note_thread(struct setup *setup)
{
    if (setup->lines++ == 0) {
        setup->thread = pthread_self();
    }
    assert_that(pthread_equal(setup->thread, pthread_self()) != 0);
}

static void take_line(curator_log_level level, const char *message, void *context)
{
    (void)level;
    (void)message;
    note_thread(context);
}

static void call_everything(struct setup *setup)
{
    assert_status(CURATOR_WOULD_DEADLOCK, curator_framework_close(setup->client));
    assert_error_mentions("tracer");
    assert_ok(curator_mutex_acquire_for(setup->other, bound_ms(10000)));
    assert_ok(curator_mutex_release(setup->other));
}

/* Blocks at the first acquire, until main has made its turns. */
static void take_trace(const curator_trace *trace, void *context)
{
    struct setup *setup = context;
    note_thread(setup);
    atomic_store(&setup->late, atomic_load(&setup->late) || atomic_load(&setup->closed));
    assert_that(trace->duration_ns >= 0 && trace->dropped == 0);
    if (strcmp(trace->path, setup->path) != 0) {
        return;
    }
    assert_that(trace->status == CURATOR_OK && trace->session_id != 0);
    setup->releases += trace->event == CURATOR_TRACE_RELEASE;
    setup->holds += trace->event == CURATOR_TRACE_HOLD;
    if (trace->event == CURATOR_TRACE_ACQUIRE && setup->acquires++ == 0) {
        sem_post(&setup->entered);
        sem_wait(&setup->go);
        call_everything(setup);
        sem_post(&setup->entered);
    }
}

static void take_turns(const struct setup *setup, int count)
{
    for (int i = 0; i < count; i++) {
        assert_ok(curator_mutex_acquire_for(setup->mutex, bound_ms(10000)));
        assert_ok(curator_mutex_acquire(setup->mutex)); /* again: no event */
        assert_ok(curator_mutex_release(setup->mutex));
        assert_ok(curator_mutex_release(setup->mutex));
    }
}

int main(int argc, char **argv)
{
    struct setup setup = {.path = scenario_argument(argc, argv, 2)};
    curator_framework_options options = {.connect_string = scenario_argument(argc, argv, 1),
                                         .logger = {.log = take_line, .context = &setup, .level = CURATOR_LOG_DEBUG},
                                         .tracer = {.trace = take_trace, .context = &setup}};
    sem_init(&setup.entered, 0, 0);
    sem_init(&setup.go, 0, 0);
    assert_ok(curator_framework_open(&setup.client, &options));
    assert_ok(curator_mutex_create(&setup.mutex, setup.client, setup.path));
    assert_ok(curator_mutex_create(&setup.other, setup.client, "/tracer-other"));
    take_turns(&setup, 1);
    sem_wait(&setup.entered);
    take_turns(&setup, TURNS - 1); /* while the tracer blocks */
    sem_post(&setup.go);
    sem_wait(&setup.entered);
    assert_ok(curator_framework_close(setup.client));
    assert_that(setup.acquires == TURNS && setup.releases == TURNS && setup.holds == TURNS);
    atomic_store(&setup.closed, true);
    assert_ok(curator_mutex_destroy(setup.other));
    assert_ok(curator_mutex_destroy(setup.mutex));
    assert_that(!atomic_load(&setup.late));
    sem_destroy(&setup.entered);
    sem_destroy(&setup.go);
    return 0;
}
