/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a listener does: wake the owner, who releases in its own thread; lock elsewhere; remove itself; destroy the lock
 * that it was called for. And the NULLs.
 */
#include "scenario.h"
#include <semaphore.h>
#include <stdatomic.h>

struct setup {
    curator_framework *client;
    curator_mutex *held;
    curator_mutex *other;
    sem_t told;
    atomic_int times;
};

static void ask(struct setup *setup)
{
    char *node = NULL;
    assert_ok(curator_mutex_lock_path(setup->held, &node));
    assert_ok(curator_revoke(setup->client, node));
    free(node);
}

static void wait_until_told(struct setup *setup)
{
    while (sem_wait(&setup->told) != 0) {
    }
}

static void note(curator_mutex *mutex, void *context)
{
    struct setup *setup = context;
    assert_that(mutex == setup->held);
    assert_that(curator_mutex_is_acquired_in_this_process(mutex));
    assert_that(!curator_mutex_is_owned_by_current_thread(mutex));
    assert_status(CURATOR_NOT_OWNER, curator_mutex_release(mutex));
    atomic_fetch_add(&setup->times, 1);
    sem_post(&setup->told);
}

static void the_owner_releases_when_told(struct setup *setup)
{
    bool requested = true;
    assert_ok(curator_mutex_make_revocable(setup->held, note, setup));
    assert_ok(curator_mutex_acquire(setup->held));
    assert_ok(curator_mutex_revocation_requested(setup->held, &requested));
    assert_that(!requested);
    ask(setup);
    wait_until_told(setup);
    assert_ok(curator_mutex_revocation_requested(setup->held, &requested));
    assert_that(requested);
    assert_ok(curator_mutex_release(setup->held));
    assert_that(atomic_load(&setup->times) == 1);
}

/* Blocking calls too: the callback thread is the framework's own. */
static void lock_elsewhere_and_listen_no_more(curator_mutex *mutex, void *context)
{
    struct setup *setup = context;
    assert_ok(curator_mutex_acquire_for(setup->other, bound_ms(5000)));
    assert_ok(curator_mutex_release(setup->other));
    assert_ok(curator_mutex_make_revocable(mutex, NULL, NULL));
    sem_post(&setup->told);
}

static void a_listener_takes_itself_away(struct setup *setup)
{
    assert_ok(curator_mutex_make_revocable(setup->held, lock_elsewhere_and_listen_no_more, setup));
    assert_ok(curator_mutex_acquire(setup->held));
    ask(setup);
    wait_until_told(setup);
    ask(setup);
    assert_ok(curator_mutex_make_revocable(setup->held, note, setup));
    assert_ok(curator_mutex_release(setup->held));
    assert_that(atomic_load(&setup->times) == 1);
}

static void destroy(curator_mutex *mutex, void *context)
{
    struct setup *setup = context;
    assert_ok(curator_mutex_destroy(mutex));
    sem_post(&setup->told);
}

static void a_listener_destroys_the_lock(struct setup *setup, const char *path)
{
    curator_mutex *next = NULL;
    assert_ok(curator_mutex_make_revocable(setup->held, destroy, setup));
    assert_ok(curator_mutex_acquire(setup->held));
    ask(setup);
    wait_until_told(setup);
    assert_ok(curator_mutex_create(&next, setup->client, path));
    assert_ok(curator_mutex_acquire_for(next, bound_ms(5000)));
    assert_ok(curator_mutex_destroy(next));
}

static void null_arguments(struct setup *setup)
{
    bool requested;
    assert_status(CURATOR_INVALID_ARGUMENT, curator_mutex_make_revocable(NULL, note, setup));
    assert_error_mentions("NULL");
    assert_status(CURATOR_INVALID_ARGUMENT, curator_mutex_revocation_requested(NULL, &requested));
    assert_error_mentions("NULL");
    assert_status(CURATOR_INVALID_ARGUMENT, curator_mutex_revocation_requested(setup->other, NULL));
    assert_error_mentions("NULL");
    assert_status(CURATOR_NOT_OWNER, curator_mutex_revocation_requested(setup->other, &requested));
    assert_status(CURATOR_INVALID_ARGUMENT, curator_revoke(NULL, "/a"));
    assert_error_mentions("NULL");
    assert_status(CURATOR_INVALID_ARGUMENT, curator_revoke(setup->client, NULL));
    assert_error_mentions("null");
}

int main(int argc, char **argv)
{
    const char *path = scenario_argument(argc, argv, 2);
    char other[1024];
    struct setup setup = {.client = connected_client(scenario_argument(argc, argv, 1))};
    sem_init(&setup.told, 0, 0);
    snprintf(other, sizeof(other), "%s-other", path);
    assert_ok(curator_mutex_create(&setup.held, setup.client, path));
    assert_ok(curator_mutex_create(&setup.other, setup.client, other));
    null_arguments(&setup);
    the_owner_releases_when_told(&setup);
    a_listener_takes_itself_away(&setup);
    a_listener_destroys_the_lock(&setup, path);
    assert_ok(curator_mutex_destroy(setup.other));
    assert_ok(curator_framework_close(setup.client));
    sem_destroy(&setup.told);
    return 0;
}
