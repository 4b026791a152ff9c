/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of whether threads can be started. */
#include "base/spare_threads.h"

#include <criterion/criterion.h>
#include <sys/stat.h>

static unsigned long threads_now(void)
{
    struct stat tasks;
    cr_assert_eq(stat("/proc/self/task", &tasks), 0);
    return (unsigned long)tasks.st_nlink;
}

Test(spare_threads, are_given_back_to_the_system_before_it_is_said_that_there_are_some)
{
    unsigned long before = threads_now();
    for (int i = 0; i < 1000; i++) {
        cr_assert_eq(spare_threads_try(MAX_SPARE_THREADS), 0);
        cr_assert_eq(threads_now(), before);
    }
}
