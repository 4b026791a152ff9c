/* SPDX-License-Identifier: Apache-2.0 */
/* What a client is opened with. */
#ifndef CURATOR_CLIENT_CLIENT_SETTINGS_H
#define CURATOR_CLIENT_CLIENT_SETTINGS_H

#include "client/connect_string.h"
#include "zk/session_group.h"

#include <curator/log.h>
#include <curator/retry.h>
#include <curator/tracer.h>

#include <stdbool.h>
#include <stdint.h>

/* Set once before the client starts; the strings belong to the client. */
struct client_settings {
    struct connect_string *servers;
    int64_t session_timeout_ms;
    int64_t connection_timeout_ms;
    curator_retry_policy retry_policy;
    char *auth_scheme;
    char *auth_credentials;
    curator_logger logger;   /* queues; the user's own never runs under a lock, see log_queue.h */
    curator_tracer tracer;   /* likewise */
    bool wants_host_address; /* have this host's own address looked up too */
    /* Called with the mutex held when something happens to the current session. It must not block. */
    void (*session_changed)(void *context, enum session_event event);
    /* Called with the mutex held: whether the user has been told all. client->quiet is signalled when that changes. */
    bool (*callbacks_are_idle)(const void *context);
    void *context;
};

void client_settings_free(struct client_settings *settings);

#endif
