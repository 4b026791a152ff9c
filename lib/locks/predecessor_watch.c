/* SPDX-License-Identifier: Apache-2.0 */
/* The watch of an attempt on a node before its own. */
#include "locks/predecessor_watch.h"

#include "base/clock.h"
#include "base/container_of.h"
#include "base/path.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static void note_predecessor_gone(struct predecessor_watch *watch)
{
    watch->gone = true;
    watch->gone_at = clock_now();
}

static void predecessor_watch_on_event(struct watcher *watcher, enum watch_event event)
{
    struct predecessor_watch *watch = container_of(watcher, struct predecessor_watch, watcher);
    watch->set = false;
    if (event == WATCH_DELETED) {
        note_predecessor_gone(watch);
    }
    if (event != WATCH_LOST) { /* the list after the reconnect says the rest */
        watch->on_event(watch->attempt, event);
    }
}

void predecessor_watch_init(struct predecessor_watch *watch, struct session *session, struct attempt *attempt,
                            void (*on_event)(struct attempt *attempt, enum watch_event event))
{
    *watch = (struct predecessor_watch){
        .watcher = {.fired = predecessor_watch_on_event}, .session = session, .attempt = attempt, .on_event = on_event};
}

void predecessor_watch_reset(struct predecessor_watch *watch)
{
    watch->set = false;
    watch->gone = false;
}

void predecessor_watch_discard(struct predecessor_watch *watch)
{
    watch_remove(watch->session, &watch->watcher);
    free(watch->path);
    watch->path = NULL;
    watch->owner = 0;
    watch->data_length = 0;
    predecessor_watch_reset(watch);
}

bool predecessor_watch_retarget(struct predecessor_watch *watch, const char *parent, const char *name)
{
    if (watch->path != NULL && strcmp(strrchr(watch->path, '/') + 1, name) == 0) {
        return true;
    }
    predecessor_watch_discard(watch);
    watch->path = path_join(parent, name);
    return watch->path != NULL && watch_add(watch->session, &watch->watcher, watch->path);
}

struct request *predecessor_watch_send(struct predecessor_watch *watch, struct wait_group *group, bool *failed)
{
    if (watch->path == NULL || watch->set || watch->gone) {
        return NULL;
    }
    watch->set = true; /* before it is sent: an event that uses it up clears this */
    struct request *request = request_get_and_watch(watch->session, group, watch->path);
    *failed = *failed || request == NULL;
    return request;
}

void predecessor_watch_answered(struct predecessor_watch *watch, const struct request *request)
{
    if (request == NULL) {
        return;
    }
    watch->set = watch->set && request->rc == ZOK;
    if (request->rc == ZNONODE && !watch->gone) {
        note_predecessor_gone(watch);
    }
    watch->owner = request->stat.ephemeralOwner;
    if (request->rc == ZOK) {
        memcpy(watch->data, request->data, sizeof watch->data);
        watch->data_length = request->stat.dataLength;
    }
}
