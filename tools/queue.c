/* SPDX-License-Identifier: Apache-2.0 */
#include "queue.h"

#include "connection.h"
#include "exit_status.h"

#include <time.h>

curator_status queue_open(struct queue *queue, curator_framework *framework, const char *path)
{
    *queue = (struct queue){.path = path};
    curator_status status = curator_mutex_create(&queue->mutex, framework, path);
    return status == CURATOR_OK ? curator_read_write_lock_create(&queue->lock, framework, path) : status;
}

void queue_close(struct queue *queue)
{
    curator_contenders_free(queue->contenders);
    if (queue->mutex != NULL) {
        curator_mutex_destroy(queue->mutex);
    }
    if (queue->lock != NULL) {
        curator_read_write_lock_destroy(queue->lock);
    }
}

int queue_open_and_read(struct queue *queue, curator_framework *framework, const struct common_options *options,
                        const char *path)
{
    curator_status status = queue_open(queue, framework, path);
    if (status != CURATOR_OK) {
        return failure(status);
    }
    int connected = connection_await(framework, options, INT64_MAX);
    if (connected != EXIT_DONE) {
        return connected;
    }
    status = queue_read(queue);
    return status == CURATOR_OK ? EXIT_DONE : failure(status);
}

static bool has_sides(const curator_contenders *contenders)
{
    for (size_t i = 0; i < contenders->count; i++) {
        if (contenders->contenders[i]->kind != CURATOR_CONTENDER_MUTEX) {
            return true;
        }
    }
    return false;
}

/* The nodes say which lock it is, and each kind has its own order. */
curator_status queue_read(struct queue *queue)
{
    for (bool again = false;; again = true) {
        curator_mutex *mutex = queue->is_read_write ? curator_read_write_lock_write_side(queue->lock) : queue->mutex;
        curator_contenders *contenders;
        curator_status status = curator_mutex_contenders(mutex, &contenders);
        if (status != CURATOR_OK) {
            return status;
        }
        bool sides = has_sides(contenders);
        if (contenders->count == 0 || sides == queue->is_read_write || again) {
            curator_contenders_free(queue->contenders);
            queue->contenders = contenders;
            return CURATOR_OK;
        }
        queue->is_read_write = sides;
        curator_contenders_free(contenders);
    }
}

/* A reader waits for the writers before it, all others for everybody. */
size_t queue_behind(const struct queue *queue, size_t index)
{
    curator_contender **contenders = queue->contenders->contenders;
    if (contenders[index]->holds) {
        return index;
    }
    size_t before = index - 1;
    bool reads = queue->is_read_write && contenders[index]->kind == CURATOR_CONTENDER_READ;
    while (reads && before > 0 && contenders[before]->kind != CURATOR_CONTENDER_WRITE) {
        before--;
    }
    return before;
}

int64_t queue_age_ms(const curator_contender *contender)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now); /* the node's time is a date, too */
    int64_t now_ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    return now_ms > contender->created_ms ? now_ms - contender->created_ms : 0;
}

const char *queue_kind_name(curator_contender_kind kind)
{
    switch (kind) {
    case CURATOR_CONTENDER_READ:
        return "read";
    case CURATOR_CONTENDER_WRITE:
        return "write";
    default:
        return "mutex";
    }
}
