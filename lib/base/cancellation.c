/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps pthread_cancel() out of the library's calls. */
#include "base/cancellation.h"

#include <pthread.h>

int cancellation_off(void)
{
    int before = PTHREAD_CANCEL_ENABLE;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    return before;
}

void cancellation_restore(int before)
{
    pthread_setcancelstate(before, NULL);
}
