/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The naive lock. The callbacks run on the session's own thread and never wait, so the next one can run.
 */
#include "naive_lock.h"

static void run_for_it(struct naive_lock *lock);

static void answer(struct naive_lock *lock, int rc)
{
    lock->answer = rc;
    sem_post(&lock->answered);
}

/* A failed call has no completion. */
static void expect_completion(struct naive_lock *lock, int rc)
{
    if (rc != ZOK) {
        answer(lock, rc);
    }
}

static void on_event(zhandle_t *zookeeper, int type, int state, const char *path, void *context)
{
    (void)zookeeper;
    (void)path;
    if (type == ZOO_DELETED_EVENT || type == ZOO_CHANGED_EVENT) { /* changed: went and came back while disconnected */
        run_for_it(context);
    } else if (type == ZOO_SESSION_EVENT && state == ZOO_EXPIRED_SESSION_STATE) {
        answer(context, ZSESSIONEXPIRED);
    }
}

static void on_looked(int rc, const struct Stat *stat, const void *context)
{
    (void)stat;
    struct naive_lock *lock = (struct naive_lock *)context;
    if (rc == ZNONODE) { /* it went in between */
        run_for_it(lock);
    } else if (rc != ZOK) {
        answer(lock, rc);
    }
}

static void on_created(int rc, const char *path, const void *context)
{
    (void)path;
    struct naive_lock *lock = (struct naive_lock *)context;
    if (rc == ZNODEEXISTS) {
        expect_completion(lock, zoo_awexists(lock->zookeeper, lock->path, on_event, lock, on_looked, lock));
    } else {
        answer(lock, rc);
    }
}

static void on_deleted(int rc, const void *context)
{
    answer((struct naive_lock *)context, rc);
}

static void run_for_it(struct naive_lock *lock)
{
    expect_completion(
        lock, zoo_acreate(lock->zookeeper, lock->path, "", 0, &ZOO_OPEN_ACL_UNSAFE, ZOO_EPHEMERAL, on_created, lock));
}

static int await_answer(struct naive_lock *lock)
{
    while (sem_wait(&lock->answered) != 0) { /* a signal */
    }
    return lock->answer;
}

void naive_lock_init(struct naive_lock *lock, zhandle_t *zookeeper, const char *path)
{
    lock->zookeeper = zookeeper;
    lock->path = path;
    sem_init(&lock->answered, 0, 0);
}

void naive_lock_end(struct naive_lock *lock)
{
    sem_destroy(&lock->answered);
}

int naive_lock_acquire(struct naive_lock *lock)
{
    run_for_it(lock);
    return await_answer(lock);
}

int naive_lock_release(struct naive_lock *lock)
{
    expect_completion(lock, zoo_adelete(lock->zookeeper, lock->path, -1, on_deleted, lock));
    return await_answer(lock);
}
