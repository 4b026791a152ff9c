/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the thread that runs the user's callbacks. */
#include "base/container_of.h"
#include "framework/callbacks.h"

#include <criterion/criterion.h>
#include <sched.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct callbacks callbacks;

struct told {
    struct callback callback;
    int *counter;
    int position;
};

static void deliver(struct callback *callback, pthread_mutex_t *held)
{
    struct told *told = container_of(callback, struct told, callback);
    told->position = ++*told->counter;
    pthread_mutex_unlock(held);
    pthread_mutex_lock(held);
}

Test(callbacks, run_in_the_order_in_which_they_were_queued_and_as_often)
{
    int counter = 0;
    struct told first = {.callback.deliver = deliver, .counter = &counter};
    struct told second = {.callback.deliver = deliver, .counter = &counter};
    cr_assert_eq(callbacks_start(&callbacks, &mutex, NULL), 0);
    pthread_mutex_lock(&mutex);
    callbacks_queue(&callbacks, &first.callback);
    callbacks_queue(&callbacks, &second.callback);
    callbacks_queue(&callbacks, &first.callback);
    pthread_mutex_unlock(&mutex);
    callbacks_stop(&callbacks);
    cr_assert_eq(second.position, 2);
    cr_assert_eq(first.position, 3);
    cr_assert_eq(counter, 3);
}

Test(callbacks, one_that_is_withdrawn_does_not_run)
{
    int counter = 0;
    struct told told = {.callback.deliver = deliver, .counter = &counter};
    cr_assert_eq(callbacks_start(&callbacks, &mutex, NULL), 0);
    pthread_mutex_lock(&mutex);
    callbacks_queue(&callbacks, &told.callback);
    callbacks_queue(&callbacks, &told.callback);
    callbacks_withdraw(&callbacks, &told.callback);
    pthread_mutex_unlock(&mutex);
    callbacks_stop(&callbacks);
    cr_assert_eq(counter, 0);
}

static pthread_cond_t idle = PTHREAD_COND_INITIALIZER;
static bool waits;

static void *await_idle(void *unused)
{
    pthread_mutex_lock(&mutex);
    waits = true;
    while (!callbacks_are_idle(&callbacks)) {
        pthread_cond_wait(&idle, &mutex);
    }
    pthread_mutex_unlock(&mutex);
    return unused;
}

static bool waits_already(void)
{
    pthread_mutex_lock(&mutex);
    bool does = waits;
    pthread_mutex_unlock(&mutex);
    return does;
}

/* Without the thread of the callbacks, which might be first. */
Test(callbacks, who_waits_for_idle_is_woken_by_a_withdrawal_too, .timeout = 60)
{
    struct callback queued = {.due = 0};
    pthread_t waiting;
    callbacks = (struct callbacks){.mutex = &mutex, .idle = &idle};
    cr_assert_eq(pthread_cond_init(&callbacks.changed, NULL), 0);
    callbacks_queue(&callbacks, &queued);
    cr_assert_eq(pthread_create(&waiting, NULL, await_idle, NULL), 0);
    while (!waits_already()) {
        sched_yield();
    }
    pthread_mutex_lock(&mutex);
    callbacks_withdraw(&callbacks, &queued);
    pthread_mutex_unlock(&mutex);
    cr_assert_eq(pthread_join(waiting, NULL), 0);
    pthread_cond_destroy(&callbacks.changed);
}
