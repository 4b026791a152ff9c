/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every allocation of every public call fails once, and once with all that follow. Each run ends with an honest status,
 * the object works again, no block is left allocated, and no node on the server.
 */
#include "trial.h"

static const struct {
    const char *name;
    const struct trial *trials;
} groups[] = {
    {"framework", framework_trials},   {"mutex", mutex_trials}, {"waiting", waiting_trials},
    {"read_write", read_write_trials}, {"loss", loss_trials},   {"lost_answer", lost_answer_trials},
};

static const struct trial *group_named(const char *name)
{
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        if (strcmp(groups[i].name, name) == 0) {
            return groups[i].trials;
        }
    }
    fprintf(stderr, "there is no group %s\n", name);
    exit(2);
}

/* A client that is connected before its creator goes on: nothing it has to tell may come too early. */
static void on_connected(curator_framework *client, curator_connection_state state, void *context)
{
    (void)client;
    if (state == CURATOR_CONNECTED) {
        atomic_fetch_add((atomic_int *)context, 1);
    }
}

static void open_slowly(const struct scene *scene)
{
    atomic_int told = 0;
    curator_framework *client = NULL;
    curator_framework_options options = trial_options(scene);
    options.connection_listener = on_connected;
    options.connection_listener_context = &told;
    fallible_delay_creators(200);
    assert_ok(curator_framework_open(&client, &options));
    fallible_delay_creators(0);
    await_that(atomic_load(&told) == 1);
    assert_ok(curator_framework_close(client));
}

int main(int argc, char **argv)
{
    struct scene scene = {.connect_string = scenario_argument(argc, argv, 1), .base = scenario_argument(argc, argv, 2)};
    const struct trial *trial = group_named(scenario_argument(argc, argv, 3));
    const char *only = argc > 4 ? argv[4] : NULL;
    zoo_set_debug_level((ZooLogLevel)0);
    scene.admin = zookeeper_init(scene.connect_string, NULL, 10000, NULL, NULL, 0);
    assert_that(scene.admin != NULL);
    await_that(zoo_state(scene.admin) == ZOO_CONNECTED_STATE);
    if (trial == framework_trials && only == NULL) {
        open_slowly(&scene);
    }
    curator_framework_options options = trial_options(&scene);
    assert_ok(curator_framework_open(&scene.client, &options));
    curator_mutex *mutex = NULL;
    char path[256];
    snprintf(path, sizeof path, "%s/first", scene.base);
    assert_ok(curator_mutex_create(&mutex, scene.client, path));
    assert_works(mutex);
    assert_ok(curator_mutex_destroy(mutex));
    pause_ms(50);
    bool any = false;
    for (; trial->name != NULL; trial++) {
        if (only == NULL || strcmp(only, trial->name) == 0) {
            any = true;
            trial_run(&scene, trial);
        }
    }
    assert_that(any);
    assert_ok(curator_framework_close(scene.client));
    await_that(fallible_live_blocks() == 0);
    zookeeper_close(scene.admin);
    return 0;
}
