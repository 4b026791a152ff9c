/* SPDX-License-Identifier: Apache-2.0 */
/* The lock that `run` and `hold` take: its options, the wait for it, what happens to it, its release. */
#ifndef CURATOR_LOCK_LOCK_H
#define CURATOR_LOCK_LOCK_H

#include "options.h"

#include <curator/curator.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum lock_mode { MODE_EXCLUSIVE, MODE_SHARED, MODE_WRITE };

/* Besides those of COMMON_SHORT_OPTIONS and COMMON_LONG_OPTIONS. */
#define LOCK_SHORT_OPTIONS "xsnw:E:"

enum {
    OPTION_WRITE = OPTION_OF_COMMAND,
    OPTION_REVOCABLE,
    OPTION_OF_LOCK_COMMAND,
};

/* clang-format off */
#define LOCK_LONG_OPTIONS                                                                                              \
    {"exclusive", no_argument, NULL, 'x'},                                                                             \
    {"shared", no_argument, NULL, 's'},                                                                                \
    {"write", no_argument, NULL, OPTION_WRITE},                                                                        \
    {"nonblock", no_argument, NULL, 'n'},                                                                              \
    {"wait", required_argument, NULL, 'w'},                                                                            \
    {"timeout", required_argument, NULL, 'w'},                                                                         \
    {"conflict-exit-code", required_argument, NULL, 'E'},                                                              \
    {"revocable", no_argument, NULL, OPTION_REVOCABLE}
/* clang-format on */

#define NO_LIMIT INT64_MAX

struct lock_options {
    struct common_options common;
    const char *path;
    enum lock_mode mode;
    int64_t wait_ms; /* 0: try once; NO_LIMIT */
    int conflict_status;
    int64_t grace_ms; /* asked for */
    bool revocable;
};

/* What the library's callbacks report: they only note it and make `event` readable. */
struct lock_events {
    int event;
    atomic_bool lost, endangered, revoked;
};

/* Used by the thread that took it, but for the events. */
struct lock {
    const struct lock_options *options;
    int signals; /* the descriptor of signals.h */
    curator_framework *framework;
    curator_mutex *mutex;           /* or a side of sides */
    curator_read_write_lock *sides; /* NULL: it is a mutex */
    struct lock_events events;
    int64_t session_timeout_ms, grace_ms; /* granted; at most a quarter of that */
    int64_t session, token;
    char *node;
    bool held;
};

void lock_options_init(struct lock_options *options);
void lock_options_free(struct lock_options *options);

/* As common_option(). */
int lock_option(struct lock_options *options, int option, char **argv);

/* The mode's word, for people and programs. */
const char *lock_mode_name(enum lock_mode mode);

/*
 * Connects, waits for the lock and takes it: lock->held. If it is not, that is the status to exit with: the reason has
 * been reported, and nothing is left. A signal ends the wait.
 */
int lock_take(struct lock *lock, const struct lock_options *options, int signals);

/* Until when, by boot_ms(), nobody else can hold; a time that has passed if the lock is lost. */
int64_t lock_lease_end(const struct lock *lock);

/* So many milliseconds after the last look the lease is to be looked at again. */
int lock_look_ms(const struct lock *lock);

/* Takes the notes of the callbacks; `event` is not readable any more. */
void lock_clear_event(struct lock *lock);

/*
 * Gives the lock back and ends the session. EXIT_DONE, or EXIT_LOST if it turns out that the node was deleted by
 * somebody else; known_lost: that was reported. What could not be confirmed is a warning.
 */
int lock_give_back(struct lock *lock, bool known_lost);

#endif
