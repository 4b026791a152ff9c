/* SPDX-License-Identifier: Apache-2.0 */
/* Asking a holder to release: a message written to its node's data. Compare Revocable and Revoker. */
#ifndef CURATOR_LOCKS_REVOCATION_H
#define CURATOR_LOCKS_REVOCATION_H

#include "zk/request.h"

/* Whether the data read from a node is the message. */
bool revocation_is_message(const struct request *read);

#endif
