/* SPDX-License-Identifier: Apache-2.0 */
/* Asking a holder to let go: a message written to its node's data. Compare Revocable and Revoker. */
#ifndef CURATOR_LOCKS_REVOCATION_H
#define CURATOR_LOCKS_REVOCATION_H

#include "locks/mutex.h"

void revocation_init(struct curator_mutex *mutex);

/*
 * With the framework's mutex held: draws the conclusion from an answer to reading our own node. The listener is told if
 * the message has been written since the last look.
 */
void revocation_look(struct curator_mutex *mutex, struct protected_node *node, const struct request *read);

#endif
