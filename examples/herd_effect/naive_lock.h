/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How not to do it: an exclusive lock that is one ephemeral node. Whoever makes the node has the lock; all others
 * watch the node, and all run for it when it goes. One object a session, used by one thread at a time. The results are
 * ZooKeeper's codes; after any but ZOK it is unknown whether the lock is ours.
 */
#ifndef NAIVE_LOCK_H
#define NAIVE_LOCK_H

#include <semaphore.h>
#include <zookeeper/zookeeper.h>

struct naive_lock {
    zhandle_t *zookeeper;
    const char *path;
    sem_t answered;
    int answer;
};

/* The object must outlive the session: its watch may still be told that the session ends. */
void naive_lock_init(struct naive_lock *lock, zhandle_t *zookeeper, const char *path);
void naive_lock_end(struct naive_lock *lock);
int naive_lock_acquire(struct naive_lock *lock);
int naive_lock_release(struct naive_lock *lock);

#endif
