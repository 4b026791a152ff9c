/* SPDX-License-Identifier: Apache-2.0 */
/* A thread's identity that is never used again, unlike pthread_self(), so that no later thread inherits a lock. */
#ifndef CURATOR_BASE_THREAD_ID_H
#define CURATOR_BASE_THREAD_ID_H

#include <stdint.h>

uint64_t thread_id(void);

#endif
