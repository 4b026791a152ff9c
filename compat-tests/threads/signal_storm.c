/* SPDX-License-Identifier: Apache-2.0 */
/* Signals that interrupt system calls arrive a thousand times a second on every thread of the program; no call fails.
 */
#include "scenario.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>

static atomic_long signals_taken;

static void take(int number)
{
    (void)number;
    atomic_fetch_add(&signals_taken, 1);
}

struct setup {
    const char *connect_string;
    const char *path;
    curator_framework *client;
    atomic_int running;
};

enum { THREADS = 4, TURNS = 60 };

static void *take_turns(void *context)
{
    struct setup *setup = context;
    curator_mutex *mutex = NULL;
    assert_ok(curator_mutex_create(&mutex, setup->client, setup->path));
    for (int i = 0; i < TURNS; i++) {
        curator_participants *participants = NULL;
        if (i % 4 == 0) {
            assert_ok(curator_mutex_acquire(mutex));
        } else {
            assert_ok(curator_mutex_acquire_for(mutex, bound_ms(20000)));
        }
        assert_ok(curator_mutex_participants(mutex, &participants));
        curator_participants_free(participants);
        assert_ok(curator_mutex_release(mutex));
    }
    assert_ok(curator_mutex_destroy(mutex));
    atomic_fetch_sub(&setup->running, 1);
    return NULL;
}

/* A timed wait is neither cut short nor made longer. */
static void wait_in_vain(struct setup *setup)
{
    curator_mutex *held = NULL;
    curator_mutex *wanted = NULL;
    char path[1024];
    snprintf(path, sizeof path, "%s-held", setup->path);
    assert_ok(curator_mutex_create(&held, setup->client, path));
    assert_ok(curator_mutex_create(&wanted, setup->client, path));
    assert_ok(curator_mutex_acquire(held));
    int64_t began = now_ms();
    assert_status(CURATOR_TIMED_OUT, curator_mutex_acquire_for(wanted, 300));
    assert_that(now_ms() - began >= 300);
    assert_that(now_ms() - began < 300 + bound_ms(2000));
    assert_ok(curator_mutex_release(held));
    assert_ok(curator_mutex_destroy(held));
    assert_ok(curator_mutex_destroy(wanted));
}

static void open_and_close(const char *connect_string)
{
    for (int i = 0; i < 10; i++) {
        curator_framework *client = connected_client(connect_string);
        assert_ok(curator_framework_close(client));
    }
}

int main(int argc, char **argv)
{
    struct setup setup = {.connect_string = scenario_argument(argc, argv, 1), .path = scenario_argument(argc, argv, 2)};
    pthread_t threads[THREADS];
    struct sigaction action = {.sa_handler = take}; /* without SA_RESTART */
    sigaction(SIGALRM, &action, NULL);
    sigaction(SIGUSR1, &action, NULL);
    setitimer(ITIMER_REAL, &(struct itimerval){.it_interval = {.tv_usec = 1000}, .it_value = {.tv_usec = 1000}}, NULL);

    setup.client = connected_client(setup.connect_string);
    atomic_store(&setup.running, THREADS);
    for (int i = 0; i < THREADS; i++) {
        assert_that(pthread_create(&threads[i], NULL, take_turns, &setup) == 0);
    }
    while (atomic_load(&setup.running) > 0) {
        for (int i = 0; i < THREADS; i++) {
            pthread_kill(threads[i], SIGUSR1);
        }
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_that(pthread_join(threads[i], NULL) == 0);
    }
    wait_in_vain(&setup);
    open_and_close(setup.connect_string);
    assert_ok(curator_framework_close(setup.client));
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    assert_that(atomic_load(&signals_taken) > 100);
    return 0;
}
