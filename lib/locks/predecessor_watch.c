/* SPDX-License-Identifier: Apache-2.0 */
/* The watch of an attempt on a node before its own. */
#include "locks/predecessor_watch.h"

#include "base/clock.h"
#include "base/container_of.h"
#include "locks/attempt.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static void note_gone(struct predecessor_watch *predecessor_watch)
{
    predecessor_watch->gone = true;
    predecessor_watch->gone_at = clock_now();
}

static void on_predecessor(struct watcher *watcher, enum watch_event event)
{
    struct predecessor_watch *predecessor_watch = container_of(watcher, struct predecessor_watch, watcher);
    predecessor_watch->set = false;
    if (event == WATCH_DELETED) {
        note_gone(predecessor_watch);
    } else {
        predecessor_watch->attempt->look_again = true; /* changed: as Curator, we list the children again */
    }
    predecessor_watch->on_event(predecessor_watch->attempt);
}

void predecessor_watch_init(struct predecessor_watch *predecessor_watch, struct attempt *attempt,
                            void (*on_event)(struct attempt *attempt))
{
    *predecessor_watch =
        (struct predecessor_watch){.watcher = {.fired = on_predecessor}, .attempt = attempt, .on_event = on_event};
}

void predecessor_watch_discard(struct predecessor_watch *predecessor_watch)
{
    watch_remove(predecessor_watch->attempt->session, &predecessor_watch->watcher);
    free(predecessor_watch->path);
    predecessor_watch->path = NULL;
    predecessor_watch->set = false;
    predecessor_watch->gone = false;
    predecessor_watch->owner = 0;
}

bool predecessor_watch_retarget(struct predecessor_watch *predecessor_watch, const char *name)
{
    const char *parent = predecessor_watch->attempt->mutex->full_path;
    if (predecessor_watch->path != NULL && strcmp(strrchr(predecessor_watch->path, '/') + 1, name) == 0) {
        return true;
    }
    predecessor_watch_discard(predecessor_watch);
    char *path = malloc(strlen(parent) + strlen(name) + 2);
    if (path == NULL) {
        return false;
    }
    char *end = stpcpy(path, parent);
    *end++ = '/';
    stpcpy(end, name);
    predecessor_watch->path = path;
    return watch_add(predecessor_watch->attempt->session, &predecessor_watch->watcher, path);
}

struct request *predecessor_watch_send(struct predecessor_watch *predecessor_watch, bool *failed)
{
    if (predecessor_watch->path == NULL || predecessor_watch->set || predecessor_watch->gone) {
        return NULL;
    }
    predecessor_watch->set = true; /* before it is sent: an event that uses it up says so */
    struct request *request = request_get_and_watch(
        predecessor_watch->attempt->session, &predecessor_watch->attempt->call->requests, predecessor_watch->path);
    *failed = *failed || request == NULL;
    return request;
}

void predecessor_watch_answered(struct predecessor_watch *predecessor_watch, const struct request *request)
{
    if (request == NULL) {
        return;
    }
    predecessor_watch->set = predecessor_watch->set && request->rc == ZOK;
    if (request->rc == ZNONODE && !predecessor_watch->gone) {
        note_gone(predecessor_watch);
    }
    predecessor_watch->owner = request->stat.ephemeralOwner;
}
