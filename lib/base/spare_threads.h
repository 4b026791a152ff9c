/* SPDX-License-Identifier: Apache-2.0 */
/* Whether threads can be started, for calls that cannot say that they failed to. */
#ifndef CURATOR_BASE_SPARE_THREADS_H
#define CURATOR_BASE_SPARE_THREADS_H

#define MAX_SPARE_THREADS 2

/* 0 or an errno value. Starts so many threads and returns when the system has taken them back. */
int spare_threads_try(int count);

#endif
