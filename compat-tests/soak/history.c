/* SPDX-License-Identifier: Apache-2.0 */
/* The history of a process of the soak, line by line. */
#include "soak/history.h"

#include <curator/curator.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LINE_MAX_BYTES 1024
#define LOOK_MS 20
#define PAUSE_MS 300 /* a look that is late by this much means a pause */

static int file = -1;
static pthread_t watcher;
static atomic_bool ended;
static _Atomic int64_t keep_until;

static double exact_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1000.0 + (double)now.tv_nsec / 1e6;
}

int64_t history_now(void)
{
    return (int64_t)exact_now();
}

void history_sleep(int milliseconds)
{
    nanosleep(&(struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000L}, NULL);
}

void history_write(const char *what, const char *format, ...)
{
    char line[LINE_MAX_BYTES];
    int length = snprintf(line, sizeof line, "%s %.3f ", what, exact_now());
    va_list arguments;
    va_start(arguments, format);
    length += vsnprintf(line + length, sizeof line - (size_t)length, format, arguments);
    va_end(arguments);
    if (length > (int)sizeof line - 2) {
        length = (int)sizeof line - 2;
    }
    line[length++] = '\n';
    if (write(file, line, (size_t)length) != length) {
        fprintf(stderr, "the history cannot be written\n");
        exit(1);
    }
}

void history_must(curator_status status, const char *what)
{
    if (status != CURATOR_OK) {
        fprintf(stderr, "%s: %s: %s\n", what, curator_status_string(status), curator_last_error());
        exit(1);
    }
}

/* Records each time in which this process, or most of its threads, did not run. */
static void *watch_for_pauses(void *unused)
{
    (void)unused;
    double before = exact_now();
    while (!atomic_load(&ended)) {
        history_sleep(LOOK_MS);
        double now = exact_now();
        if (now - before > LOOK_MS + PAUSE_MS) {
            history_write("paused", "%.3f", before);
        }
        before = now;
    }
    return NULL;
}

void history_open(const char *name)
{
    file = open(name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || pthread_create(&watcher, NULL, watch_for_pauses, NULL) != 0) {
        perror(name);
        exit(1);
    }
    history_write("hello", "%ld", (long)getpid());
}

void history_close(void)
{
    atomic_store(&ended, true);
    pthread_join(watcher, NULL);
}

bool history_told_to(const char *word, int timeout_ms)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    if (poll(&input, 1, timeout_ms) <= 0) {
        return false;
    }
    char line[64] = "";
    if (fgets(line, sizeof line, stdin) == NULL) {
        return true;
    }
    line[strcspn(line, "\n")] = '\0';
    if (strncmp(line, "keep ", 5) == 0) {
        atomic_store(&keep_until, history_now() + atoi(line + 5));
    }
    return strcmp(line, word) == 0;
}

bool history_keeps(void)
{
    return history_now() < atomic_load(&keep_until);
}
