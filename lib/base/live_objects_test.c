/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the objects that a user can destroy. */
#include "base/live_objects.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct thing {
    struct live_object live;
};

Test(live_objects, an_address_is_known_from_its_adding_to_its_removal)
{
    struct thing one = {0}, other = {0};
    cr_assert_not(live_object_at(&one));
    cr_assert(live_object_add(&one.live, &one));
    cr_assert(live_object_add(&other.live, &other));
    cr_assert(live_object_at(&one));
    live_object_remove(&one.live);
    cr_assert_not(live_object_at(&one));
    cr_assert(live_object_at(&other));
    live_object_remove(&one.live);
    live_object_remove(&other.live);
    cr_assert_not(live_object_at(NULL));
}

static atomic_bool ending;

static void *add_and_remove(void *unused)
{
    while (!ending) {
        struct thing things[40] = {0};
        for (size_t i = 0; i < 40; i++) {
            live_object_add(&things[i].live, &things[i]);
        }
        for (size_t i = 0; i < 40; i++) {
            live_object_remove(&things[i].live);
        }
    }
    return unused;
}

/* A child that hangs, crashes or loses an object fails the test. */
Test(live_objects, a_child_process_has_those_of_its_parent_however_busy_its_threads_are, .timeout = 120)
{
    struct thing kept = {0};
    pthread_t threads[2];
    const char *wrapper = getenv("CURATOR_WRAPPER");
    /* valgrind runs one thread at a time, and may always stop a busy one where it has the table */
    size_t busy = wrapper != NULL && strstr(wrapper, "valgrind") != NULL ? 0 : 2;
    cr_assert(live_object_add(&kept.live, &kept));
    for (size_t i = 0; i < busy; i++) {
        cr_assert_eq(pthread_create(&threads[i], NULL, add_and_remove, NULL), 0);
    }
    time_t slow = time(NULL) + 15; /* as with valgrind, which runs one thread at a time */
    for (int i = 0; i < 200 && (i < 3 || time(NULL) < slow); i++) {
        pid_t child = fork();
        if (child == 0) {
            struct thing own = {0};
            bool right = live_object_at(&kept) && !live_object_at(&own) && live_object_add(&own.live, &own);
            live_object_remove(&own.live);
            /* no leak checker looks into this child */
            execl(right && !live_object_at(&own) ? "/bin/true" : "/bin/false", "child", (char *)NULL);
            _exit(127);
        }
        int status = -1;
        cr_assert_eq(waitpid(child, &status, 0), child);
        cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    ending = true;
    for (size_t i = 0; i < busy; i++) {
        pthread_join(threads[i], NULL);
    }
    live_object_remove(&kept.live);
}
