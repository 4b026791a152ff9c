/* SPDX-License-Identifier: Apache-2.0 */
/* Closes the handle of a dead session on a thread of its own. */
#include "client/undertaker.h"

#include "client/client.h"
#include "client/clock.h"
#include "client/log_slot.h"

#include <zookeeper/zookeeper.h>

#define DRAIN_MS 1000
#define CLOSE_ANSWERED_WITHIN_MS 1400 /* zookeeper_close() waits 1500 ms for the server, and then says nothing of it */

static void drain(struct session *session)
{
    struct client *client = session->client;
    int64_t deadline = clock_after(clock_now(), DRAIN_MS);
    while (session->connected && session->outstanding != NULL && clock_now() < deadline) {
        condition_wait_until(&client->quiet, &client->mutex, deadline);
    }
}

static void *bury(void *context)
{
    struct session *session = context;
    struct client *client = session->client;
    pthread_mutex_lock(&client->mutex);
    drain(session);
    bool told = session->connected && session->outstanding == NULL;
    bool needs_telling = session->id != 0 && !session->over_on_server;
    zhandle_t *handle = session->handle;
    int64_t started = clock_now();
    pthread_mutex_unlock(&client->mutex);

    zookeeper_close(handle); /* joins its threads: the mutex, which their callbacks take, is not held */

    pthread_mutex_lock(&client->mutex);
    told = told && clock_now() - started < CLOSE_ANSWERED_WITHIN_MS * NANOSECONDS_PER_MILLISECOND;
    if (needs_telling && !told) {
        client->sessions_lingering++;
        log_line(&client->settings.logger, CURATOR_LOG_WARN,
                 "session 0x%llx could not be closed on the server; it may linger for %lld ms",
                 (unsigned long long)session->id, (long long)session->timeout_ms);
    }
    session_handle_closed(session);
    client->undertakers--;
    pthread_cond_broadcast(&client->quiet);
    pthread_mutex_unlock(&client->mutex); /* the last touch: whoever waits for undertakers == 0 may free the client */
    return NULL;
}

void undertaker_start(struct session *session)
{
    struct client *client = session->client;
    pthread_t thread;
    if (thread_start(&thread, bury, session) == 0) {
        client->undertakers++;
        pthread_detach(thread);
    } else {
        session->retiring = false; /* tried again after a while */
        session->retire_at = clock_after(clock_now(), DRAIN_MS);
        upkeep_schedule(&client->upkeep, &client->keep_up, session->retire_at);
    }
}
