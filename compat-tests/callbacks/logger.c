/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The logger runs on a thread of its own with no lock held: it may call everything but the closing of its framework.
 * What was logged is delivered before close returns, and nothing after.
 */
#include "scenario.h"
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

struct stage {
    curator_framework *client;
    curator_mutex *mutex;
    sem_t opened, done;
    pthread_t thread;
    int lines; /* only the logger's thread touches it before close has returned */
    atomic_bool late;
    atomic_bool closed;
};

/* At the first line, as soon as there is a mutex. */
static void call_everything(struct stage *stage)
{
    curator_connection_state state;
    curator_participants *participants = NULL;
    sem_wait(&stage->opened);
    assert_status(CURATOR_WOULD_DEADLOCK, curator_framework_close(stage->client));
    assert_error_mentions("logger");
    assert_ok(curator_framework_state(stage->client, &state));
    assert_ok(curator_framework_await_connected(stage->client, bound_ms(10000)));
    assert_ok(curator_mutex_acquire_for(stage->mutex, bound_ms(10000)));
    assert_that(curator_mutex_is_owned_by_current_thread(stage->mutex));
    assert_ok(curator_mutex_participants(stage->mutex, &participants));
    curator_participants_free(participants);
    assert_ok(curator_mutex_release(stage->mutex));
    sem_post(&stage->done);
}

static void take(curator_log_level level, const char *message, void *context)
{
    struct stage *stage = context;
    (void)level;
    assert_that(strchr(message, '\n') == NULL);
    if (atomic_load(&stage->closed)) {
        atomic_store(&stage->late, true);
    }
    if (stage->lines++ == 0) {
        stage->thread = pthread_self();
        call_everything(stage);
    }
    assert_that(pthread_equal(stage->thread, pthread_self()) != 0);
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL); /* so that lines wait */
}

int main(int argc, char **argv)
{
    struct stage stage = {.lines = 0};
    curator_framework_options options = {.connect_string = scenario_argument(argc, argv, 1),
                                         .logger = {.log = take, .context = &stage, .level = CURATOR_LOG_DEBUG}};
    sem_init(&stage.opened, 0, 0);
    sem_init(&stage.done, 0, 0);
    assert_ok(curator_framework_open(&stage.client, &options));
    assert_ok(curator_mutex_create(&stage.mutex, stage.client, scenario_argument(argc, argv, 2)));
    sem_post(&stage.opened);
    sem_wait(&stage.done);
    assert_ok(curator_mutex_acquire(stage.mutex));
    assert_ok(curator_framework_close(stage.client));
    int delivered = stage.lines;
    atomic_store(&stage.closed, true);
    assert_that(delivered > 1);
    assert_status(CURATOR_CLOSED, curator_mutex_release(stage.mutex));
    assert_ok(curator_mutex_destroy(stage.mutex));
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL); /* for a line that must not come */
    assert_that(!atomic_load(&stage.late) && stage.lines == delivered);
    sem_destroy(&stage.opened);
    sem_destroy(&stage.done);
    return 0;
}
