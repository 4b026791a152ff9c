/* SPDX-License-Identifier: Apache-2.0 */
/* The watch of an attempt on a node before its own. */
#include "locks/lookout.h"

#include "client/clock.h"
#include "locks/attempt.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static void note_gone(struct lookout *lookout)
{
    lookout->gone = true;
    lookout->gone_at = clock_now();
}

static void on_lookout(struct watcher *watcher, enum watch_event event)
{
    struct lookout *lookout = (struct lookout *)((char *)watcher - offsetof(struct lookout, watcher));
    lookout->set = false;
    if (event == WATCH_DELETED) {
        note_gone(lookout);
    } else {
        lookout->attempt->look_again = true; /* changed: as Curator, we list the children again */
    }
    lookout->seen(lookout->attempt);
}

void lookout_init(struct lookout *lookout, struct attempt *attempt, void (*seen)(struct attempt *attempt))
{
    *lookout = (struct lookout){.watcher = {.fired = on_lookout}, .attempt = attempt, .seen = seen};
}

void lookout_end(struct lookout *lookout)
{
    watch_remove(lookout->attempt->session, &lookout->watcher);
    free(lookout->path);
    lookout->path = NULL;
    lookout->set = false;
    lookout->gone = false;
    lookout->owner = 0;
}

bool lookout_turn(struct lookout *lookout, const char *name)
{
    const char *parent = lookout->attempt->mutex->full_path;
    if (lookout->path != NULL && strcmp(strrchr(lookout->path, '/') + 1, name) == 0) {
        return true;
    }
    lookout_end(lookout);
    char *path = malloc(strlen(parent) + strlen(name) + 2);
    if (path == NULL) {
        return false;
    }
    char *end = stpcpy(path, parent);
    *end++ = '/';
    stpcpy(end, name);
    lookout->path = path;
    return watch_add(lookout->attempt->session, &lookout->watcher, path);
}

struct request *lookout_watch(struct lookout *lookout, bool *failed)
{
    if (lookout->path == NULL || lookout->set || lookout->gone) {
        return NULL;
    }
    lookout->set = true; /* before it is sent: an event that uses it up says so */
    struct request *request = request_get_and_watch(lookout->attempt->session, lookout->attempt->call, lookout->path);
    *failed = *failed || request == NULL;
    return request;
}

void lookout_answered(struct lookout *lookout, const struct request *request)
{
    if (request == NULL) {
        return;
    }
    lookout->set = lookout->set && request->rc == ZOK;
    if (request->rc == ZNONODE && !lookout->gone) {
        note_gone(lookout);
    }
    lookout->owner = request->stat.ephemeralOwner;
}
