/* SPDX-License-Identifier: Apache-2.0 */
/* Opens handles of the ZooKeeper client. */
#include "client/handle.h"

#include "client/spare_threads.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>

#define THREADS 2 /* of a handle */
#define OPENED_WAIT_MS 20

/* zookeeper_init2() aborts the process if it cannot start its threads, so they are tried beforehand. What is left: another
 * thread, or another process under the same limit, takes the last ones in between. */
static zhandle_t *init(const struct handle_options *options, int *error)
{
    *error = spare_threads_try(THREADS);
    if (*error != 0) {
        return NULL;
    }
    errno = 0;
    zhandle_t *handle = zookeeper_init2(options->servers, options->watcher, (int)options->timeout_ms, options->id,
                                        options->context, ZOO_NO_LOG_CLIENTENV, options->log);
    *error = errno;
    return handle;
}

zhandle_t *handle_open(const struct handle_options *options, struct handle_descriptors *descriptors,
                       enum close_on_exec *marked, int *error)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* the handle's threads inherit the mask, and the name */
    struct naming naming = close_on_exec_name(descriptors);
    zhandle_t *handle = init(options, error);
    close_on_exec_unname(&naming);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (handle == NULL) {
        return NULL;
    }
    zoo_set_servers_resolution_delay(handle, -1); /* the addresses are numeric; no look-ups in the I/O thread */
    *marked = close_on_exec_find_threads(descriptors, &naming);
    if (*marked == MARKED) {
        /* Until the I/O thread has been let run once, nobody can be told of a connection either. */
        *marked = close_on_exec_watch(descriptors, OPENED_WAIT_MS);
    }
    return handle;
}
