/* SPDX-License-Identifier: Apache-2.0 */
/* What the test peer cannot ask for: NULLs, the guard on both sides, and the end of a lock in its own callback. */
#include "scenario.h"
#include <semaphore.h>
#include <zookeeper/zookeeper.h>

static void null_arguments(curator_framework *client)
{
    curator_read_write_lock *lock = (curator_read_write_lock *)(uintptr_t)1;
    assert_status(CURATOR_INVALID_ARGUMENT, curator_read_write_lock_create(NULL, client, "/a"));
    assert_error_mentions("NULL");
    assert_status(CURATOR_INVALID_ARGUMENT, curator_read_write_lock_create(&lock, NULL, "/a"));
    assert_error_mentions("NULL");
    assert_that(lock == NULL);
    lock = (curator_read_write_lock *)(uintptr_t)1;
    assert_status(CURATOR_INVALID_ARGUMENT, curator_read_write_lock_create(&lock, client, NULL));
    assert_that(lock == NULL);
    assert_status(CURATOR_INVALID_ARGUMENT, curator_read_write_lock_create_with_data(&lock, client, "/a", NULL, 1));
    assert_error_mentions("NULL");
    assert_that(lock == NULL);
    assert_status(CURATOR_INVALID_ARGUMENT, curator_read_write_lock_destroy(NULL));
    assert_error_mentions("NULL");
    assert_that(curator_read_write_lock_read_side(NULL) == NULL);
    assert_that(curator_read_write_lock_write_side(NULL) == NULL);
    assert_ok(curator_read_write_lock_create_with_data(&lock, client, "/a", NULL, 0));
    assert_that(curator_read_write_lock_read_side(lock) != curator_read_write_lock_write_side(lock));
    assert_that(curator_read_write_lock_read(lock) == curator_read_write_lock_read_side(lock));
    assert_that(curator_read_write_lock_write(lock) == curator_read_write_lock_write_side(lock));
    assert_that(curator_read_write_lock_read(NULL) == NULL && curator_read_write_lock_write(NULL) == NULL);
    assert_ok(curator_read_write_lock_destroy(lock));
}

static int guarded_write(zhandle_t *handle, const curator_mutex *side, const char *resource)
{
    zoo_op_t ops[2];
    zoo_op_result_t results[2];
    assert_ok(curator_mutex_guard(side, &ops[0]));
    zoo_set_op_init(&ops[1], resource, "", 0, -1, NULL);
    return zoo_multi(handle, 2, ops, results);
}

static void delete_node(zhandle_t *handle, const curator_mutex *side)
{
    char *node = NULL;
    assert_ok(curator_mutex_lock_path(side, &node));
    assert_that(zoo_delete(handle, node, -1) == ZOK);
    free(node);
}

/* A downgraded reader's guard is its own: it holds when the write lock is gone, and only as long as the reader does. */
static void guards(curator_framework *client, const char *path)
{
    char resource[1024];
    curator_read_write_lock *lock = NULL;
    zhandle_t *handle = curator_framework_borrow_handle(client);
    assert_that(handle != NULL);
    assert_ok(curator_read_write_lock_create(&lock, client, path));
    curator_mutex *reading = curator_read_write_lock_read_side(lock);
    curator_mutex *writing = curator_read_write_lock_write_side(lock);
    assert_ok(curator_mutex_acquire(writing));
    snprintf(resource, sizeof(resource), "%s-resource", path);
    assert_that(zoo_create(handle, resource, "", 0, &ZOO_OPEN_ACL_UNSAFE, 0, NULL, 0) == ZOK);
    assert_ok(curator_mutex_acquire(reading));
    assert_that(guarded_write(handle, writing, resource) == ZOK);
    assert_that(guarded_write(handle, reading, resource) == ZOK);
    delete_node(handle, writing);
    assert_that(guarded_write(handle, writing, resource) == ZNONODE);
    assert_that(guarded_write(handle, reading, resource) == ZOK);
    delete_node(handle, reading);
    assert_that(guarded_write(handle, reading, resource) == ZNONODE);
    assert_status(CURATOR_LOCK_LOST, curator_mutex_release(writing));
    assert_status(CURATOR_LOCK_LOST, curator_mutex_release(reading));
    assert_ok(curator_read_write_lock_destroy(lock));
    assert_ok(curator_framework_return_handle(client, handle));
}

struct ending {
    curator_read_write_lock *lock; /* NULL once destroyed */
    sem_t done;
};

static void destroy_all(curator_mutex *side, void *context)
{
    struct ending *ending = context;
    assert_that(!curator_mutex_is_acquired_in_this_process(side));
    assert_that(ending->lock != NULL); /* for the side that is notified first: the other is not notified any more */
    assert_ok(curator_read_write_lock_destroy(ending->lock));
    ending->lock = NULL;
    sem_post(&ending->done);
}

/* Both sides are lost at once, and the first callback destroys the lock. */
static void the_callback_of_a_side_destroys_the_lock(curator_framework *client, const char *path, bool read_side_first)
{
    struct ending ending = {0};
    zhandle_t *handle = curator_framework_borrow_handle(client);
    assert_that(handle != NULL);
    sem_init(&ending.done, 0, 0);
    assert_ok(curator_read_write_lock_create(&ending.lock, client, path));
    curator_mutex *sides[] = {curator_read_write_lock_write_side(ending.lock),
                              curator_read_write_lock_read_side(ending.lock)};
    zoo_op_t ops[2];
    zoo_op_result_t results[2];
    char *nodes[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) {
        assert_ok(curator_mutex_on_lost(sides[i], destroy_all, &ending));
        assert_ok(curator_mutex_acquire(sides[i]));
        assert_ok(curator_mutex_lock_path(sides[i], &nodes[i]));
        zoo_delete_op_init(&ops[read_side_first ? 1 - i : i], nodes[i], -1);
    }
    assert_that(zoo_multi(handle, 2, ops, results) == ZOK);
    while (sem_wait(&ending.done) != 0) {
    }
    free(nodes[0]);
    free(nodes[1]);
    assert_ok(curator_framework_return_handle(client, handle));
    sem_destroy(&ending.done);
}

int main(int argc, char **argv)
{
    curator_framework *client = connected_client(scenario_argument(argc, argv, 1));
    null_arguments(client);
    guards(client, scenario_argument(argc, argv, 2));
    the_callback_of_a_side_destroys_the_lock(client, scenario_argument(argc, argv, 2), false);
    the_callback_of_a_side_destroys_the_lock(client, scenario_argument(argc, argv, 2), true);
    assert_ok(curator_framework_close(client));
    return 0;
}
