/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The threads of a simulated process: coroutines of one thread, so that whoever runs them decides every order, and a
 * clock that moves only when told to. wrapped.c puts them between the library and the C library.
 */
#ifndef CURATOR_SCHEDULES_TASK_H
#define CURATOR_SCHEDULES_TASK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define FOREVER INT64_MAX
#define MS INT64_C(1000000)

/* What a task waits for; all empty: nothing. */
struct wait {
    pthread_mutex_t *mutex;
    pthread_cond_t *condition;
    const struct task *task; /* its end */
    const bool *flag;
    int64_t until;  /* also ends a wait for a condition or a flag */
    bool preempted; /* waits for nothing but its turn */
};

struct task;

/* Forgets all tasks and starts the clock anew. */
void tasks_reset(void);

struct task *task_start(void *(*run)(void *context), void *context);
void *task_result(const struct task *task);
bool task_finished(const struct task *task);
void task_free(struct task *task);

/* By its number, which is never 0; and that of the running one, 0 if none is. */
struct task *task_by_number(unsigned long number);
unsigned long task_number(const struct task *task);
struct task *task_current(void);

/* In a task: lets others run until the wait is over. With nothing to wait for: until it is its turn again. */
void task_wait(struct wait wait);
void task_signal(const pthread_cond_t *condition, bool all);

bool task_is_preempted(const struct task *task);

/* Outside of tasks: runs one of those that can run, until it waits. False: none can. choice decides which. */
bool task_run(uint64_t choice);
bool task_run_this(struct task *task); /* false: it cannot run */
bool task_any_runnable(void);
int task_unfinished(void);

/* The earliest time that a task waits for, or FOREVER. */
int64_t task_next_deadline(void);

/* CLOCK_MONOTONIC, and how far CLOCK_BOOTTIME is ahead of it. */
int64_t time_now(void);
void time_advance(int64_t nanoseconds);
void time_sleep_machine(int64_t nanoseconds);
int64_t time_slept(void);

/* Asked after each unlocking of a mutex: whether another thread runs first. */
extern bool (*task_preempted)(void);

#endif
