/* SPDX-License-Identifier: Apache-2.0 */
/* What the background does for a discarded node. Compare FailedDeleteManager. With the client's mutex held. */
#ifndef CURATOR_FRAMEWORK_GUARANTEED_DELETE_H
#define CURATOR_FRAMEWORK_GUARANTEED_DELETE_H

#include "framework/protected_node.h"

void guaranteed_delete_init(struct protected_node *node);

/* Takes the next step, if one can be taken now: search, delete, or be done. May free the node. */
void guaranteed_delete_advance(struct protected_node *node);

/* Draws the conclusion from a list of the parent's children that is newer than the create. False: out of memory. */
bool protected_node_found(struct protected_node *node, const struct name_list *children);

#endif
