/* SPDX-License-Identifier: Apache-2.0 */
/* The link loses the answer to the first create or delete in each directory, and memory fails besides. */
#include "trial.h"

static void create_node(const struct scene *scene, const char *path)
{
    int rc = zoo_create(scene->admin, path, "", 0, &ZOO_OPEN_ACL_UNSAFE, ZOO_PERSISTENT, NULL, 0);
    assert_that(rc == ZOK || rc == ZNODEEXISTS);
}

/* So that the first create there is that of the lock's node. */
static void make_mutex_in_directory(struct scene *scene)
{
    char path[sizeof scene->path];
    snprintf(path, sizeof path, "%s", scene->path);
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        create_node(scene, path);
        *slash = '/';
    }
    create_node(scene, path);
    make_mutex(scene);
}

static void make_held_mutex(struct scene *scene)
{
    make_mutex_in_directory(scene);
    assert_ok(curator_mutex_acquire_for(scene->mutex, bound_ms(LONG_MS)));
}

/* A node of an earlier try may be on its way out. */
static void verify_found_again(struct scene *scene, curator_status status)
{
    if (status == CURATOR_OK) {
        await_that(children_of(scene, scene->path) == 1);
    }
    verify_acquired(scene, status);
}

const struct trial lost_answer_trials[] = {
    {.name = "lost_create",
     .at_least = 8,
     .prepare = make_mutex_in_directory,
     .call = acquire,
     .verify = verify_found_again,
     .finish = destroy_mutex,
     .also = CURATOR_TIMED_OUT},
    {.name = "lost_delete",
     .at_least = 2,
     .prepare = make_held_mutex,
     .call = release,
     .verify = verify_released,
     .finish = destroy_mutex,
     .singly = true},
    {0},
};
