/* SPDX-License-Identifier: Apache-2.0 */
/* Something with an acquire and a release to be measured, in a process of its own. One session, one path. */
#ifndef BENCH_CONTENDER_H
#define BENCH_CONTENDER_H

#include <curator/status.h>
#include <stdint.h>

struct lock_kind;

/* Every call ends the process with a sentence when it fails. */
struct contender {
    const char *name;
    void (*open)(const char *connect_string, const char *path); /* connected when it returns */
    void (*acquire)(void);
    void (*release)(void);
    void (*close)(void);
    const struct lock_kind *lock_kind; /* what its members contend for; NULL: it has no contention */
};

extern const struct contender library;         /* curator_mutex_acquire() and curator_mutex_release() */
extern const struct contender library_pending; /* the same with curator_mutex_release_for(mutex, 0) */
extern const struct contender bare_floor;      /* the ZooKeeper client alone: one create, one delete */
extern const struct contender bare_requests;   /* the ZooKeeper client alone: a lock's three requests in two flights */
extern const struct contender bare_one_flight; /* ... in one flight: the delete is not waited for */

struct curator_framework *library_session(void);

void give_up(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
void expect_ok(const char *what, curator_status status); /* or gives up */
int64_t monotonic_ns(void);                              /* by the clock that Java and Python read too */

#endif
