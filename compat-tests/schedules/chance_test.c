/* SPDX-License-Identifier: Apache-2.0 */
/* Random schedules: for 2.5 s, or those that CURATOR_SEED or CURATOR_SEEDS ask for. */
#include "schedule.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int __real_clock_gettime(clockid_t id, struct timespec *time);

static double seconds(void)
{
    struct timespec now;
    __real_clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static uint64_t number_from(const char *variable, uint64_t otherwise)
{
    const char *text = getenv(variable);
    if (text == NULL || text[0] == '\0') {
        return otherwise;
    }
    char *end;
    uint64_t number = strtoull(text, &end, 10);
    cr_assert(*end == '\0', "%s is no number: %s", variable, text);
    return number;
}

Test(chance, no_schedule_breaks_a_promise)
{
    uint64_t one = number_from("CURATOR_SEED", 0);
    if (one != 0) {
        cr_assert(run_seed(one, true), "seed %" PRIu64 ": %s", one, run.failure);
        return;
    }
    uint64_t count = number_from("CURATOR_SEEDS", 0);
    double end = seconds() + 2.5;
    uint64_t seed = 1;
    int granted = 0;
    while (count > 0 ? seed <= count : seed <= 50 || seconds() < end) {
        cr_assert(run_seed(seed, false), "%s\nSeen with CURATOR_SEED=%" PRIu64, run.failure, seed);
        granted += run.granted;
        seed++;
    }
    printf("%" PRIu64 " schedules, %d grants\n", seed - 1, granted);
}
