/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One run of the library in a simulated process, before a simulated ensemble: a thread that acquires and releases, and
 * around it rivals, an operator and faults, as a seed or a script decides.
 */
#ifndef CURATOR_SCHEDULES_SCHEDULE_H
#define CURATOR_SCHEDULES_SCHEDULE_H

#include "ensemble.h"
#include "handle.h"

#include <curator/curator.h>
#include <stdbool.h>
#include <stdint.h>

#define LOCK_PATH "/locks"

enum lock_kind { MUTEX, WRITER, READER };

struct plan {
    enum lock_kind kind;
    int64_t timeout_ms; /* of acquire_for(); negative: acquire() */
    int64_t session_timeout_ms;
    int rounds;
    bool forever; /* the retry policy allows any number of retries */
};

enum phase { OPENING, ACQUIRING, HOLDING, RELEASING, SETTLING, CLOSING, NO_PHASE };

struct run {
    struct plan plan;
    enum phase phase;
    enum phase stop_at;    /* where run_well_until() ends */
    curator_status status; /* of the newest acquire */
    int granted;           /* how many acquires were */
    int64_t paused;        /* how long the process stood still during the newest acquire */
    struct task *user;
    curator_framework *framework;
    curator_mutex *mutex;
    bool interrupt;
    bool unsettled; /* a delete may be on its way */
    int64_t setup_zxid;
    char failure[512]; /* what was found wrong; empty: nothing */
    bool traced;
};

extern struct run run;

/* Begins: everything is new, and the user's thread has been started. */
void run_begin(const struct plan *plan, uint64_t seed);
void run_trace(const char *format, ...) __attribute__((format(printf, 1, 2)));
void run_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Everything goes well, until the user's thread is in this phase, or has ended. False: it never is. */
bool run_well_until(enum phase phase);
bool run_to_end(void);

/* Lets the threads run, and the ensemble work, until nothing is left to do without time passing. */
void run_threads(void);
void run_settle(void);

/* The handle of the session that lives; NULL: none. */
zhandle_t *run_handle(void);

/* The node of the attempt, as the leader has it; NULL: not made yet, or gone. */
struct node *run_own_node(void);

/* A node of somebody else. of_our_session: whose end is also that of our session. */
struct node *rival_create(bool of_our_session);
bool node_before(const struct node *node, const struct node *own);

/* A whole run by chance. False: run.failure says what is wrong. */
bool run_seed(uint64_t seed, bool traced);

#endif
