/* SPDX-License-Identifier: Apache-2.0 */
/* Many mutexes of the library's session, to see what each costs. Every call ends the process when it fails. */
#ifndef BENCH_IDLE_MUTEXES_H
#define BENCH_IDLE_MUTEXES_H

#include <stddef.h>

void mutexes_create(const char *path, long count); /* on PATH/0, PATH/1, ...; held by nobody */
void mutexes_acquire_all(void);                    /* all of them, by the calling thread */
void mutexes_destroy_all(void);                    /* releases what is held, destroys them all */
size_t heap_bytes(void);                           /* in use */

#endif
