/* SPDX-License-Identifier: Apache-2.0 */
#include "base/waker.h"

#include "base/wait_group.h"

#include <criterion/criterion.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Whether that one, and no other before it, is to be woken. */
static bool is_woken(struct wakers *wakers, const struct waker *waker)
{
    bool woken = wakers->pending == waker;
    wakers_unlock(wakers, &mutex);
    wakers_lock(wakers, &mutex);
    return woken;
}

Test(waker, is_used_again)
{
    struct wakers wakers = {0};
    cr_assert_eq(wakers_init(&wakers), 0);
    struct waker *first = waker_take(&wakers), *second = waker_take(&wakers);
    cr_assert_neq(first, second);
    waker_give_back(&wakers, first);
    cr_assert_eq(waker_take(&wakers), first);
    waker_give_back(&wakers, second);
    waker_give_back(&wakers, first);
    wakers_free(&wakers);
}

Test(waker, all_that_are_taken_are_signalled_and_no_other)
{
    struct wakers wakers = {0};
    cr_assert_eq(wakers_init(&wakers), 0);
    struct waker *idle = waker_take(&wakers), *taken = waker_take(&wakers);
    waker_give_back(&wakers, idle);
    wakers_lock(&wakers, &mutex);
    wakers_signal_all(&wakers);
    cr_assert(is_woken(&wakers, taken));
    waker_give_back(&wakers, taken);
    wakers_signal_all(&wakers);
    cr_assert(is_woken(&wakers, NULL));
    wakers.sharing = 1; /* without memory for one of its own */
    wakers_signal_all(&wakers);
    cr_assert(is_woken(&wakers, &wakers.shared));
    waker_give_back(&wakers, &wakers.shared);
    wakers_signal_all(&wakers);
    cr_assert(is_woken(&wakers, NULL));
    wakers_unlock(&wakers, &mutex);
    wakers_free(&wakers);
}

Test(wait_group, wakes_at_the_last_that_is_done)
{
    struct wakers wakers = {0};
    cr_assert_eq(wakers_init(&wakers), 0);
    struct waker *waker = waker_take(&wakers);
    struct wait_group group = {.wakers = &wakers, .waker = waker};
    wakers_lock(&wakers, &mutex);
    wait_group_add(&group);
    wait_group_add(&group);
    wait_group_done(&group);
    cr_assert(is_woken(&wakers, NULL));
    wait_group_done(&group);
    cr_assert(is_woken(&wakers, waker));
    wait_group_add(&group);
    wait_group_forget(&group);
    cr_assert(is_woken(&wakers, NULL));
    cr_assert_eq(group.pending, 0);
    wakers_unlock(&wakers, &mutex);
    waker_give_back(&wakers, waker);
    wakers_free(&wakers);
}
