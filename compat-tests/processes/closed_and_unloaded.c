/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that loads the library, closes its framework while a name is being looked up, unloads the library, and runs
 * until the look-up has ended.
 */
#include "own_names.h"
#include <curator/framework.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define LOOK_UP_MS 1000
#define WAITS 30000 /* of a millisecond */

/* Not scenario.h's, which calls the library. */
#define assert_that(condition)                                                                                         \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                    \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static unsigned long threads_now(void)
{
    struct stat tasks;
    assert_that(stat("/proc/self/task", &tasks) == 0);
    return (unsigned long)tasks.st_nlink;
}

static void *symbol(void *library, const char *name)
{
    void *found = dlsym(library, name);
    assert_that(found != NULL);
    return found;
}

static void pause_ms(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static void wait_for_look_ups(int expected)
{
    for (int i = 0; i < WAITS && atomic_load(&look_ups_in_progress) != expected; i++) {
        pause_ms();
    }
    assert_that(atomic_load(&look_ups_in_progress) == expected);
}

static void *do_nothing(void *context)
{
    return context;
}

/* With the first one a sanitizer may start a thread of its own. */
static void start_one_thread(void)
{
    pthread_t thread;
    assert_that(pthread_create(&thread, NULL, do_nothing, NULL) == 0);
    assert_that(pthread_join(thread, NULL) == 0);
}

int main(int argc, char **argv)
{
    curator_status (*open)(curator_framework **, const curator_framework_options *);
    curator_status (*close)(curator_framework *);
    start_one_thread();
    unsigned long before = threads_now();
    void *library = dlopen(argc > 1 ? argv[1] : "libcurator.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    *(void **)&open = symbol(library, "curator_framework_open");
    *(void **)&close = symbol(library, "curator_framework_close");
    atomic_store(&other_look_up_ms, LOOK_UP_MS);
    atomic_store(&look_up_ms, LOOK_UP_MS);
    curator_framework *client = NULL;
    assert_that(open(&client, &(curator_framework_options){.connect_string = "zookeeper.invalid:2181"}) == CURATOR_OK);
    wait_for_look_ups(2); /* the server's name, and this host's */
    assert_that(close(client) == CURATOR_OK);
    assert_that(atomic_load(&look_ups_in_progress) == 2);
    assert_that(dlclose(library) == 0);
    wait_for_look_ups(0);
    for (int i = 0; i < WAITS && threads_now() > before; i++) {
        pause_ms();
    }
    assert_that(threads_now() <= before);
    return 0;
}
