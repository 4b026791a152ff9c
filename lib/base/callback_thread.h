/* SPDX-License-Identifier: Apache-2.0 */
/* The threads on which the ZooKeeper client runs callbacks: a call that waits there would wait for itself. */
#ifndef CURATOR_BASE_CALLBACK_THREAD_H
#define CURATOR_BASE_CALLBACK_THREAD_H

#include <stdbool.h>

/* Marks the calling thread as one of them. A child process that it forks is none. */
void callback_thread_mark(void);

bool callback_thread_is_current(void);

#endif
