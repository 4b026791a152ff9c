/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Allocations and thread starts that fail on request. The linker's --wrap puts these functions between the library,
 * which is linked in, and the C library; the ZooKeeper client, a shared library, is not affected.
 */
#ifndef FALLIBLE_H
#define FALLIBLE_H

#include <stdbool.h>

enum fallible_kind { FALLIBLE_MEMORY, FALLIBLE_THREADS };

/* From now on the nth request of that kind is refused, and with all_after every later one too. Whatever thread asks. */
void fallible_arm(enum fallible_kind kind, int nth, bool all_after);

/* Arming, before or after this, has no effect until fallible_begin(), from whatever thread. */
void fallible_postpone(void);
void fallible_begin(void);

/* Nothing is refused any more. Returns how many have been. */
int fallible_disarm(void);

/* How many have been refused since it was armed. */
int fallible_refused(void);

/* Nothing is refused to the calling thread. */
void fallible_exempt_this_thread(void);

/* How many blocks the library and this program have at the moment. */
long fallible_live_blocks(void);

#endif
