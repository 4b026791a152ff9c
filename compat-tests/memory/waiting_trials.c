/* SPDX-License-Identifier: Apache-2.0 */
/* Queueing behind somebody while memory fails: no wake-up is missed, and nobody stays in the queue. */
#include "trial.h"

static struct holder holder;
static curator_mutex *before;

static void make_contenders(struct setup *setup, int until_children)
{
    make_mutex(setup);
    assert_ok(curator_mutex_create(&before, setup->client, setup->path));
    holder_begin(setup, &holder, before, until_children);
}

static void let_go_when_queued(struct setup *setup)
{
    make_contenders(setup, 2);
}

static void never_let_go(struct setup *setup)
{
    make_contenders(setup, 0);
}

static curator_status give_up(struct setup *setup)
{
    return curator_mutex_acquire_for(setup->mutex, 60);
}

static void destroy_contenders(struct setup *setup)
{
    destroy_mutex(setup);
    assert_ok(curator_mutex_destroy(before));
}

static void verify_waited(struct setup *setup, curator_status status)
{
    holder_end(&holder);
    verify_acquired(setup, status);
}

/* Only the holder's node stays, soon. */
static void verify_gave_up(struct setup *setup, curator_status status)
{
    assert_that(status != CURATOR_OK);
    await_that(children_of(setup, setup->path) == 1);
    holder_end(&holder);
    assert_works(setup->mutex);
}

static void *interrupt(void *context)
{
    struct setup *setup = context;
    fallible_exempt_this_thread();
    while (!atomic_load(&setup->told)) {
        assert_ok(curator_mutex_interrupt(setup->mutex));
        pause_ms(5);
    }
    return NULL;
}

static pthread_t interrupter;

static void prepare_interrupt(struct setup *setup)
{
    never_let_go(setup);
    assert_that(pthread_create(&interrupter, NULL, interrupt, setup) == 0);
}

static curator_status acquire_until_interrupted(struct setup *setup)
{
    return curator_mutex_acquire(setup->mutex);
}

static void verify_interrupted(struct setup *setup, curator_status status)
{
    atomic_store(&setup->told, 1);
    assert_that(pthread_join(interrupter, NULL) == 0);
    verify_gave_up(setup, status);
}

/*
 * When its turn comes, the last answer of the leader in the waiter's session is usually so old that a grant needs a new
 * one. Without memory for that request the call fails, but the session survives.
 */
static void prepare_long_wait(struct setup *setup)
{
    curator_framework_options options = trial_options(setup);
    options.session_timeout_ms = 2000;
    assert_ok(curator_framework_open(&setup->own_client, &options));
    assert_ok(curator_framework_await_connected(setup->own_client, bound_ms(LONG_MS)));
    assert_ok(curator_mutex_create(&setup->mutex, setup->own_client, setup->path));
    assert_ok(curator_mutex_create(&before, setup->client, setup->path));
    holder.linger_ms = 1300; /* longer than a lease of this session lasts without an answer */
    fallible_postpone();
    holder_begin(setup, &holder, before, 2);
}

static void verify_long_wait(struct setup *setup, curator_status status)
{
    curator_connection_state state;
    verify_waited(setup, status);
    assert_ok(curator_framework_state(setup->own_client, &state));
    assert_that(state == CURATOR_CONNECTED);
}

static void finish_long_wait(struct setup *setup)
{
    holder.linger_ms = 0;
    destroy_contenders(setup);
    assert_ok(curator_framework_close(setup->own_client));
    setup->own_client = NULL;
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
