/* SPDX-License-Identifier: Apache-2.0 */
/* When the descriptors of a session's handle are made close-on-exec. */
#include "zk/session_descriptors.h"

#include "base/clock.h"
#include "base/container_of.h"
#include "base/log.h"

#include <utlist.h>

#define FIRST_LOOK_MS 5 /* and twice as long each time */
#define MAX_LOOKS 10
#define CONNECTING_LOOK_MS 100

static void note_unmarked(struct session_group *group)
{
    if (!group->unmarked_noted) {
        group->unmarked_noted = true;
        log_line(group->logger, CURATOR_LOG_WARN,
                 "the system does not show which descriptors are the ZooKeeper client's: programs that this process "
                 "executes may inherit them");
    }
}

static void look_later(struct session *session, int64_t milliseconds)
{
    session->look_at = clock_after(clock_now(), milliseconds);
    timer_schedule(session->group->timers, &session->group->mark, session->look_at);
}

/* What was found while the mutex was not held. A try to connect has a socket of its own. */
static void keep_descriptors(struct session *session, const struct handle_descriptors *descriptors,
                             enum close_on_exec marked, bool connected)
{
    session->look_at = NEVER;
    if (descriptors->polled != 0 || session->descriptors.polled == 0) {
        session->descriptors = *descriptors; /* the same, whoever has found them */
    }
    if (session->marked != MARKED) {
        session->marked = marked == MARK_LATER && session->looks == MAX_LOOKS ? CANNOT_MARK : marked;
    }
    if (session->marked == CANNOT_MARK) {
        note_unmarked(session->group);
    } else if (session->marked == MARK_LATER) {
        look_later(session, FIRST_LOOK_MS << session->looks++);
    } else if (!connected) {
        look_later(session, CONNECTING_LOOK_MS);
    }
}

static void look_at_session(struct session *session)
{
    struct session_group *group = session->group;
    struct handle_descriptors descriptors = session->descriptors;
    const zhandle_t *handle = session->handle;
    session_ref(session);
    pthread_mutex_unlock(group->mutex);
    enum close_on_exec marked = close_on_exec_look(&descriptors);
    pthread_mutex_lock(group->mutex);
    if (session->handle == handle) { /* else they are those of the one before */
        keep_descriptors(session, &descriptors, marked, session_is_connected(session));
    }
    session_unref(session);
}

static struct session *next_to_look_at(const struct session_group *group)
{
    struct session *first = NULL, *session;
    DL_FOREACH (group->all, session) {
        bool wanted = session->look_at != NEVER && session->handle != NULL && session->teardown != TEARDOWN_CLOSING &&
                      !session_over_on_server(session);
        if (wanted && (first == NULL || session->look_at < first->look_at)) {
            first = session;
        }
    }
    return first;
}

void session_descriptors_run(struct timer *timer)
{
    struct session_group *group = container_of(timer, struct session_group, mark);
    struct session *session = next_to_look_at(group);
    while (session != NULL && session->look_at <= clock_now()) {
        look_at_session(session);
        session = next_to_look_at(group);
    }
    if (session != NULL) {
        timer_schedule(group->timers, &group->mark, session->look_at);
    }
}

void session_descriptors_found(struct session *session, const struct handle_descriptors *descriptors,
                               enum close_on_exec marked)
{
    session->descriptors = *descriptors;
    session->looks = 0;
    session->marked = MARK_LATER;
    keep_descriptors(session, descriptors, marked, false);
}

void session_descriptors_disconnected(struct session *session)
{
    if (session->marked == MARKED) {
        look_later(session, FIRST_LOOK_MS);
    }
}

void session_descriptors_connected(struct session *session, zhandle_t *handle)
{
    if (session->marked == CANNOT_MARK) { /* it may have been for want of a descriptor */
        session->marked = MARK_LATER;
        session->looks = 0;
    }
    struct handle_descriptors descriptors = session->descriptors;
    pthread_mutex_unlock(session->group->mutex);
    enum close_on_exec marked = close_on_exec_connected(&descriptors, handle);
    pthread_mutex_lock(session->group->mutex);
    if (session->handle == handle) {
        keep_descriptors(session, &descriptors, marked, true);
    }
}
