/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deletes a protected node in the background, until the server confirms it or the session is over. Compare
 * FailedDeleteManager. Caller holds client->mutex.
 */
#ifndef CURATOR_FRAMEWORK_GUARANTEED_DELETE_H
#define CURATOR_FRAMEWORK_GUARANTEED_DELETE_H

#include "framework/protected_node.h"

/* How long a call that is over waits for its node's delete to be confirmed. */
#define CLEAN_UP_MS 50

/* Whatever state the node is in, also while its create is on its way. Takes over the caller's reference. */
void guaranteed_delete(struct protected_node *node);

/* Whether nodes of ours under this parent (full path) are discarded, and may still exist. */
bool guaranteed_delete_any(const curator_framework *framework, const char *parent);

/*
 * The discarded node of this full path: its deletion is pending, or was refused, so that it stays until its session is
 * over. NULL: the path is none of these.
 */
const struct protected_node *guaranteed_delete_find(const curator_framework *framework, const char *path);

/*
 * With a reference of one's own: waits for the end of the deletion, at most until a time, CLEAN_UP_MS after an
 * interrupt, or the closing of the framework. False: it goes on.
 */
bool guaranteed_delete_await(struct protected_node *node, struct call *call, int64_t until);

#endif
