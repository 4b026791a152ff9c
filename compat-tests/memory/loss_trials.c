/* SPDX-License-Identifier: Apache-2.0 */
/* What happens to a holder while memory fails is told to it all the same. */
#include "trial.h"

#define HELD_MS 60 /* by then the library sets the watch on what is held */

static void on_event(curator_mutex *mutex, void *context)
{
    (void)mutex;
    atomic_fetch_add(&((struct scene *)context)->told, 1);
}

static void make_mutex_that_tells(struct scene *scene)
{
    make_mutex(scene);
    assert_ok(curator_mutex_on_lost(scene->mutex, on_event, scene));
    assert_ok(curator_mutex_acquire_for(scene->mutex, bound_ms(LONG_MS)));
    assert_ok(curator_mutex_lock_path(scene->mutex, &scene->text));
}

static void make_revocable_mutex(struct scene *scene)
{
    make_mutex(scene);
    assert_ok(curator_mutex_make_revocable(scene->mutex, on_event, scene));
    assert_ok(curator_mutex_acquire_for(scene->mutex, bound_ms(LONG_MS)));
    assert_ok(curator_mutex_lock_path(scene->mutex, &scene->text));
}

static curator_status hold(struct scene *scene)
{
    (void)scene;
    pause_ms((int)bound_ms(HELD_MS));
    return CURATOR_OK;
}

static void forget_path(struct scene *scene)
{
    free(scene->text);
    scene->text = NULL;
}

static void verify_deletion_is_told(struct scene *scene, curator_status status)
{
    assert_ok(status);
    assert_that(zoo_delete(scene->admin, scene->text, -1) == ZOK);
    await_that(atomic_load(&scene->told) == 1);
    assert_status(CURATOR_LOCK_LOST, curator_mutex_release(scene->mutex));
    forget_path(scene);
    assert_works(scene->mutex);
}

static void verify_revocation_is_told(struct scene *scene, curator_status status)
{
    assert_ok(status);
    assert_ok(curator_revoke(scene->client, scene->text));
    await_that(atomic_load(&scene->told) == 1);
    forget_path(scene);
    assert_ok(curator_mutex_release(scene->mutex));
    assert_works(scene->mutex);
}

/* Joins the session of the client with a second handle and closes that: the server ends the session. */
static void end_session(struct scene *scene, curator_framework *client)
{
    zhandle_t *lent = curator_framework_borrow_handle(client);
    assert_that(lent != NULL);
    clientid_t id = *zoo_client_id(lent);
    assert_ok(curator_framework_return_handle(client, lent));
    zhandle_t *second = zookeeper_init(scene->connect_string, NULL, 10000, &id, NULL, 0);
    assert_that(second != NULL);
    await_that(zoo_state(second) == ZOO_CONNECTED_STATE);
    zookeeper_close(second);
}

static void prepare_session_end(struct scene *scene)
{
    curator_framework_options options = trial_options(scene);
    assert_ok(curator_framework_open(&scene->own_client, &options));
    assert_ok(curator_framework_await_connected(scene->own_client, bound_ms(LONG_MS)));
    assert_ok(curator_mutex_create(&scene->mutex, scene->own_client, scene->path));
    assert_ok(curator_mutex_on_lost(scene->mutex, on_event, scene));
    assert_ok(curator_mutex_acquire_for(scene->mutex, bound_ms(LONG_MS)));
}

/* The loss is told while memory still fails. */
static curator_status lose_session(struct scene *scene)
{
    end_session(scene, scene->own_client);
    await_that(atomic_load(&scene->told) == 1);
    return curator_framework_await_connected(scene->own_client, bound_ms(scene->all_fail ? SHORT_MS : LONG_MS));
}

static void verify_new_session(struct scene *scene, curator_status status)
{
    (void)status;
    assert_status(CURATOR_LOCK_LOST, curator_mutex_release(scene->mutex));
    assert_ok(curator_framework_await_connected(scene->own_client, bound_ms(LONG_MS)));
    assert_works(scene->mutex);
    destroy_mutex(scene);
    assert_ok(curator_framework_close(scene->own_client));
    scene->own_client = NULL;
}

const struct trial loss_trials[] = {
    {.name = "deletion",
     .at_least = 3,
     .prepare = make_mutex_that_tells,
     .call = hold,
     .verify = verify_deletion_is_told,
     .finish = destroy_mutex},
    {.name = "revocation",
     .at_least = 3,
     .prepare = make_revocable_mutex,
     .call = hold,
     .verify = verify_revocation_is_told,
     .finish = destroy_mutex},
    {.name = "end_of_the_session",
     .at_least = 6,
     .prepare = prepare_session_end,
     .call = lose_session,
     .verify = verify_new_session,
     .also = CURATOR_TIMED_OUT},
    {0},
};
