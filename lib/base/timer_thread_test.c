/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the thread that does what is due. */
#include "base/container_of.h"
#include "base/timer_thread.h"

#include "base/clock.h"

#include <criterion/criterion.h>
#include <stddef.h>

#define TASKS 5

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ran = PTHREAD_COND_INITIALIZER;
static struct timers timers;
static int order[TASKS];
static int count;

struct numbered {
    struct timer timer;
    int number;
};

static void run(struct timer *timer)
{
    order[count++] = (container_of(timer, struct numbered, timer))->number;
    pthread_cond_signal(&ran);
}

Test(timers, runs_tasks_in_the_order_in_which_they_are_due)
{
    static const int delays_ms[TASKS] = {40, 10, 30, 20, 0};
    static const int expected[TASKS - 1] = {4, 1, 3, 0};
    struct numbered timers_due[TASKS];
    cr_assert_eq(timer_thread_start(&timers, &mutex), 0);
    pthread_mutex_lock(&mutex);
    int64_t now = clock_now();
    for (int i = 0; i < TASKS; i++) {
        timers_due[i] = (struct numbered){.timer.run = run, .number = i};
        timer_schedule(&timers, &timers_due[i].timer, clock_after(now, delays_ms[i]));
    }
    timer_schedule(&timers, &timers_due[3].timer, clock_after(now, 500)); /* later than it is: changes nothing */
    timer_cancel(&timers, &timers_due[2].timer);
    while (count < TASKS - 1) {
        pthread_cond_wait(&ran, &mutex);
    }
    pthread_mutex_unlock(&mutex);
    timer_thread_stop(&timers);
    cr_assert_arr_eq(order, expected, sizeof expected);
    cr_assert_not(timers_due[2].timer.scheduled);
}

Test(timers, an_earlier_time_replaces_a_later_one)
{
    struct numbered timer = {.timer.run = run, .number = 7};
    cr_assert_eq(timer_thread_start(&timers, &mutex), 0);
    pthread_mutex_lock(&mutex);
    timer_schedule(&timers, &timer.timer, NEVER - 1);
    timer_schedule(&timers, &timer.timer, 0);
    while (count < 1) {
        pthread_cond_wait(&ran, &mutex);
    }
    pthread_mutex_unlock(&mutex);
    timer_thread_stop(&timers);
    cr_assert_eq(order[0], 7);
}
