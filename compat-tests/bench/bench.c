/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A C contender of the benchmark: bench library|floor|requests CONNECT_STRING PATH. Says "ready" once connected. Then
 * for each line of standard input one line of answer:
 *     cycles N    acquires and releases N times: "ok"
 *     samples     how many nanoseconds each of those cycles took
 *     reenter N   acquires, acquires N times more, and releases it all: the nanoseconds of those N
 *     hold        acquires, for good: "ok"
 * Bench.java speaks the same. The process ends when its standard input does.
 */
#include "contender.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NANOSECONDS_PER_SECOND INT64_C(1000000000)
#define MOST_CYCLES 100000

static const struct contender *contender;
static int64_t samples[MOST_CYCLES]; /* of which an unmeasured process touches none */
static long sample_count;

void give_up(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "bench %s: ", contender != NULL ? contender->name : "");
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * NANOSECONDS_PER_SECOND + time.tv_nsec;
}

static void run_cycles(long count)
{
    if (count > MOST_CYCLES) {
        give_up("more than %d cycles at once", MOST_CYCLES);
    }
    sample_count = count;
    int64_t began = now();
    for (long i = 0; i < count; i++) {
        contender->acquire();
        contender->release();
        int64_t ended = now();
        samples[i] = ended - began;
        began = ended;
    }
}

static int64_t reenter(long count)
{
    contender->acquire();
    int64_t began = now();
    for (long i = 0; i < count; i++) {
        contender->acquire();
    }
    int64_t taken = now() - began;
    for (long i = 0; i <= count; i++) {
        contender->release();
    }
    return taken;
}

static void answer(const char *verb, long count)
{
    if (strcmp(verb, "cycles") == 0) {
        run_cycles(count);
        printf("ok");
    } else if (strcmp(verb, "samples") == 0) {
        for (long i = 0; i < sample_count; i++) {
            printf("%" PRId64 " ", samples[i]);
        }
    } else if (strcmp(verb, "reenter") == 0) {
        printf("%" PRId64, reenter(count));
    } else if (strcmp(verb, "hold") == 0) {
        contender->acquire();
        printf("ok");
    } else {
        give_up("no verb '%s'", verb);
    }
    putchar('\n');
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const struct contender *const all[] = {&library, &bare_floor, &bare_requests};
    for (size_t i = 0; argc == 4 && i < sizeof all / sizeof all[0]; i++) {
        contender = strcmp(argv[1], all[i]->name) == 0 ? all[i] : contender;
    }
    if (contender == NULL) {
        give_up("usage: bench library|floor|requests CONNECT_STRING PATH");
    }
    contender->open(argv[2], argv[3]);
    puts("ready");
    fflush(stdout);
    char line[128];
    while (fgets(line, sizeof line, stdin) != NULL) {
        char verb[16] = "";
        long count = 0;
        sscanf(line, "%15s %ld", verb, &count);
        answer(verb, count);
    }
    contender->close();
    return 0;
}
