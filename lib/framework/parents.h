/* SPDX-License-Identifier: Apache-2.0 */
/* Creates what is missing of a path, as containers. Compare ZKPaths.mkdirs(). */
#ifndef CURATOR_FRAMEWORK_PARENTS_H
#define CURATOR_FRAMEWORK_PARENTS_H

#include "client/call.h"
#include "framework/framework.h"

/* How it ended. */
struct parents_failure {
    int rc; /* ZOK: the path existed at some moment */
    const char *operation;
    size_t length; /* of the path that it happened on */
};

/* Caller holds client->mutex. CURATOR_OK: the server has answered, see *failure. */
curator_status parents_create(curator_framework *framework, struct call *call, struct session *session,
                              const char *path, struct parents_failure *failure);

#endif
