/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread holds the write lock, an operator deletes its node, and the thread acquires the read lock: by then another
 * thread may write. So the call waits or reports the loss; it does not succeed because of the deleted node.
 */
#include "scenario.h"
#include <pthread.h>
#include <semaphore.h>
#include <zookeeper/zookeeper.h>

struct writer {
    curator_mutex *write;
    sem_t holds;
    sem_t release;
};

static void wait_for(sem_t *semaphore)
{
    while (sem_wait(semaphore) != 0) {
    }
}

static void *write_next(void *context)
{
    struct writer *writer = context;
    assert_ok(curator_mutex_acquire_for(writer->write, bound_ms(20000)));
    sem_post(&writer->holds);
    wait_for(&writer->release);
    assert_ok(curator_mutex_release(writer->write));
    return NULL;
}

static void on_lost(curator_mutex *mutex, void *context)
{
    (void)mutex;
    sem_post(context);
}

static void wait_for_queue(curator_mutex *mutex, size_t count)
{
    int64_t deadline = now_ms() + bound_ms(10000);
    size_t found = 0;
    while (found < count && now_ms() < deadline) {
        curator_participants *participants = NULL;
        assert_ok(curator_mutex_participants(mutex, &participants));
        found = participants->count;
        curator_participants_free(participants);
    }
    assert_that(found == count);
}

static void delete_node_of(curator_mutex *held, curator_framework *client)
{
    char *node = NULL;
    assert_ok(curator_mutex_lock_path(held, &node));
    zhandle_t *handle = curator_framework_borrow_handle(client);
    assert_that(zoo_delete(handle, node, -1) == ZOK);
    assert_ok(curator_framework_return_handle(client, handle));
    free(node);
}

/* All within the 20 ms after which a holder watches its node, which would report the deletion. */
static void one_round(curator_framework *client, curator_framework *other, const char *path)
{
    curator_read_write_lock *lock = NULL;
    curator_read_write_lock *other_lock = NULL;
    struct writer writer = {0};
    pthread_t thread;
    sem_t lost;
    sem_init(&writer.holds, 0, 0);
    sem_init(&writer.release, 0, 0);
    sem_init(&lost, 0, 0);
    assert_ok(curator_read_write_lock_create(&lock, client, path));
    assert_ok(curator_read_write_lock_create(&other_lock, other, path));
    curator_mutex *write = curator_read_write_lock_write_side(lock);
    curator_mutex *read = curator_read_write_lock_read_side(lock);
    writer.write = curator_read_write_lock_write_side(other_lock);
    assert_ok(curator_mutex_on_lost(write, on_lost, &lost));
    assert_ok(curator_mutex_acquire(write));
    assert_that(pthread_create(&thread, NULL, write_next, &writer) == 0);
    wait_for_queue(write, 2);
    delete_node_of(write, other);
    wait_for(&writer.holds);

    curator_status status = curator_mutex_acquire_for(read, 100);
    assert_that(status == CURATOR_TIMED_OUT || status == CURATOR_LOCK_LOST);
    assert_that(!curator_mutex_is_owned_by_current_thread(read));
    assert_that(!curator_mutex_is_owned_by_current_thread(write));
    wait_for(&lost);
    assert_status(CURATOR_LOCK_LOST, curator_mutex_release(write));
    sem_post(&writer.release);
    pthread_join(thread, NULL);
    assert_ok(curator_mutex_acquire_for(read, bound_ms(5000)));
    assert_ok(curator_mutex_release(read));
    assert_ok(curator_read_write_lock_destroy(lock));
    assert_ok(curator_read_write_lock_destroy(other_lock));
    sem_destroy(&lost);
    sem_destroy(&writer.release);
    sem_destroy(&writer.holds);
}

int main(int argc, char **argv)
{
    curator_framework *client = connected_client(scenario_argument(argc, argv, 1));
    curator_framework *other = connected_client(scenario_argument(argc, argv, 1));
    for (int i = 0; i < 10; i++) {
        one_round(client, other, scenario_argument(argc, argv, 2));
    }
    assert_ok(curator_framework_close(client));
    assert_ok(curator_framework_close(other));
    return 0;
}
