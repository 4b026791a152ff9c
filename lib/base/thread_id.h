/* SPDX-License-Identifier: Apache-2.0 */
/* A thread's identity that is never used again, unlike pthread_self(), so that no later thread inherits a lock. */
#ifndef CURATOR_BASE_THREAD_ID_H
#define CURATOR_BASE_THREAD_ID_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

uint64_t thread_id(void);

/* The system's number of the calling thread, which debuggers and ps -L show. A later thread may get it again. */
pid_t thread_system_id(void);

/*
 * Whether the thread of this process that had this number has certainly ended. False: it has not, or another thread has
 * its number by now, or the system does not say.
 */
bool thread_has_ended(pid_t system_id);

#endif
