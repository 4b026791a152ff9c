/* SPDX-License-Identifier: Apache-2.0 */
/* Opens handles of the ZooKeeper client: without an abort for want of threads, and with descriptors that no executed
 * program inherits. */
#ifndef CURATOR_ZK_HANDLE_H
#define CURATOR_ZK_HANDLE_H

#include "zk/close_on_exec.h"

#include <stdint.h>
#include <zookeeper/zookeeper.h>

struct handle_options {
    const char *servers; /* numeric addresses */
    int64_t timeout_ms;
    const clientid_t *id; /* NULL: a new session */
    watcher_fn watcher;
    void *context;
    log_callback_fn log;
};

/*
 * Blocks for as long as it takes two threads to start. NULL with *error set to an errno value. The handle's threads
 * receive none of the program's signals. *marked says whether the descriptors are close-on-exec.
 */
zhandle_t *handle_open(const struct handle_options *options, struct handle_descriptors *descriptors,
                       enum close_on_exec *marked, int *error);

#endif
