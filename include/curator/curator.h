/* SPDX-License-Identifier: Apache-2.0 */
/* Every public header of the library. */
#ifndef CURATOR_CURATOR_H
#define CURATOR_CURATOR_H

#include <curator/framework.h>
#include <curator/log.h>
#include <curator/mutex.h>
#include <curator/read_write_lock.h>
#include <curator/retry.h>
#include <curator/status.h>

#endif
