/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The objects of this process that a user can destroy.
 *
 * The lock is the fork generation of the process whose thread has it. fork() takes it, so a child finds the table
 * whole. A child that was made by other means finds the generation of its parent in the lock if a thread of the parent
 * was at work: then it leaves the table alone, and takes every address for that of an object.
 */
#define HASH_NONFATAL_OOM 1
#include "base/live_objects.h"

#include "base/cancellation.h"
#include "base/fork.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

#define PAUSE_NS 20000

static atomic_uint holder; /* 0: nobody */
static struct live_object *objects;
static pthread_once_t fork_handled = PTHREAD_ONCE_INIT;

/*
 * False: see above. It is held for less than a microsecond, but for an allocation, and only where an object is made or
 * ends. So it need not be fair: who looks for it again and again, fork() among them, finds it free soon, whatever other
 * threads do. A mutex would not be fair either, and would hang a child that was made by other means.
 */
static bool lock_objects(void)
{
    unsigned generation = fork_generation();
    while (generation != 0) { /* without memory to tell a child from its parent nothing is opened anyway */
        unsigned before = 0;
        if (atomic_compare_exchange_weak(&holder, &before, generation)) {
            return true;
        }
        if (before != 0 && before != generation) {
            return false;
        }
        int cancellation = cancellation_off();
        nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
        cancellation_restore(cancellation);
    }
    return false;
}

static void unlock_objects(void)
{
    atomic_store(&holder, 0);
}

static void lock_before_fork(void)
{
    (void)lock_objects();
}

static void live_objects_handle_fork(void)
{
    pthread_atfork(lock_before_fork, unlock_objects, unlock_objects);
}

bool live_object_add(struct live_object *object, const void *address)
{
    pthread_once(&fork_handled, live_objects_handle_fork);
    if (!lock_objects()) {
        return true;
    }
    object->address = address;
    HASH_ADD_PTR(objects, address, object);
    if (object->hh.tbl == NULL) {
        object->address = NULL;
    }
    unlock_objects();
    return object->address != NULL;
}

void live_object_remove(struct live_object *object)
{
    if (object->address == NULL || !lock_objects()) {
        return;
    }
    HASH_DEL(objects, object);
    object->address = NULL;
    unlock_objects();
}

bool live_object_owner(const void *address, void **owner)
{
    *owner = NULL;
    if (!lock_objects()) {
        return true;
    }
    struct live_object *found;
    HASH_FIND_PTR(objects, &address, found);
    *owner = found != NULL ? found->owner : NULL;
    unlock_objects();
    return found != NULL;
}

bool live_object_at(const void *address)
{
    void *owner;
    return live_object_owner(address, &owner);
}
