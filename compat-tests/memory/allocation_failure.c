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
    {"semaphore", semaphore_trials},
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

static void *acquire_and_release(void *mutex)
{
    assert_works(mutex);
    return NULL;
}

/* What a client keeps for as many threads as ever were in its calls at once, it has afterwards. */
static void use_with_threads(const struct setup *setup)
{
    curator_mutex *mutex = NULL;
    pthread_t threads[3];
    char path[256];
    snprintf(path, sizeof path, "%s/first", setup->base);
    assert_ok(curator_mutex_create(&mutex, setup->client, path));
    assert_ok(curator_mutex_acquire_for(mutex, bound_ms(LONG_MS)));
    for (int i = 0; i < 3; i++) {
        assert_that(pthread_create(&threads[i], NULL, acquire_and_release, mutex) == 0);
    }
    await_that(children_of(setup, path) == 4);
    assert_ok(curator_mutex_release(mutex));
    for (int i = 0; i < 3; i++) {
        assert_that(pthread_join(threads[i], NULL) == 0);
    }
    assert_ok(curator_mutex_destroy(mutex));
    pause_ms(50);
}

int main(int argc, char **argv)
{
    struct setup setup = {.connect_string = scenario_argument(argc, argv, 1), .base = scenario_argument(argc, argv, 2)};
    const struct trial *trial = group_named(scenario_argument(argc, argv, 3));
    const char *only = argc > 4 ? argv[4] : NULL;
    zoo_set_debug_level((ZooLogLevel)0);
    setup.admin = zookeeper_init(setup.connect_string, NULL, 10000, NULL, NULL, 0);
    assert_that(setup.admin != NULL);
    await_that(zoo_state(setup.admin) == ZOO_CONNECTED_STATE);
    curator_framework_options options = trial_options(&setup);
    assert_ok(curator_framework_open(&setup.client, &options));
    use_with_threads(&setup);
    bool any = false;
    for (; trial->name != NULL; trial++) {
        if (only == NULL || strcmp(only, trial->name) == 0) {
            any = true;
            trial_run(&setup, trial);
        }
    }
    assert_that(any);
    assert_ok(curator_framework_close(setup.client));
    await_that(fallible_live_blocks() == 0);
    zookeeper_close(setup.admin);
    return 0;
}
