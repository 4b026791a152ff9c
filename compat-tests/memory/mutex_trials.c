/* SPDX-License-Identifier: Apache-2.0 */
/* The calls on a mutex without contention, while memory fails. */
#include "trial.h"

static void on_event(curator_mutex *mutex, void *context)
{
    (void)mutex;
    atomic_fetch_add(&((struct setup *)context)->told, 1);
}

static curator_status create(struct setup *setup)
{
    return curator_mutex_create(&setup->mutex, setup->client, setup->path);
}

static curator_status create_with_data(struct setup *setup)
{
    return curator_mutex_create_with_data(&setup->mutex, setup->client, setup->path, "data", 4);
}

static void verify_created(struct setup *setup, curator_status status)
{
    assert_that((setup->mutex != NULL) == (status == CURATOR_OK));
    if (status != CURATOR_OK) {
        make_mutex(setup);
    }
    assert_works(setup->mutex);
}

static void make_mutex_on_existing_path(struct setup *setup)
{
    make_mutex(setup);
    assert_works(setup->mutex);
}

static void make_held_mutex(struct setup *setup)
{
    make_mutex(setup);
    assert_ok(curator_mutex_acquire_for(setup->mutex, bound_ms(LONG_MS)));
}

static curator_status acquire_without_limit(struct setup *setup)
{
    return curator_mutex_acquire(setup->mutex);
}

static curator_status try_once(struct setup *setup)
{
    return curator_mutex_acquire_for(setup->mutex, 0);
}

static void verify_acquired_again(struct setup *setup, curator_status status)
{
    assert_ok(status);
    assert_ok(curator_mutex_release(setup->mutex));
    assert_that(children_of(setup, setup->path) == 1);
    verify_acquired(setup, CURATOR_OK);
}

static curator_status destroy(struct setup *setup)
{
    return curator_mutex_destroy(setup->mutex);
}

static void verify_destroyed(struct setup *setup, curator_status status)
{
    assert_ok(status);
    setup->mutex = NULL;
    await_that(children_of(setup, setup->path) == 0);
}

static curator_status list_participants(struct setup *setup)
{
    return curator_mutex_participants(setup->mutex, &setup->participants);
}

static void verify_participants(struct setup *setup, curator_status status)
{
    assert_that((setup->participants != NULL) == (status == CURATOR_OK));
    if (status != CURATOR_OK) {
        assert_ok(list_participants(setup));
    }
    assert_that(setup->participants->count == 1);
    curator_participants_free(setup->participants);
    setup->participants = NULL;
    verify_acquired(setup, CURATOR_OK);
}

static curator_status list_contenders(struct setup *setup)
{
    curator_contenders *contenders;
    curator_status status = curator_mutex_contenders(setup->mutex, &contenders);
    assert_that((contenders != NULL) == (status == CURATOR_OK));
    assert_that(contenders == NULL || (contenders->count == 1 && contenders->contenders[0]->holds));
    curator_contenders_free(contenders);
    return status;
}

static void verify_contenders(struct setup *setup, curator_status status)
{
    if (status != CURATOR_OK) {
        assert_ok(list_contenders(setup));
    }
    verify_acquired(setup, CURATOR_OK);
}

static curator_status ask_for_path(struct setup *setup)
{
    return curator_mutex_lock_path(setup->mutex, &setup->text);
}

static void verify_path(struct setup *setup, curator_status status)
{
    assert_that((setup->text != NULL) == (status == CURATOR_OK));
    if (status != CURATOR_OK) {
        assert_ok(ask_for_path(setup));
    }
    assert_that(zoo_exists(setup->admin, setup->text, 0, NULL) == ZOK);
    free(setup->text);
    setup->text = NULL;
    verify_acquired(setup, CURATOR_OK);
}

static curator_status ask_for_guard(struct setup *setup)
{
    struct zoo_op op;
    return curator_mutex_guard(setup->mutex, &op);
}

static void verify_guard(struct setup *setup, curator_status status)
{
    assert_ok(status == CURATOR_OK ? status : ask_for_guard(setup));
    verify_acquired(setup, CURATOR_OK);
}

/* The first of them makes room for all. */
static curator_status set_functions(struct setup *setup)
{
    curator_status status = curator_mutex_on_lost(setup->mutex, on_event, setup);
    if (status == CURATOR_OK) {
        assert_ok(curator_mutex_make_revocable(setup->mutex, on_event, setup));
        assert_ok(curator_mutex_on_endangered(setup->mutex, 1, on_event, setup));
    }
    return status;
}

static void verify_functions(struct setup *setup, curator_status status)
{
    assert_ok(status == CURATOR_OK ? status : set_functions(setup));
    verify_acquired(setup, CURATOR_OK);
}

static curator_status ask_the_rest(struct setup *setup)
{
    int64_t token = 0;
    bool requested = true;
    assert_ok(curator_mutex_revocation_requested(setup->mutex, &requested));
    assert_ok(curator_mutex_interrupt(setup->mutex));
    assert_that(curator_mutex_is_acquired_in_this_process(setup->mutex) && !requested);
    curator_status status = curator_mutex_fencing_token(setup->mutex, &token);
    assert_that(token > 0);
    return status;
}

static void make_revocable_mutex(struct setup *setup)
{
    make_held_mutex(setup);
    assert_ok(curator_mutex_make_revocable(setup->mutex, on_event, setup));
    assert_ok(curator_mutex_lock_path(setup->mutex, &setup->text));
    pause_ms(60); /* its watch is set by now, or fails and is set again: the trial of the watch is another */
}

static curator_status revoke(struct setup *setup)
{
    return curator_revoke(setup->client, setup->text);
}

static void verify_revoked(struct setup *setup, curator_status status)
{
    if (status != CURATOR_OK) {
        assert_ok(revoke(setup));
    }
    await_that(atomic_load(&setup->told) == 1);
    free(setup->text);
    setup->text = NULL;
    verify_acquired(setup, CURATOR_OK);
}

const struct trial mutex_trials[] = {
    {.name = "create", .at_least = 3, .call = create, .verify = verify_created, .finish = destroy_mutex},
    {.name = "create_with_data",
     .at_least = 4,
     .call = create_with_data,
     .verify = verify_created,
     .finish = destroy_mutex},
    {.name = "acquire_on_a_new_path",
     .at_least = 8,
     .prepare = make_mutex,
     .call = acquire_without_limit,
     .verify = verify_acquired,
     .finish = destroy_mutex},
    {.name = "acquire",
     .at_least = 5,
     .prepare = make_mutex_on_existing_path,
     .call = acquire,
     .verify = verify_acquired,
     .finish = destroy_mutex},
    {.name = "acquire_for_0",
     .at_least = 5,
     .prepare = make_mutex_on_existing_path,
     .call = try_once,
     .verify = verify_acquired,
     .finish = destroy_mutex},
    {.name = "acquire_again",
     .prepare = make_held_mutex,
     .call = acquire,
     .verify = verify_acquired_again,
     .finish = destroy_mutex},
    {.name = "release",
     .at_least = 1,
     .prepare = make_held_mutex,
     .call = release,
     .verify = verify_released,
     .finish = destroy_mutex,
     .also = CURATOR_RELEASE_PENDING},
    {.name = "destroy", .prepare = make_mutex_on_existing_path, .call = destroy, .verify = verify_destroyed},
    {.name = "destroy_held", .at_least = 1, .prepare = make_held_mutex, .call = destroy, .verify = verify_destroyed},
    {.name = "participants",
     .at_least = 3,
     .prepare = make_held_mutex,
     .call = list_participants,
     .verify = verify_participants,
     .finish = destroy_mutex},
    {.name = "contenders",
     .at_least = 8,
     .prepare = make_held_mutex,
     .call = list_contenders,
     .verify = verify_contenders,
     .finish = destroy_mutex},
    {.name = "lock_path",
     .at_least = 1,
     .prepare = make_held_mutex,
     .call = ask_for_path,
     .verify = verify_path,
     .finish = destroy_mutex},
    {.name = "guard",
     .at_least = 1,
     .prepare = make_held_mutex,
     .call = ask_for_guard,
     .verify = verify_guard,
     .finish = destroy_mutex},
    {.name = "on_lost",
     .at_least = 1,
     .prepare = make_held_mutex,
     .call = set_functions,
     .verify = verify_functions,
     .finish = destroy_mutex},
    {.name = "calls_that_only_look",
     .prepare = make_held_mutex,
     .call = ask_the_rest,
     .verify = verify_acquired,
     .finish = destroy_mutex},
    {.name = "revoke",
     .at_least = 2,
     .prepare = make_revocable_mutex,
     .call = revoke,
     .verify = verify_revoked,
     .finish = destroy_mutex},
    {0},
};
