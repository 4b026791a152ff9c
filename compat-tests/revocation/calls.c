/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a listener does: wake the owner, who releases in its own thread; lock elsewhere; remove itself; destroy the lock
 * that it was called for. And the NULLs.
 */
#include "scenario.h"
#include <semaphore.h>
#include <stdatomic.h>

struct stage {
    curator_framework *client;
    curator_mutex *held;
    curator_mutex *other;
    sem_t told;
    atomic_int times;
};

static void ask(struct stage *stage)
{
    char *node = NULL;
    assert_ok(curator_mutex_lock_path(stage->held, &node));
    assert_ok(curator_revoke(stage->client, node));
    free(node);
}

static void wait_until_told(struct stage *stage)
{
    while (sem_wait(&stage->told) != 0) {
    }
}

static void note(curator_mutex *mutex, void *context)
{
    struct stage *stage = context;
    assert_that(mutex == stage->held);
    assert_that(curator_mutex_is_acquired_in_this_process(mutex));
    assert_that(!curator_mutex_is_owned_by_current_thread(mutex));
    assert_status(CURATOR_NOT_OWNER, curator_mutex_release(mutex));
    atomic_fetch_add(&stage->times, 1);
    sem_post(&stage->told);
}

static void the_owner_releases_when_told(struct stage *stage)
{
    bool requested = true;
    assert_ok(curator_mutex_make_revocable(stage->held, note, stage));
    assert_ok(curator_mutex_acquire(stage->held));
    assert_ok(curator_mutex_revocation_requested(stage->held, &requested));
    assert_that(!requested);
    ask(stage);
    wait_until_told(stage);
    assert_ok(curator_mutex_revocation_requested(stage->held, &requested));
    assert_that(requested);
    assert_ok(curator_mutex_release(stage->held));
    assert_that(atomic_load(&stage->times) == 1);
}

/* Blocking calls too: the callback thread is the framework's own. */
static void lock_elsewhere_and_listen_no_more(curator_mutex *mutex, void *context)
{
    struct stage *stage = context;
    assert_ok(curator_mutex_acquire_for(stage->other, bound_ms(5000)));
    assert_ok(curator_mutex_release(stage->other));
    assert_ok(curator_mutex_make_revocable(mutex, NULL, NULL));
    sem_post(&stage->told);
}

static void a_listener_takes_itself_away(struct stage *stage)
{
    assert_ok(curator_mutex_make_revocable(stage->held, lock_elsewhere_and_listen_no_more, stage));
    assert_ok(curator_mutex_acquire(stage->held));
    ask(stage);
    wait_until_told(stage);
    ask(stage);
    assert_ok(curator_mutex_make_revocable(stage->held, note, stage));
    assert_ok(curator_mutex_release(stage->held));
    assert_that(atomic_load(&stage->times) == 1);
}

static void destroy(curator_mutex *mutex, void *context)
{
    struct stage *stage = context;
    assert_ok(curator_mutex_destroy(mutex));
    sem_post(&stage->told);
}

static void a_listener_destroys_the_lock(struct stage *stage, const char *path)
{
    curator_mutex *next = NULL;
    assert_ok(curator_mutex_make_revocable(stage->held, destroy, stage));
    assert_ok(curator_mutex_acquire(stage->held));
    ask(stage);
    wait_until_told(stage);
    assert_ok(curator_mutex_create(&next, stage->client, path));
    assert_ok(curator_mutex_acquire_for(next, bound_ms(5000)));
    assert_ok(curator_mutex_destroy(next));
}

static void null_arguments(struct stage *stage)
{
    bool requested;
    assert_status(CURATOR_INVALID_ARGUMENT, curator_mutex_make_revocable(NULL, note, stage));
    assert_error_mentions("NULL");
    assert_status(CURATOR_INVALID_ARGUMENT, curator_mutex_revocation_requested(NULL, &requested));
    assert_error_mentions("NULL");
    assert_status(CURATOR_INVALID_ARGUMENT, curator_mutex_revocation_requested(stage->other, NULL));
    assert_error_mentions("NULL");
    assert_status(CURATOR_NOT_OWNER, curator_mutex_revocation_requested(stage->other, &requested));
    assert_status(CURATOR_INVALID_ARGUMENT, curator_revoke(NULL, "/a"));
    assert_error_mentions("NULL");
    assert_status(CURATOR_INVALID_ARGUMENT, curator_revoke(stage->client, NULL));
    assert_error_mentions("null");
}

int main(int argc, char **argv)
{
    const char *path = scenario_argument(argc, argv, 2);
    char other[1024];
    struct stage stage = {.client = connected_client(scenario_argument(argc, argv, 1))};
    sem_init(&stage.told, 0, 0);
    snprintf(other, sizeof(other), "%s-other", path);
    assert_ok(curator_mutex_create(&stage.held, stage.client, path));
    assert_ok(curator_mutex_create(&stage.other, stage.client, other));
    null_arguments(&stage);
    the_owner_releases_when_told(&stage);
    a_listener_takes_itself_away(&stage);
    a_listener_destroys_the_lock(&stage, path);
    assert_ok(curator_mutex_destroy(stage.other));
    assert_ok(curator_framework_close(stage.client));
    sem_destroy(&stage.told);
    return 0;
}
