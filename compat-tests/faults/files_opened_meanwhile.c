/* SPDX-License-Identifier: Apache-2.0 */
/* While frameworks connect, other threads open and close files: the library must not touch those descriptors. */
#include "scenario.h"
#include <pthread.h>
#include <stdatomic.h>

static atomic_bool connecting = true;

static void *open_files(void *context)
{
    (void)context;
    while (connecting) {
        FILE *files[64];
        for (size_t i = 0; i < 64; i++) {
            files[i] = fopen("/proc/self/comm", "r");
            assert_that(files[i] != NULL);
        }
        for (size_t i = 0; i < 64; i++) {
            fclose(files[i]);
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];
    for (size_t i = 0; i < 2; i++) {
        assert_that(pthread_create(&threads[i], NULL, open_files, NULL) == 0);
    }
    for (int i = 0; i < 10; i++) {
        assert_ok(curator_framework_close(connected_client(scenario_argument(argc, argv, 1))));
    }
    connecting = false;
    for (size_t i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
    return 0;
}
