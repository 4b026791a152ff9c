/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the identity of threads. */
#include "base/thread_id.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

struct stay {
    sem_t known, leave;
    pid_t thread;
};

static void *stay(void *context)
{
    struct stay *stay = context;
    stay->thread = thread_system_id();
    sem_post(&stay->known);
    sem_wait(&stay->leave);
    return NULL;
}

Test(thread_id, a_thread_has_ended_only_when_it_has)
{
    struct stay here;
    pthread_t thread;
    sem_init(&here.known, 0, 0);
    sem_init(&here.leave, 0, 0);
    cr_assert_eq(thread_system_id(), getpid());
    cr_assert_not(thread_has_ended(getpid()));
    cr_assert_eq(pthread_create(&thread, NULL, stay, &here), 0);
    sem_wait(&here.known);
    cr_assert_not(thread_has_ended(here.thread));
    sem_post(&here.leave);
    pthread_join(thread, NULL);
    while (!thread_has_ended(here.thread)) { /* the system forgets it a moment after the join */
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    sem_destroy(&here.known);
    sem_destroy(&here.leave);
}
