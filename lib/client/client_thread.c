/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that end by themselves and are joined afterwards. */
#include "client/client_thread.h"

#include "client/client.h"

#include <errno.h>
#include <stdlib.h>
#include <utlist.h>

struct client_thread {
    struct client_thread *prev, *next; /* client->threads, then client->ended */
    pthread_t thread;                  /* set before the mutex is let go of, which the thread takes to say its end */
};

int client_thread_start(struct client *client, void *(*run)(void *), void *context)
{
    struct client_thread *thread = malloc(sizeof *thread);
    if (thread == NULL) {
        return ENOMEM;
    }
    int rc = thread_start(&thread->thread, run, context);
    if (rc != 0) {
        free(thread);
        return rc;
    }
    DL_APPEND(client->threads, thread);
    return 0;
}

void client_thread_ends(struct client *client)
{
    struct client_thread *thread, *next;
    DL_FOREACH_SAFE (client->threads, thread, next) {
        if (pthread_equal(thread->thread, pthread_self()) != 0) {
            DL_DELETE(client->threads, thread);
            DL_APPEND(client->ended, thread);
            timer_schedule(&client->timers, &client->join, 0);
        }
    }
}

static void free_all(struct client_thread *threads)
{
    struct client_thread *thread, *next;
    DL_FOREACH_SAFE (threads, thread, next) {
        free(thread);
    }
}

void client_thread_join(struct client *client)
{
    struct client_thread *ended = client->ended;
    client->ended = NULL;
    pthread_mutex_unlock(&client->mutex);
    struct client_thread *thread;
    DL_FOREACH (ended, thread) {
        pthread_join(thread->thread, NULL);
    }
    free_all(ended);
    pthread_mutex_lock(&client->mutex);
}

void client_thread_forget(struct client *client)
{
    free_all(client->threads);
    client->threads = NULL;
}
