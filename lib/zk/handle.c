/* SPDX-License-Identifier: Apache-2.0 */
/* Opens handles of the ZooKeeper client. */
#include "zk/handle.h"

#include "base/spare_threads.h"
#include "base/thread.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>

#define THREADS 2 /* of a handle */
#define OPENED_WAIT_MS 20

/*
 * Held from the try of threads until they are started, so that frameworks which open sessions at the same time do not
 * take each other's threads, and so that a handle's threads have numbers next to each other. Nothing is waited for
 * under it but the start and the end of threads. No other lock is taken under it, and the group's mutex is not held.
 */
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t fork_handled = PTHREAD_ONCE_INIT;

/* The thread that held it does not exist in the child. */
static void free_after_fork(void)
{
    opening = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

static void handle_fork(void)
{
    pthread_atfork(NULL, NULL, free_after_fork);
}

/* The handle's threads inherit the mask, and the name. */
static zhandle_t *init_handle(const struct handle_options *options, struct handle_descriptors *descriptors,
                              struct naming *naming, int *error)
{
    sigset_t before;
    signals_block(&before);
    *naming = close_on_exec_name(descriptors);
    errno = 0;
    zhandle_t *handle = zookeeper_init2(options->servers, options->watcher, (int)options->timeout_ms, options->id,
                                        options->context, ZOO_NO_LOG_CLIENTENV, options->log);
    *error = errno;
    close_on_exec_unname(naming);
    signals_restore(&before);
    return handle;
}

/*
 * zookeeper_init2() aborts the process if it cannot start its threads, so they are tried beforehand. What is left: a
 * thread of the program, or another process under the same limit, takes the last ones in between.
 */
static zhandle_t *init_handle_if_threads(const struct handle_options *options, struct handle_descriptors *descriptors,
                                         struct naming *naming, int *error)
{
    pthread_once(&fork_handled, handle_fork);
    pthread_mutex_lock(&opening);
    *error = spare_threads_try(THREADS);
    zhandle_t *handle = *error == 0 ? init_handle(options, descriptors, naming, error) : NULL;
    pthread_mutex_unlock(&opening);
    return handle;
}

zhandle_t *handle_open(const struct handle_options *options, struct handle_descriptors *descriptors,
                       enum close_on_exec *marked, int *error)
{
    struct naming naming;
    zhandle_t *handle = init_handle_if_threads(options, descriptors, &naming, error);
    if (handle == NULL) {
        return NULL;
    }
    zoo_set_servers_resolution_delay(handle, -1); /* the addresses are numeric; no look-ups in the I/O thread */
    close_on_exec_find_threads(descriptors, &naming);
    /* Nobody can learn of a connection before the I/O thread has run once. */
    *marked = close_on_exec_watch(descriptors, OPENED_WAIT_MS);
    return handle;
}
