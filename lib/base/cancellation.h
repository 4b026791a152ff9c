/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread in a call of the library is not cancelled there: it may hold a mutex of the library, and what it waits with
 * is on its stack. pthread_cancel() takes effect at the thread's first cancellation point after the call.
 */
#ifndef CURATOR_BASE_CANCELLATION_H
#define CURATOR_BASE_CANCELLATION_H

/* What it was before, for cancellation_restore(). May be nested. */
int cancellation_off(void);
void cancellation_restore(int before);

#endif
