/* SPDX-License-Identifier: Apache-2.0 */
/* The read-write lock while memory fails. */
#include "trial.h"

#include <semaphore.h>

static struct holder holder;
static curator_read_write_lock *before;

static curator_status create(struct setup *setup)
{
    return curator_read_write_lock_create_with_data(&setup->lock, setup->client, setup->path, "data", 4);
}

static void make_lock(struct setup *setup)
{
    assert_ok(curator_read_write_lock_create(&setup->lock, setup->client, setup->path));
}

static void make_read(struct setup *setup)
{
    make_lock(setup);
    setup->mutex = curator_read_write_lock_read_side(setup->lock);
}

static void make_write(struct setup *setup)
{
    make_lock(setup);
    setup->mutex = curator_read_write_lock_write_side(setup->lock);
}

static void destroy_lock(struct setup *setup)
{
    setup->mutex = NULL;
    assert_ok(curator_read_write_lock_destroy(setup->lock));
    setup->lock = NULL;
}

static void verify_created(struct setup *setup, curator_status status)
{
    assert_that((setup->lock != NULL) == (status == CURATOR_OK));
    if (status != CURATOR_OK) {
        make_lock(setup);
    }
    assert_works(curator_read_write_lock_read_side(setup->lock));
    assert_works(curator_read_write_lock_write_side(setup->lock));
}

/* The same on a ZooKeeper callback thread, where much is refused but not this. */
struct errand {
    struct setup *setup;
    curator_status status;
    sem_t done;
};

static void run_errand(int rc, const struct Stat *stat, const void *context)
{
    (void)rc;
    (void)stat;
    struct errand *errand = (struct errand *)(uintptr_t)context;
    errand->status = create(errand->setup);
    sem_post(&errand->done);
}

static curator_status create_in_completion(struct setup *setup)
{
    struct errand errand = {.setup = setup};
    sem_init(&errand.done, 0, 0);
    zhandle_t *handle = curator_framework_borrow_handle(setup->client);
    assert_that(handle != NULL);
    assert_that(zoo_aexists(handle, "/", 0, run_errand, &errand) == ZOK);
    while (sem_wait(&errand.done) != 0) {
    }
    sem_destroy(&errand.done);
    assert_ok(curator_framework_return_handle(setup->client, handle));
    return errand.status;
}

static void make_contenders(struct setup *setup, bool holder_reads)
{
    assert_ok(curator_read_write_lock_create(&before, setup->client, setup->path));
    holder_begin(setup, &holder,
                 holder_reads ? curator_read_write_lock_read_side(before) : curator_read_write_lock_write_side(before),
                 2);
}

static void make_write_behind_reader(struct setup *setup)
{
    make_write(setup);
    make_contenders(setup, true);
}

static void make_read_behind_writer(struct setup *setup)
{
    make_read(setup);
    make_contenders(setup, false);
}

static void verify_waited(struct setup *setup, curator_status status)
{
    holder_end(&holder);
    verify_acquired(setup, status);
}

static void destroy_contenders(struct setup *setup)
{
    destroy_lock(setup);
    assert_ok(curator_read_write_lock_destroy(before));
}

/* Reading while writing: the thread holds the write lock before and after, whatever becomes of the read lock. */
static void make_writing(struct setup *setup)
{
    make_read(setup);
    assert_ok(curator_mutex_acquire_for(curator_read_write_lock_write_side(setup->lock), bound_ms(LONG_MS)));
}

static void verify_downgraded(struct setup *setup, curator_status status)
{
    curator_mutex *write = curator_read_write_lock_write_side(setup->lock);
    assert_that(curator_mutex_is_owned_by_current_thread(write));
    if (status != CURATOR_OK) {
        assert_that(!curator_mutex_is_owned_by_current_thread(setup->mutex));
        assert_ok(curator_mutex_acquire_for(setup->mutex, bound_ms(LONG_MS)));
    }
    assert_ok(curator_mutex_release(write));
    assert_that(curator_mutex_is_owned_by_current_thread(setup->mutex));
    assert_ok(curator_mutex_release(setup->mutex));
    await_that(children_of(setup, setup->path) == 0);
    assert_works(write);
}

const struct trial read_write_trials[] = {
    {.name = "create", .at_least = 9, .call = create, .verify = verify_created, .finish = destroy_lock},
    {.name = "create_in_completion",
     .at_least = 9,
     .call = create_in_completion,
     .verify = verify_created,
     .finish = destroy_lock},
    {.name = "read",
     .at_least = 5,
     .prepare = make_read,
     .call = acquire,
     .verify = verify_acquired,
     .finish = destroy_lock},
    {.name = "write",
     .at_least = 5,
     .prepare = make_write,
     .call = acquire,
     .verify = verify_acquired,
     .finish = destroy_lock},
    {.name = "write_behind_a_reader",
     .at_least = 8,
     .prepare = make_write_behind_reader,
     .call = acquire,
     .verify = verify_waited,
     .finish = destroy_contenders,
     .also = CURATOR_TIMED_OUT},
    {.name = "read_behind_a_writer",
     .at_least = 8,
     .prepare = make_read_behind_writer,
     .call = acquire,
     .verify = verify_waited,
     .finish = destroy_contenders,
     .also = CURATOR_TIMED_OUT},
    {.name = "downgrade",
     .at_least = 5,
     .prepare = make_writing,
     .call = acquire,
     .verify = verify_downgraded,
     .finish = destroy_lock},
    {0},
};
