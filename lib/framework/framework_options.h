/* SPDX-License-Identifier: Apache-2.0 */
/* Checks and copies the caller's options. */
#ifndef CURATOR_FRAMEWORK_FRAMEWORK_OPTIONS_H
#define CURATOR_FRAMEWORK_FRAMEWORK_OPTIONS_H

#include <curator/framework.h>
#include <zookeeper/zookeeper.h>

struct client_settings;

/* Those that the framework itself needs. Constant while it is open. */
struct framework_options {
    char *name_space;      /* NULL: none */
    struct ACL_vector acl; /* empty: world:anyone */
    void *default_data;    /* as it is written; NULL and no size: this host's address */
    size_t default_data_size;
    bool has_default_data;
    bool compresses; /* what it writes */
};

/* Fills the copy and the client's settings. After a failure both are freed by the caller, as after a success. */
curator_status framework_options_read(struct framework_options *copy, struct client_settings *settings,
                                      const curator_framework_options *options);

void framework_options_free(struct framework_options *options);

#endif
