/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The generation stands in a page that the kernel fills with zeros in every child (Linux 4.14), however the child was
 * made: _Fork() and clone() run no handlers of pthread_atfork(). A child that finds zero takes the next number. vfork()
 * shares the parent's memory and changes nothing.
 */
#include "base/fork.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

/* Not below any generation in use, so that a child's number is new whatever its parent was about to do. */
static atomic_uint newest;

/* What is wiped in a child. Points to the page, or to `kept`, which a handler wipes, but only at fork(). */
static _Atomic(atomic_uint *) mark;
static atomic_uint kept;

#ifdef MADV_WIPEONFORK
static atomic_uint *page_wiped_on_fork(void)
{
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) {
        return NULL;
    }
    /* Some emulators accept every advice and follow none. */
    bool advice_counts = madvise(page, size, -1) != 0;
    if (!advice_counts || madvise(page, size, MADV_WIPEONFORK) != 0) {
        munmap(page, size);
        return NULL;
    }
    return page;
}

static void give_back(atomic_uint *page)
{
    munmap(page, (size_t)sysconf(_SC_PAGESIZE));
}
#else
static atomic_uint *page_wiped_on_fork(void)
{
    return NULL;
}

static void give_back(atomic_uint *page)
{
    (void)page;
}
#endif

static void wipe(void)
{
    atomic_store_explicit(&kept, 0, memory_order_relaxed);
}

/* Several threads may do so at once: one of their marks stays. NULL: out of memory. */
static atomic_uint *make_mark(void)
{
    atomic_uint *page = page_wiped_on_fork();
    atomic_uint *made = page;
    if (made == NULL && pthread_atfork(NULL, NULL, wipe) == 0) {
        made = &kept;
    }
    atomic_uint *other = NULL;
    if (made == NULL || atomic_compare_exchange_strong(&mark, &other, made)) {
        return made;
    }
    if (page != NULL) {
        give_back(page);
    }
    return other;
}

/* The first call in this process, or several at once. */
static unsigned begin_generation(atomic_uint *where)
{
    unsigned next = atomic_fetch_add(&newest, 1) + 1;
    unsigned found = 0;
    return atomic_compare_exchange_strong(where, &found, next) ? next : found;
}

unsigned fork_generation(void)
{
    atomic_uint *where = atomic_load_explicit(&mark, memory_order_acquire);
    if (where == NULL) {
        where = make_mark();
    }
    if (where == NULL) {
        return 0;
    }
    unsigned generation = atomic_load_explicit(where, memory_order_relaxed);
    return generation != 0 ? generation : begin_generation(where);
}
