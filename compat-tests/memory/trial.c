/* SPDX-License-Identifier: Apache-2.0 */
/* A public call, tried again and again. */
#include "trial.h"

#define MAX_RUNS 500
#define MAX_TRIES 10

void pause_ms(int milliseconds)
{
    nanosleep(&(struct timespec){.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000L}, NULL);
}

int children_of(const struct setup *setup, const char *path)
{
    struct Stat stat = {0};
    int rc = zoo_exists(setup->admin, path, 0, &stat);
    assert_that(rc == ZOK || rc == ZNONODE);
    return rc == ZOK ? stat.numChildren : 0;
}

curator_framework_options trial_options(const struct setup *setup)
{
    static curator_retry_policy policy;
    policy = curator_retry_n_times(3, 10);
    return (curator_framework_options){.connect_string = setup->connect_string,
                                       .session_timeout_ms = 10000,
                                       .connection_timeout_ms = bound_ms(2000),
                                       .retry_policy = &policy};
}

void assert_works(curator_mutex *mutex)
{
    assert_ok(curator_mutex_acquire_for(mutex, bound_ms(LONG_MS)));
    assert_that(curator_mutex_is_owned_by_current_thread(mutex));
    assert_ok(curator_mutex_release(mutex));
}

void make_mutex(struct setup *setup)
{
    assert_ok(curator_mutex_create(&setup->mutex, setup->client, setup->path));
}

void destroy_mutex(struct setup *setup)
{
    assert_ok(curator_mutex_destroy(setup->mutex));
    setup->mutex = NULL;
}

curator_status acquire(struct setup *setup)
{
    return curator_mutex_acquire_for(setup->mutex, bound_ms(setup->all_fail ? SHORT_MS : LONG_MS));
}

curator_status await_connected(struct setup *setup, curator_framework *client)
{
    int64_t until = now_ms() + bound_ms(LONG_MS);
    curator_status status = CURATOR_TIMED_OUT;
    while (status == CURATOR_TIMED_OUT && now_ms() < until) {
        status = curator_framework_await_connected(client, 150);
        if (setup->all_fail && fallible_refused() > 0) {
            break;
        }
    }
    return status;
}

static void *hold(void *context)
{
    struct holder *holder = context;
    fallible_exempt_this_thread();
    assert_ok(curator_mutex_acquire_for(holder->mutex, bound_ms(LONG_MS)));
    atomic_store(&holder->holds, true);
    while (!atomic_load(&holder->let_go) &&
           (holder->until_children == 0 || children_of(holder->setup, holder->setup->path) < holder->until_children)) {
        pause_ms(1);
    }
    if (holder->linger_ms > 0) {
        pause_ms(holder->linger_ms);
        fallible_begin();
    }
    assert_ok(curator_mutex_release(holder->mutex));
    return NULL;
}

void holder_begin(struct setup *setup, struct holder *holder, curator_mutex *mutex, int until_children)
{
    holder->setup = setup;
    holder->mutex = mutex;
    holder->until_children = until_children;
    atomic_store(&holder->holds, false);
    atomic_store(&holder->let_go, false);
    assert_that(pthread_create(&holder->thread, NULL, hold, holder) == 0);
    await_that(atomic_load(&holder->holds));
}

void holder_end(struct holder *holder)
{
    atomic_store(&holder->let_go, true);
    assert_that(pthread_join(holder->thread, NULL) == 0);
}

void verify_acquired(struct setup *setup, curator_status status)
{
    assert_that(curator_mutex_is_owned_by_current_thread(setup->mutex) == (status == CURATOR_OK));
    if (status == CURATOR_OK) {
        assert_that(children_of(setup, setup->path) == 1);
        assert_ok(curator_mutex_release(setup->mutex));
        assert_that(children_of(setup, setup->path) == 0);
    }
    await_that(children_of(setup, setup->path) == 0);
    assert_works(setup->mutex);
}

curator_status release(struct setup *setup)
{
    return curator_mutex_release(setup->mutex);
}

void verify_released(struct setup *setup, curator_status status)
{
    bool owned = curator_mutex_is_owned_by_current_thread(setup->mutex);
    assert_that(owned == (status == CURATOR_NO_MEMORY));
    if (owned) {
        assert_ok(curator_mutex_release(setup->mutex));
    }
    await_that(children_of(setup, setup->path) == 0);
    assert_works(setup->mutex);
}

/* Whether the call met a failure. */
static bool run_once(struct setup *setup, const struct trial *trial, enum fallible_kind kind, int nth, int *refusals)
{
    setup->run++;
    snprintf(setup->path, sizeof setup->path, "%s/%s/%d", setup->base, trial->name, setup->run);
    atomic_store(&setup->told, 0);
    long live = fallible_live_blocks();
    if (trial->prepare != NULL) {
        trial->prepare(setup);
    }
    fallible_arm(kind, nth, setup->all_fail);
    curator_status status = trial->call(setup);
    bool failed = fallible_disarm() > 0;
    bool allowed = status == trial->expected ||
                   (failed && (status == CURATOR_NO_MEMORY || (setup->all_fail && status == trial->also) ||
                               (kind == FALLIBLE_THREADS && status == CURATOR_ERROR)));
    if (!allowed) {
        scenario_fail(__FILE__, __LINE__, "%s, %s %d failing%s: answered %s", trial->name,
                      kind == FALLIBLE_MEMORY ? "allocation" : "thread", nth, setup->all_fail ? " and all after" : "",
                      curator_status_string(status));
    }
    *refusals += status != trial->expected;
    if (trial->verify != NULL) {
        trial->verify(setup, status);
    }
    if (trial->finish != NULL) {
        trial->finish(setup);
    }
    await_that(children_of(setup, setup->path) == 0);
    await_that(fallible_live_blocks() <= live);
    return failed;
}

/* How many runs met a failure: one for each allocation, until there is one more run than allocations. */
static int run_each(struct setup *setup, const struct trial *trial, enum fallible_kind kind)
{
    int64_t began = now_ms();
    int refusals = 0;
    int nth = 1;
    while (run_once(setup, trial, kind, nth, &refusals)) {
        nth++;
        assert_that(nth < MAX_RUNS);
    }
    printf("%s, %s%s: %d runs met a failure, of which %d were answered with one; %lld ms\n", trial->name,
           kind == FALLIBLE_MEMORY ? "allocation" : "thread", setup->all_fail ? " and all after" : "", nth - 1,
           refusals, (long long)(now_ms() - began));
    fflush(stdout);
    return nth - 1;
}

/* What the library does in the background may come too early or too late on a slow machine: then it is tried again. */
static void run_all(struct setup *setup, const struct trial *trial, enum fallible_kind kind, bool all_fail)
{
    setup->all_fail = all_fail;
    int met = 0;
    for (int tries = 0; tries == 0 || (kind == FALLIBLE_MEMORY && met < trial->at_least); tries++) {
        assert_that(tries < MAX_TRIES);
        met = run_each(setup, trial, kind);
    }
}

void trial_run(struct setup *setup, const struct trial *trial)
{
    for (int all_fail = 0; all_fail < (trial->singly ? 1 : 2); all_fail++) {
        run_all(setup, trial, FALLIBLE_MEMORY, all_fail != 0);
        run_all(setup, trial, FALLIBLE_THREADS, all_fail != 0);
    }
}
