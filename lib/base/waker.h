/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a blocking call sleeps on. Wakers are used again and freed with the client, so one can be signalled without the
 * mutex, after its call has ended and even while it serves the next: a signal too many makes a call look again. Calls
 * for which there is no memory share one, so that no call, least of all a release, fails for want of it.
 */
#ifndef CURATOR_BASE_WAKER_H
#define CURATOR_BASE_WAKER_H

#include <pthread.h>
#include <stdbool.h>

struct waker {
    struct waker *prev, *next; /* among the taken, or the idle ones */
    pthread_cond_t condition;
};

/* All zero before wakers_init(). Guarded by the mutex of its owner. */
struct wakers {
    struct waker *idle;
    struct waker *taken; /* in the order in which they were */
    struct waker shared;
    int sharing;           /* how many have taken that one */
    bool deferring;        /* the thread with the mutex signals when it has released it */
    struct waker *pending; /* whom */
};

int wakers_init(struct wakers *wakers); /* 0 or an errno value */
struct waker *waker_take(struct wakers *wakers);
void waker_give_back(struct wakers *wakers, struct waker *waker);
void waker_signal(struct wakers *wakers, struct waker *waker);
void wakers_signal_all(struct wakers *wakers);

/*
 * Around what the ZooKeeper client's threads do under the mutex, so that who is woken does not run into it at once. No
 * wake-up is lost: who is to be woken sees under the mutex what has changed, or waits already and gets the signal.
 */
void wakers_lock(struct wakers *wakers, pthread_mutex_t *mutex);
void wakers_unlock(struct wakers *wakers, pthread_mutex_t *mutex);

void wakers_free(struct wakers *wakers);

#endif
