/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many contenders in one process, a thread each: either on one lock, each with a session of its own, or each on a lock
 * of its own in one session that they share. Every call is the main thread's, and ends the process when it fails.
 */
#ifndef BENCH_CROWD_H
#define BENCH_CROWD_H

#include <stdbool.h>

/* What it contends for. Every call ends the process when it fails. */
struct lock_kind {
    void *(*open_session)(const char *connect_string);
    void (*await_connected)(void *session);
    void (*close_session)(void *session);
    void *(*create)(void *session, const char *path);
    void (*acquire)(void *lock);
    void (*release)(void *lock);
    void (*destroy)(void *lock);
};

extern const struct lock_kind bare_lock; /* the ZooKeeper client alone: the predecessor's deletion is the grant */

/* Connects them. With one_session, member number i has the lock PATH/i. */
void crowd_gather(const struct lock_kind *of, const char *connect_string, const char *path, long members,
                  bool one_session);

/* Has the first `members` of them acquire, hold and release over and over, until crowd_stop(). */
void crowd_start(long members, long hold_us);

/* Has each acquire once; whoever gets the lock keeps it until crowd_go(), which returns when all have had it. */
void crowd_queue(long members, long hold_us);
void crowd_go(void);

/*
 * Prints how many acquires there were so far, by this process's clock in nanoseconds, and how many members had one. The
 * hand-offs to be printed are those from here on.
 */
void crowd_print_mark(void);

/* Prints how many nanoseconds each hand-off took, from release called in one thread to acquire returned in the next. */
void crowd_print_handoffs(void);

void crowd_stop(void);
void crowd_disband(void);

#endif
