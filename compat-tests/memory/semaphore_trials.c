/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of a semaphore while memory fails: nothing is left in its directories, and it works afterwards. */
#include "trial.h"

#define LEASES 2

static char path[300], leases_path[320], locks_path[320]; /* beside the trial's own path, which has to stay empty */
static curator_semaphore *semaphore, *others;
static curator_lease *leases[LEASES], *others_lease;
static pthread_t returning;

static void name_paths(const struct setup *setup)
{
    snprintf(path, sizeof path, "%s-semaphore", setup->path);
    snprintf(leases_path, sizeof leases_path, "%s/leases", path);
    snprintf(locks_path, sizeof locks_path, "%s/locks", path);
}

static int64_t patience_ms(const struct setup *setup)
{
    return bound_ms(setup->all_fail ? SHORT_MS : LONG_MS);
}

static void assert_semaphore_works(const struct setup *setup)
{
    await_that(children_of(setup, leases_path) == 0 && children_of(setup, locks_path) == 0);
    assert_ok(curator_semaphore_acquire_many_for(semaphore, bound_ms(LONG_MS), LEASES, leases));
    assert_that(children_of(setup, leases_path) == LEASES);
    assert_ok(curator_lease_return_all(leases, LEASES));
    memset(leases, 0, sizeof leases);
    await_that(children_of(setup, leases_path) == 0 && children_of(setup, locks_path) == 0);
}

static void make_semaphore(struct setup *setup)
{
    name_paths(setup);
    assert_ok(curator_semaphore_create(&semaphore, setup->client, path, LEASES));
}

static void make_semaphore_on_existing_path(struct setup *setup)
{
    make_semaphore(setup);
    assert_semaphore_works(setup);
}

static void destroy_semaphore(struct setup *setup)
{
    (void)setup;
    assert_ok(curator_semaphore_destroy(semaphore));
    semaphore = NULL;
}

static curator_status create_semaphore(struct setup *setup)
{
    name_paths(setup);
    return curator_semaphore_create_with_data(&semaphore, setup->client, path, LEASES, "data", 4);
}

static void verify_semaphore_created(struct setup *setup, curator_status status)
{
    assert_that((semaphore != NULL) == (status == CURATOR_OK));
    if (status != CURATOR_OK) {
        make_semaphore(setup);
    }
    assert_semaphore_works(setup);
}

static curator_status acquire_lease(struct setup *setup)
{
    return curator_semaphore_acquire_for(semaphore, patience_ms(setup), &leases[0]);
}

static curator_status acquire_leases(struct setup *setup)
{
    return curator_semaphore_acquire_many_for(semaphore, patience_ms(setup), LEASES, leases);
}

static void verify_leases(struct setup *setup, curator_status status)
{
    assert_that((leases[0] != NULL) == (status == CURATOR_OK));
    assert_ok(curator_lease_return_all(leases, LEASES));
    assert_semaphore_works(setup);
}

static void make_lease(struct setup *setup)
{
    make_semaphore_on_existing_path(setup);
    assert_ok(curator_semaphore_acquire_for(semaphore, bound_ms(LONG_MS), &leases[0]));
}

static curator_status return_lease(struct setup *setup)
{
    (void)setup;
    return curator_lease_return(leases[0]);
}

static void verify_returned(struct setup *setup, curator_status status)
{
    (void)status; /* the object has ended, whatever was answered */
    leases[0] = NULL;
    assert_semaphore_works(setup);
}

static curator_status list_leases(struct setup *setup)
{
    (void)setup;
    curator_contenders *participants;
    curator_status status = curator_semaphore_participants(semaphore, &participants);
    assert_that((participants != NULL) == (status == CURATOR_OK));
    assert_that(participants == NULL || (participants->count == 1 && participants->contenders[0]->holds));
    curator_contenders_free(participants);
    return status;
}

static void verify_listed(struct setup *setup, curator_status status)
{
    (void)status;
    verify_leases(setup, CURATOR_OK);
}

static void make_taken_semaphore(struct setup *setup)
{
    make_semaphore_on_existing_path(setup);
    assert_ok(curator_semaphore_create(&others, setup->client, path, LEASES));
    assert_ok(curator_semaphore_acquire_for(others, bound_ms(LONG_MS), &others_lease));
}

static void *return_when_waited_for(void *context)
{
    struct setup *setup = context;
    fallible_exempt_this_thread();
    while (!atomic_load(&setup->told) && children_of(setup, leases_path) < 1 + LEASES) {
        pause_ms(1);
    }
    assert_ok(curator_lease_return(others_lease));
    return NULL;
}

static void make_semaphore_that_gets_free(struct setup *setup)
{
    make_taken_semaphore(setup);
    assert_that(pthread_create(&returning, NULL, return_when_waited_for, setup) == 0);
}

static void verify_got_free(struct setup *setup, curator_status status)
{
    atomic_store(&setup->told, 1);
    assert_that(pthread_join(returning, NULL) == 0);
    verify_leases(setup, status);
}

static curator_status give_up_leases(struct setup *setup)
{
    (void)setup;
    return curator_semaphore_acquire_many_for(semaphore, 60, LEASES, leases);
}

static void verify_gave_leases_up(struct setup *setup, curator_status status)
{
    assert_that(status != CURATOR_OK && leases[0] == NULL);
    await_that(children_of(setup, leases_path) == 1 && children_of(setup, locks_path) == 0);
    assert_ok(curator_lease_return(others_lease));
    assert_semaphore_works(setup);
}

static void destroy_semaphores(struct setup *setup)
{
    assert_ok(curator_semaphore_destroy(others));
    destroy_semaphore(setup);
}

const struct trial semaphore_trials[] = {
    {.name = "create_semaphore",
     .at_least = 6,
     .call = create_semaphore,
     .verify = verify_semaphore_created,
     .finish = destroy_semaphore},
    {.name = "acquire_lease_on_a_new_path",
     .at_least = 12,
     .prepare = make_semaphore,
     .call = acquire_lease,
     .verify = verify_leases,
     .finish = destroy_semaphore},
    {.name = "acquire_leases",
     .at_least = 12,
     .prepare = make_semaphore_on_existing_path,
     .call = acquire_leases,
     .verify = verify_leases,
     .finish = destroy_semaphore},
    {.name = "wait_for_leases",
     .at_least = 15,
     .prepare = make_semaphore_that_gets_free,
     .call = acquire_leases,
     .verify = verify_got_free,
     .finish = destroy_semaphores},
    {.name = "give_up_leases",
     .at_least = 15,
     .prepare = make_taken_semaphore,
     .call = give_up_leases,
     .verify = verify_gave_leases_up,
     .finish = destroy_semaphores,
     .expected = CURATOR_TIMED_OUT},
    {.name = "return_lease",
     .at_least = 1,
     .prepare = make_lease,
     .call = return_lease,
     .verify = verify_returned,
     .finish = destroy_semaphore,
     .also = CURATOR_RELEASE_PENDING},
    {.name = "list_leases",
     .at_least = 5,
     .prepare = make_lease,
     .call = list_leases,
     .verify = verify_listed,
     .finish = destroy_semaphore},
    {0},
};
