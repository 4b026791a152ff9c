/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A public call, tried again and again: with its first allocation failing, with its second, and so on until a run sees
 * no failure; then the same with all allocations failing from the first on, from the second on, ...
 */
#ifndef TRIAL_H
#define TRIAL_H

#include "fallible.h"
#include "scenario.h"

#include <pthread.h>
#include <stdatomic.h>
#include <zookeeper/zookeeper.h>

#define LONG_MS 20000 /* what ends by a condition, ends far sooner */
#define SHORT_MS 3000 /* what cannot end well while all memory is refused */

/* What a trial works on. One for the program; the members below the line are the trial's own. */
struct setup {
    const char *connect_string;
    const char *base; /* all paths begin with it */
    zhandle_t *admin;
    curator_framework *client; /* of all trials but those that open one of their own */

    char path[256]; /* a new one for each run */
    int run;
    bool all_fail; /* in this run */
    curator_framework *own_client;
    curator_mutex *mutex;
    curator_read_write_lock *lock;
    struct holder *holder;
    char *text;
    curator_participants *participants;
    atomic_int told; /* callbacks that ran */
};

struct trial {
    const char *name;
    int at_least; /* so many points of failure; fewer, and the trial has lost its subject */
    void (*prepare)(struct setup *setup);
    curator_status (*call)(struct setup *setup);
    /* What must hold after that status, when memory is available again; undoes what the call did. */
    void (*verify)(struct setup *setup, curator_status status);
    void (*finish)(struct setup *setup);
    bool singly;             /* not with all allocations failing from some point on */
    curator_status expected; /* without a failure; allowed with one too */
    curator_status also;     /* allowed beside that and CURATOR_NO_MEMORY while everything fails */
};

void trial_run(struct setup *setup, const struct trial *trial);

/* Tables that end with an entry without a name. */
extern const struct trial framework_trials[], mutex_trials[], waiting_trials[], read_write_trials[], loss_trials[],
    lost_answer_trials[], semaphore_trials[];

/* The number of children, 0 for a node that does not exist. */
int children_of(const struct setup *setup, const char *path);

/* Ends the program unless it becomes true in time. */
#define await_that(condition)                                                                                          \
    do {                                                                                                               \
        int64_t await_until = now_ms() + bound_ms(LONG_MS);                                                            \
        while (!(condition)) {                                                                                         \
            assert_that(now_ms() < await_until && #condition);                                                         \
            pause_ms(1);                                                                                               \
        }                                                                                                              \
    } while (0)

void pause_ms(int milliseconds);

/* Another thread with a lock: nothing fails in it. It releases when so many nodes are there, or on request. */
struct holder {
    pthread_t thread;
    struct setup *setup;
    curator_mutex *mutex;
    int until_children;
    int linger_ms; /* how much longer then; only afterwards anything is refused */
    atomic_bool holds, let_go;
};

void holder_begin(struct setup *setup, struct holder *holder, curator_mutex *mutex, int until_children);
void holder_end(struct holder *holder);

/* A client with few retries, so that nothing takes long. */
curator_framework_options trial_options(const struct setup *setup);

/* Waits long for a connection, unless all memory is refused. */
curator_status await_connected(struct setup *setup, curator_framework *client);

/* Acquires and releases. */
void assert_works(curator_mutex *mutex);

void make_mutex(struct setup *setup);
void destroy_mutex(struct setup *setup);
curator_status acquire(struct setup *setup);
curator_status release(struct setup *setup);

/* OK means held, and anything else means that nothing is there, or soon will not be. */
void verify_acquired(struct setup *setup, curator_status status);

/* Without memory nothing has changed: the lock is still held, and can be released. */
void verify_released(struct setup *setup, curator_status status);

#endif
