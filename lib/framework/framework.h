/* SPDX-License-Identifier: Apache-2.0 */
/* What CuratorFramework adds to a connection: states, name space, ACL, default data, and its own lifetime. */
#ifndef CURATOR_FRAMEWORK_FRAMEWORK_H
#define CURATOR_FRAMEWORK_FRAMEWORK_H

#include "base/log_queue.h"
#include "client/client.h"
#include "framework/callbacks.h"
#include "framework/connection_state.h"

#include <curator/framework.h>
#include <zookeeper/zookeeper.h>

/* The client's mutex guards everything that changes. Lives until it is closed and the last object made on it is gone.
 */
struct curator_framework {
    struct log_queue log_queue; /* has a mutex of its own */
    struct client client;
    struct callbacks callbacks;
    struct connection_state connection;
    char *name_space;      /* NULL: none */
    struct ACL_vector acl; /* empty: world:anyone */
    void *default_data;    /* NULL and no size: this host's address */
    size_t default_data_size;
    bool has_default_data;
    int references; /* the user's handle and each mutex */
    bool closed;
    bool without_containers; /* the server does not know them */
};

/* CURATOR_INVALID_ARGUMENT, CURATOR_FORKED, or CURATOR_OK. Touches nothing that is not constant. */
curator_status framework_check(const curator_framework *framework, const char *caller);

/* The calling thread is not cancelled between the two. */
void framework_lock(curator_framework *framework);
void framework_unlock(curator_framework *framework);

/* With the mutex held. */
void framework_ref(curator_framework *framework);

/* With the mutex held; releases it, since the framework may be gone then. */
void framework_unref_and_unlock(curator_framework *framework);

const struct ACL_vector *framework_acl(const curator_framework *framework);

/* The most that the default data can have, whatever this host's address turns out to be. */
size_t framework_default_data_room(const curator_framework *framework);

/* With the mutex held, in a session: what a lock node contains if the recipe has no data of its own. */
const void *framework_default_data(const curator_framework *framework, size_t *size);

#endif
