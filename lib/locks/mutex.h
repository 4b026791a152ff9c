/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of a mutex, as far as other recipes use them. Compare InterProcessMutex. */
#ifndef CURATOR_LOCKS_MUTEX_H
#define CURATOR_LOCKS_MUTEX_H

#include "locks/mutex_object.h"

/* Also destroys a side of a read-write lock. */
curator_status mutex_destroy(curator_mutex *mutex, const char *caller);

#endif
