/* SPDX-License-Identifier: Apache-2.0 */
/* What a blocking call sleeps on. */
#include "base/waker.h"

#include "base/clock.h"

#include <stdlib.h>
#include <utlist.h>

int wakers_init(struct wakers *wakers)
{
    return condition_init(&wakers->shared.condition);
}

static struct waker *waker_create(void)
{
    struct waker *waker = malloc(sizeof *waker);
    if (waker != NULL && condition_init(&waker->condition) != 0) {
        free(waker);
        waker = NULL;
    }
    return waker;
}

struct waker *waker_take(struct wakers *wakers)
{
    struct waker *waker = wakers->idle;
    if (waker != NULL) {
        LL_DELETE(wakers->idle, waker);
    } else {
        waker = waker_create();
    }
    if (waker == NULL) {
        wakers->sharing++;
        return &wakers->shared;
    }
    DL_APPEND(wakers->taken, waker);
    return waker;
}

void waker_give_back(struct wakers *wakers, struct waker *waker)
{
    if (waker == &wakers->shared) {
        wakers->sharing--;
        return;
    }
    DL_DELETE(wakers->taken, waker);
    LL_PREPEND(wakers->idle, waker);
}

void waker_signal(struct wakers *wakers, struct waker *waker)
{
    if (wakers->deferring && (wakers->pending == NULL || wakers->pending == waker)) {
        wakers->pending = waker;
    } else {
        pthread_cond_broadcast(&waker->condition);
    }
}

void wakers_signal_all(struct wakers *wakers)
{
    struct waker *waker;
    DL_FOREACH (wakers->taken, waker) {
        waker_signal(wakers, waker);
    }
    if (wakers->sharing > 0) {
        waker_signal(wakers, &wakers->shared);
    }
}

void wakers_lock(struct wakers *wakers, pthread_mutex_t *mutex)
{
    pthread_mutex_lock(mutex);
    wakers->deferring = true;
}

void wakers_unlock(struct wakers *wakers, pthread_mutex_t *mutex)
{
    struct waker *waker = wakers->pending;
    wakers->deferring = false;
    wakers->pending = NULL;
    pthread_mutex_unlock(mutex);
    if (waker != NULL) {
        pthread_cond_broadcast(&waker->condition);
    }
}

void wakers_free(struct wakers *wakers)
{
    struct waker *waker, *next;
    LL_FOREACH_SAFE (wakers->idle, waker, next) {
        pthread_cond_destroy(&waker->condition);
        free(waker);
    }
    wakers->idle = NULL;
    pthread_cond_destroy(&wakers->shared.condition);
}
