/* SPDX-License-Identifier: Apache-2.0 */
#include "contention.h"

#include "contender.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CONNECTING_AT_ONCE 20 /* more than that the server's queue of new connections does not take */
#define STACK_BYTES (256 * 1024)
#define MAX_HANDOFFS (1 << 18)

struct member {
    void *session; /* the first one's, where there is one session */
    void *lock;
    pthread_t thread;
    bool had_it;
};

/* All this is the main thread's, and only read by the members. */
static const struct lock_kind *kind;
static struct member *all_members;
static long size;
static bool one_session;
static long running;
static struct timespec hold;
static bool once;

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER; /* of all below */
static pthread_cond_t gate = PTHREAD_COND_INITIALIZER;
static bool gate_open = true;
static bool stopping;
static long acquires;
static long members_that_had_it;
static int64_t released_at;            /* 0: no release yet */
static int64_t handoffs[MAX_HANDOFFS]; /* nanoseconds; of which an unmeasured process touches none */
static long handoff_count;

static void connect_all(const char *connect_string, long sessions)
{
    for (long first = 0; first < sessions; first += CONNECTING_AT_ONCE) {
        long end = first + CONNECTING_AT_ONCE < sessions ? first + CONNECTING_AT_ONCE : sessions;
        for (long i = first; i < end; i++) {
            all_members[i].session = kind->open_session(connect_string);
        }
        for (long i = first; i < end; i++) {
            kind->await_connected(all_members[i].session);
        }
    }
}

void contention_open(const struct lock_kind *of, const char *connect_string, const char *path, long members,
                     bool in_one_session)
{
    kind = of;
    all_members = calloc((size_t)members, sizeof *all_members);
    if (all_members == NULL) {
        give_up("no memory for %ld members", members);
    }
    size = members;
    one_session = in_one_session;
    connect_all(connect_string, one_session ? 1 : size);
    for (long i = 0; i < size; i++) {
        all_members[i].session = all_members[one_session ? 0 : i].session;
        char own[640];
        snprintf(own, sizeof own, one_session ? "%s/%ld" : "%s", path, i);
        all_members[i].lock = kind->create(all_members[i].session, own);
    }
}

/* Only the holder calls this, so the last release is the one that handed the lock to it. */
static void note_acquired(struct member *member)
{
    int64_t now = monotonic_ns();
    pthread_mutex_lock(&guard);
    acquires++;
    members_that_had_it += member->had_it ? 0 : 1;
    member->had_it = true;
    if (!one_session && released_at != 0 && handoff_count < MAX_HANDOFFS) {
        handoffs[handoff_count++] = now - released_at;
    }
    while (!gate_open) {
        pthread_cond_wait(&gate, &guard);
    }
    pthread_mutex_unlock(&guard);
}

static void note_releasing(void)
{
    pthread_mutex_lock(&guard);
    released_at = monotonic_ns();
    pthread_mutex_unlock(&guard);
}

static bool shall_go_on(void)
{
    pthread_mutex_lock(&guard);
    bool result = !stopping;
    pthread_mutex_unlock(&guard);
    return result;
}

static void *take_part(void *context)
{
    struct member *member = context;
    do {
        kind->acquire(member->lock);
        note_acquired(member);
        if (hold.tv_nsec > 0 && shall_go_on()) {
            nanosleep(&hold, NULL);
        }
        if (!one_session) {
            note_releasing();
        }
        kind->release(member->lock);
    } while (!once && shall_go_on());
    return NULL;
}

static void start_members(long members, long hold_us)
{
    if (members > size || hold_us < 0 || hold_us >= 1000000) {
        give_up("cannot start %ld of %ld members that hold for %ld us", members, size, hold_us);
    }
    running = members;
    hold.tv_nsec = hold_us * 1000;
    acquires = members_that_had_it = handoff_count = 0;
    released_at = once ? monotonic_ns() : 0; /* when all queue up, the first hand-off is the first acquire */
    stopping = false;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    for (long i = 0; i < members; i++) {
        all_members[i].had_it = false;
    }
    for (long i = 0; i < members; i++) {
        if (pthread_create(&all_members[i].thread, &attributes, take_part, &all_members[i]) != 0) {
            give_up("no thread for member %ld", i);
        }
    }
    pthread_attr_destroy(&attributes);
}

static void await_members(void)
{
    for (long i = 0; i < running; i++) {
        pthread_join(all_members[i].thread, NULL);
    }
    running = 0;
}

void contention_start(long members, long hold_us)
{
    once = false;
    start_members(members, hold_us);
}

void contention_queue(long members, long hold_us)
{
    once = true;
    gate_open = false;
    start_members(members, hold_us);
}

void contention_go(void)
{
    pthread_mutex_lock(&guard);
    gate_open = true;
    pthread_cond_broadcast(&gate);
    pthread_mutex_unlock(&guard);
    await_members();
}

void contention_print_mark(void)
{
    pthread_mutex_lock(&guard);
    printf("%ld %" PRId64 " %ld", acquires, monotonic_ns(), members_that_had_it);
    handoff_count = 0;
    pthread_mutex_unlock(&guard);
}

void contention_print_handoffs(void)
{
    pthread_mutex_lock(&guard);
    for (long i = 0; i < handoff_count; i++) {
        printf("%" PRId64 " ", handoffs[i]);
    }
    pthread_mutex_unlock(&guard);
}

void contention_stop(void)
{
    pthread_mutex_lock(&guard);
    stopping = true;
    pthread_mutex_unlock(&guard);
    await_members();
}

void contention_close(void)
{
    for (long i = 0; i < size; i++) {
        kind->destroy(all_members[i].lock);
        if (!one_session || i == size - 1) {
            kind->close_session(all_members[i].session);
        }
    }
    free(all_members);
    all_members = NULL;
    size = 0;
}
