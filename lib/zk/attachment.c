/* SPDX-License-Identifier: Apache-2.0 */
/* A second handle on a session, to end it while the first one stays open. */
#include "zk/attachment.h"

#include "base/clock.h"
#include "zk/handle.h"

#define ATTACH_MS 500

struct attachment {
    struct handle_descriptors descriptors; /* set until it is opened, then its watcher's */
    enum close_on_exec marked;
    pthread_mutex_t mutex; /* guards opened, settled and over */
    pthread_cond_t changed;
    bool opened;  /* its watcher waits for this */
    bool settled; /* connected, or the session is over */
    bool over;    /* the session is, says the server */
};

static void set_and_signal(struct attachment *attachment, bool *what)
{
    pthread_mutex_lock(&attachment->mutex);
    *what = true;
    pthread_cond_broadcast(&attachment->changed);
    pthread_mutex_unlock(&attachment->mutex);
}

static void mark_attached(struct attachment *attachment, zhandle_t *handle)
{
    pthread_mutex_lock(&attachment->mutex);
    while (!attachment->opened) {
        pthread_cond_wait(&attachment->changed, &attachment->mutex);
    }
    pthread_mutex_unlock(&attachment->mutex);
    if (attachment->marked != CANNOT_MARK) {
        attachment->marked = close_on_exec_connected(&attachment->descriptors, handle);
    }
}

static void on_attached(zhandle_t *handle, int type, int state, const char *path, void *context)
{
    (void)path;
    struct attachment *attachment = context;
    if (type != ZOO_SESSION_EVENT) {
        return;
    }
    if (state == ZOO_CONNECTED_STATE) {
        mark_attached(attachment, handle);
    }
    if (state == ZOO_EXPIRED_SESSION_STATE) {
        set_and_signal(attachment, &attachment->over);
    }
    if (state == ZOO_CONNECTED_STATE || state == ZOO_EXPIRED_SESSION_STATE) {
        set_and_signal(attachment, &attachment->settled);
    }
}

static void discard_line(const char *message)
{
    (void)message;
}

bool attachment_close_session(const char *servers, int64_t timeout_ms, const clientid_t *id)
{
    struct attachment attachment = {.mutex = PTHREAD_MUTEX_INITIALIZER};
    if (condition_init(&attachment.changed) != 0) {
        return false;
    }
    const struct handle_options options = {.servers = servers,
                                           .timeout_ms = timeout_ms,
                                           .id = id,
                                           .watcher = on_attached,
                                           .context = &attachment,
                                           .log = discard_line};
    int error;
    zhandle_t *handle = handle_open(&options, &attachment.descriptors, &attachment.marked, &error);
    if (handle != NULL) { /* otherwise the next try may find a thread or a descriptor */
        int64_t deadline = clock_after(clock_now(), ATTACH_MS);
        if (attachment.marked == MARK_LATER) {
            attachment.marked = close_on_exec_watch(&attachment.descriptors, ATTACH_MS / 2);
        }
        set_and_signal(&attachment, &attachment.opened);
        pthread_mutex_lock(&attachment.mutex);
        while (!attachment.settled && clock_now() < deadline) {
            condition_wait_until(&attachment.changed, &attachment.mutex, deadline);
        }
        pthread_mutex_unlock(&attachment.mutex);
        zookeeper_close(handle);
    }
    pthread_cond_destroy(&attachment.changed);
    pthread_mutex_destroy(&attachment.mutex);
    return attachment.over;
}
