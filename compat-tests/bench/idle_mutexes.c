/* SPDX-License-Identifier: Apache-2.0 */
#include "idle_mutexes.h"

#include "contender.h"

#include <curator/curator.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

static curator_mutex **mutexes;
static long number;

void mutexes_create(const char *path, long count)
{
    mutexes = calloc((size_t)count, sizeof(curator_mutex *));
    if (mutexes == NULL) {
        give_up("no memory for %ld mutexes", count);
    }
    for (number = 0; number < count; number++) {
        char own[512];
        snprintf(own, sizeof own, "%s/%ld", path, number);
        expect_ok("create", curator_mutex_create(&mutexes[number], library_session(), own));
    }
}

void mutexes_acquire_all(void)
{
    for (long i = 0; i < number; i++) {
        expect_ok("acquire", curator_mutex_acquire(mutexes[i]));
    }
}

void mutexes_destroy_all(void)
{
    for (long i = 0; i < number; i++) {
        if (curator_mutex_is_owned_by_current_thread(mutexes[i])) {
            expect_ok("release", curator_mutex_release(mutexes[i]));
        }
        expect_ok("destroy", curator_mutex_destroy(mutexes[i]));
    }
    free(mutexes);
    mutexes = NULL;
}

size_t heap_bytes(void)
{
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}
