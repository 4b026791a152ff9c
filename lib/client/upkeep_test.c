/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the thread that does what is due. */
#include "client/upkeep.h"

#include "client/clock.h"

#include <criterion/criterion.h>
#include <stddef.h>

#define TASKS 5

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ran = PTHREAD_COND_INITIALIZER;
static struct upkeep upkeep;
static int order[TASKS];
static int count;

struct numbered {
    struct task task;
    int number;
};

static void run(struct task *task)
{
    order[count++] = ((struct numbered *)((char *)task - offsetof(struct numbered, task)))->number;
    pthread_cond_signal(&ran);
}

Test(upkeep, runs_tasks_in_the_order_in_which_they_are_due)
{
    static const int delays_ms[TASKS] = {40, 10, 30, 20, 0};
    static const int expected[TASKS - 1] = {4, 1, 3, 0};
    struct numbered tasks[TASKS];
    cr_assert_eq(upkeep_start(&upkeep, &mutex), 0);
    pthread_mutex_lock(&mutex);
    int64_t now = clock_now();
    for (int i = 0; i < TASKS; i++) {
        tasks[i] = (struct numbered){.task.run = run, .number = i};
        upkeep_schedule(&upkeep, &tasks[i].task, clock_after(now, delays_ms[i]));
    }
    upkeep_schedule(&upkeep, &tasks[3].task, clock_after(now, 500)); /* later than it is: changes nothing */
    upkeep_cancel(&upkeep, &tasks[2].task);
    while (count < TASKS - 1) {
        pthread_cond_wait(&ran, &mutex);
    }
    pthread_mutex_unlock(&mutex);
    upkeep_stop(&upkeep);
    cr_assert_arr_eq(order, expected, sizeof expected);
    cr_assert_not(tasks[2].task.scheduled);
}

Test(upkeep, an_earlier_time_replaces_a_later_one)
{
    struct numbered task = {.task.run = run, .number = 7};
    cr_assert_eq(upkeep_start(&upkeep, &mutex), 0);
    pthread_mutex_lock(&mutex);
    upkeep_schedule(&upkeep, &task.task, NEVER - 1);
    upkeep_schedule(&upkeep, &task.task, 0);
    while (count < 1) {
        pthread_cond_wait(&ran, &mutex);
    }
    pthread_mutex_unlock(&mutex);
    upkeep_stop(&upkeep);
    cr_assert_eq(order[0], 7);
}
