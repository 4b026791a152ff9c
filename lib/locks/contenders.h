/* SPDX-License-Identifier: Apache-2.0 */
/* The list of holders and waiters, with what their nodes say. Caller holds client->mutex. */
#ifndef CURATOR_LOCKS_CONTENDERS_H
#define CURATOR_LOCKS_CONTENDERS_H

#include "client/call.h"
#include "locks/mutex_object.h"

#include <curator/contenders.h>

/* Lists the children of the mutex. Releases client->mutex for a while. */
curator_status contenders_list(const curator_mutex *mutex, struct call *call, curator_contenders **out);

#endif
