/* SPDX-License-Identifier: Apache-2.0 */
/* What a release answers, of a mutex and of a lease. Caller holds client->mutex. */
#ifndef CURATOR_LOCKS_RELEASE_H
#define CURATOR_LOCKS_RELEASE_H

#include "client/call.h"
#include "framework/protected_node.h"

/* The status of a release that gives its node up, by how far the deletion of that is. */
curator_status release_judge(const struct call *call, const struct protected_node *node);

#endif
