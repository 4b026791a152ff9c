/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A C contender of the benchmark: bench library|pending|floor|requests|one_flight CONNECT_STRING PATH [hold]. Says
 * "ready" once connected, or, with hold, "ready" and the time once it holds the lock, for good. Then for each line of
 * standard input one line of answer:
 *     cycles N                acquires and releases N times
 *     samples                 how many nanoseconds each of those cycles took
 *     reenter N               acquires, acquires N times more, and releases it all: the nanoseconds of those N
 * The following are not for `requests`, `one_flight` and `pending`, the last two lines for `library` only. See
 * contention.h and idle_mutexes.h.
 *     contend PATH N [CONNECT]  N sessions, a contender each, on one lock; by way of another CONNECT_STRING
 *     locks PATH N [CONNECT]    one session, N threads, a lock each
 *     start N HOLD_US           the first N of them acquire, hold and release
 *     mark                      acquires so far, nanoseconds, contenders that had the lock
 *     handoffs                  the nanoseconds of each hand-off since the mark
 *     stop                      ... when all have stopped
 *     queue N HOLD_US, go       the first N queue up; each gets the lock once
 *     close                     ends these sessions
 *     mutexes PATH N            N mutexes, of the session of PATH
 *     heap, acquire_all, destroy_all   bytes of the heap in use; acquires them all; releases and destroys them all
 * Bench.java and bench_kazoo.py speak the same. The process ends when its standard input does.
 */
#include "contender.h"
#include "contention.h"
#include "idle_mutexes.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NANOSECONDS_PER_SECOND INT64_C(1000000000)
#define MAX_CYCLES 100000

static const struct contender *contender;
static const char *connect_string;
static int64_t samples[MAX_CYCLES]; /* of which an unmeasured process touches none */
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

int64_t monotonic_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * NANOSECONDS_PER_SECOND + time.tv_nsec;
}

static void run_cycles(long count)
{
    if (count > MAX_CYCLES) {
        give_up("more than %d cycles at once", MAX_CYCLES);
    }
    sample_count = count;
    int64_t began = monotonic_ns();
    for (long i = 0; i < count; i++) {
        contender->acquire();
        contender->release();
        int64_t ended = monotonic_ns();
        samples[i] = ended - began;
        began = ended;
    }
}

static int64_t reenter(long count)
{
    contender->acquire();
    int64_t began = monotonic_ns();
    for (long i = 0; i < count; i++) {
        contender->acquire();
    }
    int64_t taken = monotonic_ns() - began;
    for (long i = 0; i <= count; i++) {
        contender->release();
    }
    return taken;
}

static void gather(const char *path, long members, const char *other_connect_string, bool one_session)
{
    if (contender->lock_kind == NULL) {
        give_up("this contender has no locks to contend for");
    }
    contention_open(contender->lock_kind, other_connect_string[0] != '\0' ? other_connect_string : connect_string, path,
                    members, one_session);
}

/* Prints the answer, if there is one. */
static void do_verb(const char *verb, const char *first, const char *second, const char *third)
{
    long number = atol(first);
    if (strcmp(verb, "cycles") == 0) {
        run_cycles(number);
    } else if (strcmp(verb, "samples") == 0) {
        for (long i = 0; i < sample_count; i++) {
            printf("%" PRId64 " ", samples[i]);
        }
    } else if (strcmp(verb, "reenter") == 0) {
        printf("%" PRId64, reenter(number));
    } else if (strcmp(verb, "contend") == 0 || strcmp(verb, "locks") == 0) {
        gather(first, atol(second), third, strcmp(verb, "locks") == 0);
    } else if (strcmp(verb, "start") == 0) {
        contention_start(number, atol(second));
    } else if (strcmp(verb, "mark") == 0) {
        contention_print_mark();
    } else if (strcmp(verb, "handoffs") == 0) {
        contention_print_handoffs();
    } else if (strcmp(verb, "stop") == 0) {
        contention_stop();
    } else if (strcmp(verb, "queue") == 0) {
        contention_queue(number, atol(second));
    } else if (strcmp(verb, "go") == 0) {
        contention_go();
    } else if (strcmp(verb, "close") == 0) {
        contention_close();
    } else if (strcmp(verb, "mutexes") == 0) {
        mutexes_create(first, atol(second));
    } else if (strcmp(verb, "heap") == 0) {
        printf("%zu", heap_bytes());
    } else if (strcmp(verb, "acquire_all") == 0) {
        mutexes_acquire_all();
    } else if (strcmp(verb, "destroy_all") == 0) {
        mutexes_destroy_all();
    } else {
        give_up("no verb '%s'", verb);
    }
}

static void obey(void)
{
    char line[1024];
    while (fgets(line, sizeof line, stdin) != NULL) {
        char verb[16] = "";
        char first[512] = "";
        char second[32] = "";
        char third[256] = "";
        sscanf(line, "%15s %511s %31s %255s", verb, first, second, third);
        do_verb(verb, first, second, third);
        puts(" ok");
        fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    const struct contender *const all[] = {&library, &library_pending, &bare_floor, &bare_requests, &bare_one_flight};
    for (size_t i = 0; (argc == 4 || argc == 5) && i < sizeof all / sizeof all[0]; i++) {
        contender = strcmp(argv[1], all[i]->name) == 0 ? all[i] : contender;
    }
    if (contender == NULL) {
        give_up("usage: bench library|pending|floor|requests|one_flight CONNECT_STRING PATH [hold]");
    }
    connect_string = argv[2];
    contender->open(connect_string, argv[3]);
    if (argc == 5) {
        contender->acquire();
    }
    printf("ready %" PRId64 "\n", monotonic_ns());
    fflush(stdout);
    obey();
    if (argc == 5) {
        contender->release();
    }
    contender->close();
    return 0;
}
