/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A read-write lock is destroyed while a thread queues for its write side: that call ends with CURATOR_CLOSED, and does
 * not look at the read side, which is freed first. The linker puts functions of ours between the library and its own
 * look at a list, and between it and free(), so that the list is looked at when the read side is gone.
 */
#include "scenario.h"

#include "locks/lock_driver.h"

#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <zookeeper/zookeeper.h>

#define CHILDREN 60 /* a shorter list is looked at under the framework's mutex */
#define FREED 0x5a

static sem_t listed;
static _Atomic(curator_mutex *) read_side;
static _Atomic(unsigned char *) freed; /* the read side, once the library has freed it */

void __real_free(void *memory);
void __wrap_free(void *memory);
const char *__real_lock_driver_other_kind(const struct lock_driver *driver, const char *const *children, size_t count);
const char *__wrap_lock_driver_other_kind(const struct lock_driver *driver, const char *const *children, size_t count);

void __wrap_free(void *memory)
{
    if (memory == NULL || memory != (void *)atomic_load(&read_side)) {
        __real_free(memory);
        return;
    }
    memset(memory, FREED, malloc_usable_size(memory));
    atomic_store(&freed, memory);
}

const char *__wrap_lock_driver_other_kind(const struct lock_driver *driver, const char *const *children, size_t count)
{
    const char *other = __real_lock_driver_other_kind(driver, children, count);
    if (other == NULL) {
        return NULL; /* when the path is created */
    }
    sem_post(&listed);
    for (int64_t until = now_ms() + bound_ms(10000); atomic_load(&freed) == NULL; sched_yield()) {
        assert_that(now_ms() < until);
    }
    return other;
}

static void create_children(curator_framework *client, const char *path)
{
    zhandle_t *handle = curator_framework_borrow_handle(client);
    assert_that(handle != NULL);
    for (int i = 0; i < CHILDREN; i++) {
        char child[256];
        snprintf(child, sizeof child, i == 0 ? "%s/x-lock-%010d" : "%s/x__READ__%010d", path, i);
        assert_that(zoo_create(handle, child, "", 0, &ZOO_OPEN_ACL_UNSAFE, ZOO_EPHEMERAL, NULL, 0) == ZOK);
    }
    assert_ok(curator_framework_return_handle(client, handle));
}

static void *acquire_until_destroyed(void *write_side)
{
    assert_status(CURATOR_CLOSED, curator_mutex_acquire(write_side));
    return NULL;
}

int main(int argc, char **argv)
{
    const char *path = scenario_argument(argc, argv, 2);
    curator_framework *client = NULL;
    curator_read_write_lock *lock = NULL;
    pthread_t writer;
    assert_that(sem_init(&listed, 0, 0) == 0);
    assert_ok(curator_framework_open(&client,
                                     &(curator_framework_options){.connect_string = scenario_argument(argc, argv, 1)}));
    assert_ok(curator_framework_await_connected(client, bound_ms(10000)));
    assert_ok(curator_read_write_lock_create(&lock, client, path));
    assert_ok(curator_mutex_acquire(curator_read_write_lock_read_side(lock))); /* creates the path */
    assert_ok(curator_mutex_release(curator_read_write_lock_read_side(lock)));
    create_children(client, path);

    atomic_store(&read_side, curator_read_write_lock_read_side(lock));
    assert_that(pthread_create(&writer, NULL, acquire_until_destroyed, curator_read_write_lock_write_side(lock)) == 0);
    sem_wait(&listed);
    assert_ok(curator_read_write_lock_destroy(lock));
    assert_that(pthread_join(writer, NULL) == 0);

    unsigned char *memory = atomic_load(&freed);
    for (size_t i = 0; i < malloc_usable_size(memory); i++) {
        assert_that(memory[i] == FREED);
    }
    atomic_store(&read_side, NULL);
    __real_free(memory);
    assert_ok(curator_framework_close(client));
    sem_destroy(&listed);
    return 0;
}
