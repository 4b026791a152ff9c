/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls of a semaphore that are refused: NULLs, what was destroyed or returned before, in a child process, on a
 * ZooKeeper callback thread. And what the loss callback may call.
 */
#include "scenario.h"
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zookeeper/zookeeper.h>

#define assert_refuses_null(call)                                                                                      \
    do {                                                                                                               \
        assert_status(CURATOR_INVALID_ARGUMENT, call);                                                                 \
        assert_error_mentions("NULL");                                                                                 \
    } while (0)

struct setup {
    curator_framework *client;
    curator_semaphore *semaphore;
    curator_lease *lease;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool done;
};

static void setup_done(struct setup *setup)
{
    pthread_mutex_lock(&setup->mutex);
    setup->done = true;
    pthread_cond_broadcast(&setup->changed);
    pthread_mutex_unlock(&setup->mutex);
}

static void setup_await(struct setup *setup)
{
    pthread_mutex_lock(&setup->mutex);
    while (!setup->done) {
        pthread_cond_wait(&setup->changed, &setup->mutex);
    }
    setup->done = false;
    pthread_mutex_unlock(&setup->mutex);
}

static void null_arguments(curator_framework *client, const char *path)
{
    curator_semaphore *semaphore = (curator_semaphore *)(uintptr_t)1;
    curator_lease *lease = NULL;
    curator_contenders *participants = NULL;
    char *node;
    int64_t number;
    assert_refuses_null(curator_semaphore_create(NULL, client, path, 1));
    assert_refuses_null(curator_semaphore_create(&semaphore, NULL, path, 1));
    assert_that(semaphore == NULL);
    assert_refuses_null(curator_semaphore_create(&semaphore, client, NULL, 1));
    assert_refuses_null(curator_semaphore_create_with_data(&semaphore, client, path, 1, NULL, 1));
    assert_refuses_null(curator_semaphore_destroy(NULL));
    assert_refuses_null(curator_semaphore_acquire(NULL, &lease));
    assert_refuses_null(curator_semaphore_acquire_for(NULL, 0, &lease));
    assert_refuses_null(curator_semaphore_acquire_many(NULL, 1, &lease));
    assert_refuses_null(curator_semaphore_acquire_many_for(NULL, 0, 1, &lease));
    assert_refuses_null(curator_semaphore_interrupt(NULL));
    assert_refuses_null(curator_semaphore_participants(NULL, &participants));
    assert_refuses_null(curator_semaphore_on_lost(NULL, NULL, NULL));
    assert_refuses_null(curator_lease_return(NULL));
    assert_refuses_null(curator_lease_return_for(NULL, 0));
    assert_refuses_null(curator_lease_return_all(NULL, 1));
    assert_ok(curator_lease_return_all(&lease, 1));
    assert_that(!curator_lease_is_held(NULL));
    assert_refuses_null(curator_lease_path(NULL, &node));
    assert_refuses_null(curator_lease_fencing_token(NULL, &number));
    assert_refuses_null(curator_lease_remaining(NULL, &number));
    assert_ok(curator_semaphore_create_with_data(&semaphore, client, path, 1, NULL, 0));
    assert_refuses_null(curator_semaphore_acquire(semaphore, NULL));
    assert_refuses_null(curator_semaphore_acquire_for(semaphore, 0, NULL));
    assert_refuses_null(curator_semaphore_participants(semaphore, NULL));
    assert_ok(curator_semaphore_acquire(semaphore, &lease));
    assert_refuses_null(curator_lease_path(lease, NULL));
    assert_refuses_null(curator_lease_fencing_token(lease, NULL));
    assert_refuses_null(curator_lease_remaining(lease, NULL));
    assert_status(CURATOR_INVALID_ARGUMENT, curator_lease_return_for(lease, -1));
    assert_ok(curator_lease_return(lease));
    assert_ok(curator_semaphore_destroy(semaphore));
}

static void ended_before(curator_framework *client, const char *path)
{
    curator_semaphore *semaphore = NULL;
    curator_lease *leases[3] = {NULL, NULL, NULL};
    assert_ok(curator_semaphore_create(&semaphore, client, path, 3));
    assert_ok(curator_semaphore_acquire_many(semaphore, 3, leases));
    assert_ok(curator_lease_return(leases[0]));
    assert_status(CURATOR_INVALID_ARGUMENT, curator_lease_return(leases[0]));
    assert_error_mentions("returned before");
    assert_that(!curator_lease_is_held(leases[0]));
    leases[0] = NULL;
    assert_ok(curator_lease_return_all(leases, 2));
    assert_ok(curator_semaphore_destroy(semaphore));
    assert_status(CURATOR_INVALID_ARGUMENT, curator_lease_return(leases[2])); /* ended with its semaphore */
    assert_status(CURATOR_INVALID_ARGUMENT, curator_semaphore_destroy(semaphore));
    assert_error_mentions("destroyed before");
}

static void in_a_child(const struct setup *setup)
{
    pid_t child = fork();
    if (child == 0) {
        curator_lease *lease = setup->lease; /* an acquire that fails leaves no lease of before in there */
        assert_status(CURATOR_FORKED, curator_semaphore_acquire_for(setup->semaphore, 0, &lease));
        assert_that(lease == NULL);
        assert_status(CURATOR_FORKED, curator_lease_return(setup->lease));
        assert_status(CURATOR_FORKED, curator_semaphore_destroy(setup->semaphore));
        assert_that(!curator_lease_is_held(setup->lease));
        _exit(0);
    }
    int status = -1;
    assert_that(waitpid(child, &status, 0) == child && status == 0);
}

static void on_completion(int rc, const struct Stat *stat, const void *context)
{
    (void)rc;
    (void)stat;
    struct setup *setup = (struct setup *)(uintptr_t)context;
    curator_lease *lease = NULL;
    curator_contenders *participants = NULL;
    assert_status(CURATOR_WOULD_DEADLOCK, curator_semaphore_acquire(setup->semaphore, &lease));
    assert_error_mentions("callback");
    assert_status(CURATOR_WOULD_DEADLOCK, curator_semaphore_acquire_for(setup->semaphore, 0, &lease));
    assert_status(CURATOR_WOULD_DEADLOCK, curator_semaphore_participants(setup->semaphore, &participants));
    assert_status(CURATOR_WOULD_DEADLOCK, curator_lease_return(setup->lease));
    assert_status(CURATOR_WOULD_DEADLOCK, curator_semaphore_destroy(setup->semaphore));
    assert_that(curator_lease_is_held(setup->lease));
    assert_ok(curator_semaphore_interrupt(setup->semaphore));
    setup_done(setup);
}

static void on_a_callback_thread(struct setup *setup)
{
    zhandle_t *handle = curator_framework_borrow_handle(setup->client);
    assert_that(handle != NULL);
    assert_that(zoo_aexists(handle, "/", 0, on_completion, setup) == ZOK);
    setup_await(setup);
    assert_ok(curator_framework_return_handle(setup->client, handle));
}

static void on_lost(curator_semaphore *semaphore, void *context)
{
    struct setup *setup = context;
    assert_that(!curator_lease_is_held(setup->lease));
    assert_status(CURATOR_LOCK_LOST, curator_lease_return(setup->lease));
    assert_ok(curator_semaphore_destroy(semaphore));
    setup_done(setup);
}

static void in_the_loss_callback(struct setup *setup)
{
    char *path = NULL;
    assert_ok(curator_semaphore_on_lost(setup->semaphore, on_lost, setup));
    assert_ok(curator_lease_path(setup->lease, &path));
    zhandle_t *handle = curator_framework_borrow_handle(setup->client);
    assert_that(handle != NULL && zoo_delete(handle, path, -1) == ZOK);
    assert_ok(curator_framework_return_handle(setup->client, handle));
    setup_await(setup);
    free(path);
}

int main(int argc, char **argv)
{
    const char *path = scenario_argument(argc, argv, 2);
    struct setup setup = {.client = connected_client(scenario_argument(argc, argv, 1)),
                          .mutex = PTHREAD_MUTEX_INITIALIZER,
                          .changed = PTHREAD_COND_INITIALIZER};
    null_arguments(setup.client, path);
    ended_before(setup.client, path);
    assert_ok(curator_semaphore_create(&setup.semaphore, setup.client, path, 1));
    assert_ok(curator_semaphore_acquire(setup.semaphore, &setup.lease));
    in_a_child(&setup);
    on_a_callback_thread(&setup);
    in_the_loss_callback(&setup);
    assert_ok(curator_framework_close(setup.client));
    return 0;
}
