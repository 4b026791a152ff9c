/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many contenders in one process, a thread each: either on one lock, each with a session of its own, or each on a lock
 * of its own in one session that they share. Every call is the main thread's, and ends the process when it fails.
 */
#ifndef BENCH_CONTENTION_H
#define BENCH_CONTENTION_H

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

/* Connects them. With one_session, member number i has the lock PATH/i. */
void contention_open(const struct lock_kind *of, const char *connect_string, const char *path, long members,
                     bool one_session);

/* Has the first `members` of them acquire, hold and release over and over, until contention_stop(). */
void contention_start(long members, long hold_us);

/* Has each acquire once; whoever gets the lock keeps it until contention_go(), which returns when all have had it. */
void contention_queue(long members, long hold_us);
void contention_go(void);

/*
 * Prints how many acquires there were so far, by this process's clock in nanoseconds, and how many members had one. The
 * hand-offs to be printed are those from here on.
 */
void contention_print_mark(void);

/* Prints how many nanoseconds each hand-off took, from release called in one thread to acquire returned in the next. */
void contention_print_handoffs(void);

void contention_stop(void);
void contention_close(void);

#endif
