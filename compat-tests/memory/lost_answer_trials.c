/* SPDX-License-Identifier: Apache-2.0 */
/* The link loses the answer to the first create or delete in each directory, and memory fails besides. */
#include "trial.h"

static void create_node(const struct setup *setup, const char *path)
{
    int rc = zoo_create(setup->admin, path, "", 0, &ZOO_OPEN_ACL_UNSAFE, ZOO_PERSISTENT, NULL, 0);
    assert_that(rc == ZOK || rc == ZNODEEXISTS);
}

/* So that the first create there is that of the lock's node. */
static void make_mutex_in_directory(struct setup *setup)
{
    char path[sizeof setup->path];
    snprintf(path, sizeof path, "%s", setup->path);
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        create_node(setup, path);
        *slash = '/';
    }
    create_node(setup, path);
    make_mutex(setup);
}

static void make_held_mutex(struct setup *setup)
{
    make_mutex_in_directory(setup);
    assert_ok(curator_mutex_acquire_for(setup->mutex, bound_ms(LONG_MS)));
}

/* A node of an earlier try may be on its way out. */
static void verify_found_again(struct setup *setup, curator_status status)
{
    if (status == CURATOR_OK) {
        await_that(children_of(setup, setup->path) == 1);
    }
    verify_acquired(setup, status);
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
