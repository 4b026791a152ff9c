/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a session. */
#include "zk/session_open.h"

#include "base/clock.h"
#include "zk/handle.h"
#include "zk/session_descriptors.h"
#include "zk/session_events.h"
#include "zk/zk_log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

static struct session *session_new(struct session_group *group, const char *servers)
{
    struct session *session = calloc(1, sizeof *session);
    char *copy = strdup(servers);
    if (session == NULL || copy == NULL) {
        free(session);
        free(copy);
        return NULL;
    }
    session->group = group;
    session->references = 1;
    session->servers = copy;
    session->timeout_ms = group->timeout_ms;
    session->disconnected_at = clock_lease_now();
    lease_begin(&session->lease, session->disconnected_at, session->timeout_ms * NANOSECONDS_PER_MILLISECOND);
    return session;
}

/* Releases the mutex meanwhile. False with *error set to an errno value. */
static bool open_handle(struct session *session, const clientid_t *id, int *error)
{
    struct session_group *group = session->group;
    const struct handle_options options = {.servers = session->servers,
                                           .timeout_ms = session->timeout_ms,
                                           .id = id,
                                           .watcher = session_on_event,
                                           .context = session,
                                           .log = zk_log_callback(session->zk_log)};
    struct handle_descriptors descriptors;
    enum close_on_exec marked = MARKED;
    pthread_mutex_unlock(group->mutex);
    zhandle_t *handle = handle_open(&options, &descriptors, &marked, error);
    pthread_mutex_lock(group->mutex);
    if (handle == NULL) {
        return false;
    }
    session->handle = handle;
    session_descriptors_found(session, &descriptors, marked);
    return true;
}

struct session *session_open(struct session_group *group, const char *servers, int *error)
{
    struct session *session = session_new(group, servers);
    if (session == NULL) {
        *error = ENOMEM;
        return NULL;
    }
    session->zk_log = zk_log_take(&group->zk_log);
    if (!open_handle(session, NULL, error)) {
        zk_log_give_back(session->zk_log);
        session_unref(session);
        return NULL;
    }
    session_set_state(session, STATE_CONNECTING);
    DL_APPEND(group->all, session);
    return session;
}

bool session_reopen(struct session *session, int *error)
{
    const clientid_t id = session->id_and_password;
    session->reopening = true;
    session->handle_known = false;
    bool opened = open_handle(session, &id, error);
    session->reopening = false;
    pthread_cond_broadcast(session->group->quiet);
    return opened;
}
