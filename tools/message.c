/* SPDX-License-Identifier: Apache-2.0 */
#include "message.h"

#include "exit_status.h"
#include "text.h"
#include "writer.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LONGEST_LINE 2048

/* So long the last lines are waited for, when the command is over and the lock given back. */
#define LAST_LINES_MS 2000

static int chosen_verbosity = NORMAL;
static struct writer writer;
static bool has_writer; /* before there are other threads */

void message_set_verbosity(int verbosity)
{
    chosen_verbosity = verbosity;
}

int message_verbosity(void)
{
    return chosen_verbosity;
}

bool message_start_writer(void)
{
    has_writer = writer_start(&writer, STDERR_FILENO, -1);
    if (!has_writer) {
        complain("no thread for messages: %s", strerrordesc_np(errno));
    }
    return has_writer;
}

void message_end(void)
{
    if (has_writer) {
        writer_end(&writer, LAST_LINES_MS);
    }
}

/* A name from outside must not move the cursor or forge a line. What is no character, or controls, becomes one '?'. */
static void defuse(char *text)
{
    char *to = text;
    for (size_t left = strlen(text); left > 0;) {
        size_t length = text_character(text, left), step = length > 0 ? length : 1;
        if (length == 0 || text_is_control(text, length)) {
            *to++ = '?';
        } else {
            memmove(to, text, length);
            to += length;
        }
        text += step;
        left -= step;
    }
    *to = '\0';
}

__attribute__((format(printf, 1, 0))) static void print_line(const char *format, va_list values, const char *ending)
{
    char line[LONGEST_LINE];
    int begun = snprintf(line, sizeof line, "curator-lock: ");
    size_t room = sizeof line - (size_t)begun - strlen(ending) - 2;
    vsnprintf(line + begun, room, format, values);
    defuse(line);
    size_t length = strlen(line);
    length += (size_t)snprintf(line + length, sizeof line - length, "%s\n", ending);
    if (has_writer) {
        writer_put(&writer, line);
    } else {
        ssize_t written = write(STDERR_FILENO, line, length);
        (void)written; /* there is nowhere left to say that it failed */
    }
}

void complain(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    print_line(format, values, "");
    va_end(values);
}

void warn(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    if (chosen_verbosity >= NORMAL) {
        print_line(format, values, "");
    }
    va_end(values);
}

void inform(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    if (chosen_verbosity >= VERBOSE) {
        print_line(format, values, "");
    }
    va_end(values);
}

int wrong_usage(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    print_line(format, values, " (curator-lock --help tells more)");
    va_end(values);
    return EXIT_USAGE;
}
