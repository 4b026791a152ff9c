/* SPDX-License-Identifier: Apache-2.0 */
/* Creates what is missing of a path, as containers. Compare ZKPaths.mkdirs(). */
#ifndef CURATOR_FRAMEWORK_PARENTS_H
#define CURATOR_FRAMEWORK_PARENTS_H

#include "client/call.h"
#include "framework/framework.h"

/*
 * With the client's mutex held. CURATOR_OK with *rc ZOK: the path was there at some moment. CURATOR_OK with another
 * *rc: why not; *failed is then the length of the path that it happened on, and *operation what was tried.
 */
struct parents_failure {
    int rc;
    const char *operation;
    size_t length;
};
curator_status parents_create(curator_framework *framework, struct call *call, struct session *session,
                              const char *path, struct parents_failure *failure);

#endif
