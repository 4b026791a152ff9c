/* SPDX-License-Identifier: Apache-2.0 */
/* The words in which the small C test programs are written. A word that does not hold ends the program with 1. */
#ifndef SCENARIO_H
#define SCENARIO_H

#include <curator/curator.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define assert_ok(call) assert_status(CURATOR_OK, call)
#define assert_status(expected, call) scenario_status(__FILE__, __LINE__, #call, expected, call)
/* The sentence of this thread's last failure contains the text, in upper or lower case. */
#define assert_error_mentions(text) scenario_mentions(__FILE__, __LINE__, text)
#define assert_that(condition) scenario_that(__FILE__, __LINE__, #condition, condition)

static inline int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Time limits are stretched where programs run slowly: CURATOR_SLOW=10 for valgrind. */
static inline int64_t bound_ms(int64_t milliseconds)
{
    const char *slow = getenv("CURATOR_SLOW");
    return (int64_t)((double)milliseconds * (slow != NULL ? atof(slow) : 1.0));
}

__attribute__((noreturn, format(printf, 3, 4))) static inline void scenario_fail(const char *file, int line,
                                                                                 const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s:%d: ", file, line);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n  last error: %s\n", curator_last_error());
    va_end(arguments);
    exit(1);
}

static inline void scenario_status(const char *file, int line, const char *call, curator_status expected,
                                   curator_status actual)
{
    if (actual != expected) {
        scenario_fail(file, line, "%s\n  answered %s, expected %s", call, curator_status_string(actual),
                      curator_status_string(expected));
    }
}

static inline void scenario_mentions(const char *file, int line, const char *text)
{
    if (strcasestr(curator_last_error(), text) == NULL) {
        scenario_fail(file, line, "the last error does not mention \"%s\"", text);
    }
}

static inline void scenario_that(const char *file, int line, const char *condition, bool holds)
{
    if (!holds) {
        scenario_fail(file, line, "not so: %s", condition);
    }
}

/* An argument of the program. */
static inline const char *scenario_argument(int argc, char **argv, int index)
{
    if (index >= argc) {
        fprintf(stderr, "usage: %s <connect string> <path>\n", argv[0]);
        exit(2);
    }
    return argv[index];
}

/* A connected client of the server. */
static inline curator_framework *connected_client(const char *connect_string)
{
    curator_framework *client = NULL;
    assert_ok(curator_framework_open(&client, &(curator_framework_options){.connect_string = connect_string}));
    assert_ok(curator_framework_await_connected(client, bound_ms(10000)));
    return client;
}

#endif
