/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The logger runs on a thread of its own with no lock held: it may call everything but the closing of its framework.
 * What was logged is delivered before close returns, and nothing after.
 */
#include "scenario.h"
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

struct setup {
    curator_framework *client;
    curator_mutex *mutex;
    sem_t opened, done;
    pthread_t thread;
    int lines; /* only the logger's thread touches it before close has returned */
    atomic_bool late;
    atomic_bool closed;
};

/* At the first line, as soon as there is a mutex. */
static void call_everything(struct setup *setup)
{
    curator_connection_state state;
    curator_participants *participants = NULL;
    sem_wait(&setup->opened);
    assert_status(CURATOR_WOULD_DEADLOCK, curator_framework_close(setup->client));
    assert_error_mentions("logger");
    assert_ok(curator_framework_state(setup->client, &state));
    assert_ok(curator_framework_await_connected(setup->client, bound_ms(10000)));
    assert_ok(curator_mutex_acquire_for(setup->mutex, bound_ms(10000)));
    assert_that(curator_mutex_is_owned_by_current_thread(setup->mutex));
    assert_ok(curator_mutex_participants(setup->mutex, &participants));
    curator_participants_free(participants);
    assert_ok(curator_mutex_release(setup->mutex));
    sem_post(&setup->done);
}

static void take(curator_log_level level, const char *message, void *context)
{
    struct setup *setup = context;
    (void)level;
    assert_that(strchr(message, '\n') == NULL);
    if (atomic_load(&setup->closed)) {
        atomic_store(&setup->late, true);
    }
    if (setup->lines++ == 0) {
        setup->thread = pthread_self();
        call_everything(setup);
    }
    assert_that(pthread_equal(setup->thread, pthread_self()) != 0);
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL); /* so that lines wait */
}

int main(int argc, char **argv)
{
    struct setup setup = {.lines = 0};
    curator_framework_options options = {.connect_string = scenario_argument(argc, argv, 1),
                                         .logger = {.log = take, .context = &setup, .level = CURATOR_LOG_DEBUG}};
    sem_init(&setup.opened, 0, 0);
    sem_init(&setup.done, 0, 0);
    assert_ok(curator_framework_open(&setup.client, &options));
    assert_ok(curator_mutex_create(&setup.mutex, setup.client, scenario_argument(argc, argv, 2)));
    sem_post(&setup.opened);
    sem_wait(&setup.done);
    assert_ok(curator_mutex_acquire(setup.mutex));
    assert_ok(curator_framework_close(setup.client));
    int delivered = setup.lines;
    atomic_store(&setup.closed, true);
    assert_that(delivered > 1);
    assert_status(CURATOR_CLOSED, curator_mutex_release(setup.mutex));
    assert_ok(curator_mutex_destroy(setup.mutex));
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL); /* for a line that must not come */
    assert_that(!atomic_load(&setup.late) && setup.lines == delivered);
    sem_destroy(&setup.opened);
    sem_destroy(&setup.done);
    return 0;
}
