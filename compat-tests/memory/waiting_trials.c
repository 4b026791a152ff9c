/* SPDX-License-Identifier: Apache-2.0 */
/* Queueing behind somebody while memory fails: no wake-up is missed, and nobody stays in the queue. */
#include "trial.h"

static struct holder holder;
static curator_mutex *before;

static void make_contenders(struct scene *scene, int until_children)
{
    make_mutex(scene);
    assert_ok(curator_mutex_create(&before, scene->client, scene->path));
    holder_begin(scene, &holder, before, until_children);
}

static void let_go_when_queued(struct scene *scene)
{
    make_contenders(scene, 2);
}

static void never_let_go(struct scene *scene)
{
    make_contenders(scene, 0);
}

static curator_status give_up(struct scene *scene)
{
    return curator_mutex_acquire_for(scene->mutex, 60);
}

static void destroy_contenders(struct scene *scene)
{
    destroy_mutex(scene);
    assert_ok(curator_mutex_destroy(before));
}

static void verify_waited(struct scene *scene, curator_status status)
{
    holder_end(&holder);
    verify_acquired(scene, status);
}

/* Only the holder's node stays, soon. */
static void verify_gave_up(struct scene *scene, curator_status status)
{
    assert_that(status != CURATOR_OK);
    await_that(children_of(scene, scene->path) == 1);
    holder_end(&holder);
    assert_works(scene->mutex);
}

static void *interrupt(void *context)
{
    struct scene *scene = context;
    fallible_exempt_this_thread();
    while (!atomic_load(&scene->told)) {
        assert_ok(curator_mutex_interrupt(scene->mutex));
        pause_ms(5);
    }
    return NULL;
}

static pthread_t interrupter;

static void prepare_interrupt(struct scene *scene)
{
    never_let_go(scene);
    assert_that(pthread_create(&interrupter, NULL, interrupt, scene) == 0);
}

static curator_status acquire_until_interrupted(struct scene *scene)
{
    return curator_mutex_acquire(scene->mutex);
}

static void verify_interrupted(struct scene *scene, curator_status status)
{
    atomic_store(&scene->told, 1);
    assert_that(pthread_join(interrupter, NULL) == 0);
    verify_gave_up(scene, status);
}

/*
 * When its turn comes, the last answer of the leader in the waiter's session is usually so old that a grant needs a new
 * one. Without memory for that request the call fails, but the session survives.
 */
static void prepare_long_wait(struct scene *scene)
{
    curator_framework_options options = trial_options(scene);
    options.session_timeout_ms = 2000;
    assert_ok(curator_framework_open(&scene->own_client, &options));
    assert_ok(curator_framework_await_connected(scene->own_client, bound_ms(LONG_MS)));
    assert_ok(curator_mutex_create(&scene->mutex, scene->own_client, scene->path));
    assert_ok(curator_mutex_create(&before, scene->client, scene->path));
    holder.linger_ms = 1300; /* longer than a lease of this session lasts without an answer */
    fallible_postpone();
    holder_begin(scene, &holder, before, 2);
}

static void verify_long_wait(struct scene *scene, curator_status status)
{
    curator_connection_state state;
    verify_waited(scene, status);
    assert_ok(curator_framework_state(scene->own_client, &state));
    assert_that(state == CURATOR_CONNECTED);
}

static void finish_long_wait(struct scene *scene)
{
    holder.linger_ms = 0;
    destroy_contenders(scene);
    assert_ok(curator_framework_close(scene->own_client));
    scene->own_client = NULL;
}

const struct trial waiting_trials[] = {
    {.name = "acquire_behind_a_holder",
     .at_least = 8,
     .prepare = let_go_when_queued,
     .call = acquire,
     .verify = verify_waited,
     .finish = destroy_contenders,
     .also = CURATOR_TIMED_OUT},
    {.name = "acquire_after_a_long_wait",
     .at_least = 2,
     .prepare = prepare_long_wait,
     .call = acquire,
     .verify = verify_long_wait,
     .finish = finish_long_wait,
     .singly = true},
    {.name = "acquire_that_times_out",
     .at_least = 6,
     .prepare = never_let_go,
     .call = give_up,
     .verify = verify_gave_up,
     .finish = destroy_contenders,
     .expected = CURATOR_TIMED_OUT},
    {.name = "acquire_that_is_interrupted",
     .at_least = 3,
     .prepare = prepare_interrupt,
     .call = acquire_until_interrupted,
     .verify = verify_interrupted,
     .finish = destroy_contenders,
     .expected = CURATOR_INTERRUPTED},
    {0},
};
