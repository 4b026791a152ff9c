/* SPDX-License-Identifier: Apache-2.0 */
#include "writer.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

static bool write_all(int fd, const char *text)
{
    for (size_t left = strlen(text); left > 0;) {
        ssize_t written = write(fd, text, left);
        if (written < 0 && errno == EAGAIN) { /* somebody else has made it so */
            poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, -1);
        } else if (written < 0 && errno != EINTR) {
            return false;
        }
        text += written > 0 ? written : 0;
        left -= written > 0 ? (size_t)written : 0;
    }
    return true;
}

static void append(struct writer *writer, char *text)
{
    writer->texts[(writer->first + writer->count++) % MAX_TEXTS] = text;
    pthread_cond_broadcast(&writer->changed);
}

/* Where they are missing. */
static void tell_of_dropped(struct writer *writer)
{
    char *text;
    if (writer->dropped > 0 &&
        asprintf(&text, "curator-lock: lines that nobody read in time are missing here: %zu\n", writer->dropped) >= 0) {
        writer->dropped = 0;
        append(writer, text);
    }
}

static void *run(void *context)
{
    struct writer *writer = context;
    pthread_mutex_lock(&writer->mutex);
    for (;;) {
        while (writer->count == 0 && !writer->ending) {
            pthread_cond_wait(&writer->changed, &writer->mutex);
        }
        if (writer->count == 0) {
            break;
        }
        char *text = writer->texts[writer->first];
        pthread_mutex_unlock(&writer->mutex);
        bool written = write_all(writer->fd, text);
        free(text);
        pthread_mutex_lock(&writer->mutex);
        writer->failed = writer->failed || !written;
        writer->first = (writer->first + 1) % MAX_TEXTS;
        if (--writer->count == 0) {
            tell_of_dropped(writer);
        }
        pthread_cond_broadcast(&writer->changed);
        if (writer->count == 0 && writer->event >= 0) {
            eventfd_write(writer->event, 1);
        }
    }
    pthread_mutex_unlock(&writer->mutex);
    return NULL;
}

bool writer_start(struct writer *writer, int fd, int event)
{
    *writer = (struct writer){.fd = fd, .event = event};
    pthread_mutex_init(&writer->mutex, NULL);
    pthread_cond_init(&writer->changed, NULL);
    errno = pthread_create(&writer->thread, NULL, run, writer);
    return errno == 0;
}

void writer_put(struct writer *writer, const char *text)
{
    char *copy = strdup(text);
    pthread_mutex_lock(&writer->mutex);
    if (writer->count + 2 <= MAX_TEXTS) { /* room for both */
        tell_of_dropped(writer);
    }
    if (copy != NULL && writer->dropped == 0 && writer->count < MAX_TEXTS) {
        append(writer, copy);
        copy = NULL;
    } else {
        writer->dropped++;
    }
    pthread_mutex_unlock(&writer->mutex);
    free(copy);
}

enum writer_state writer_await(struct writer *writer, int64_t timeout_ms)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    int64_t nanoseconds = until.tv_nsec + timeout_ms % 1000 * 1000000;
    until.tv_sec += timeout_ms / 1000 + nanoseconds / 1000000000;
    until.tv_nsec = nanoseconds % 1000000000;
    int problem = 0;
    pthread_mutex_lock(&writer->mutex);
    while (writer->count > 0 && problem == 0) {
        problem = pthread_cond_clockwait(&writer->changed, &writer->mutex, CLOCK_MONOTONIC, &until);
    }
    enum writer_state state = writer->count > 0 ? WRITER_BUSY : writer->failed ? WRITER_FAILED : WRITER_DONE;
    pthread_mutex_unlock(&writer->mutex);
    return state;
}

void writer_end(struct writer *writer, int64_t timeout_ms)
{
    if (writer_await(writer, timeout_ms) == WRITER_BUSY) {
        return;
    }
    pthread_mutex_lock(&writer->mutex);
    writer->ending = true;
    pthread_cond_broadcast(&writer->changed);
    pthread_mutex_unlock(&writer->mutex);
    pthread_join(writer->thread, NULL);
}
