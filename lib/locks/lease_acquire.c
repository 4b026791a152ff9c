/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How leases are acquired, as Curator does it: under the semaphore's lock the nodes of the leases are created, and they
 * are granted when the directory has no more children than the maximum. The lock is held while that is waited for, so
 * only one contender waits there, whose nodes are the newest.
 *
 * Nobody can be granted a lease beyond the maximum, even without the lock: all nodes that were granted and not deleted
 * since are in the list, with ours. The lock gives the order, and keeps those who wait from waiting for each other.
 *
 * All nodes are created at once, then waited for. Contenders that took some and waited for more would block each other.
 */
#include "locks/lease_acquire.h"

#include "framework/guaranteed_delete.h"
#include "locks/acquire.h"
#include "locks/lease_attempt.h"
#include "zk/session_lease.h"

#include <stdio.h>
#include <stdlib.h>
#include <utlist.h>

static curator_status fail_not_free(const struct lease_attempt *attempt)
{
    return call_fail(attempt->base.call, CURATOR_TIMED_OUT, "not free: %zu wanted, and %zu of %d are taken",
                     attempt->wanted, attempt->others, attempt->semaphore->maximum);
}

static const char *leases_waited_for(struct lease_attempt *attempt)
{
    snprintf(attempt->base.waiting_for, sizeof attempt->base.waiting_for, "%zu of %d leases, of which %zu are taken",
             attempt->wanted, attempt->semaphore->maximum, attempt->others);
    return attempt->base.waiting_for;
}

/* Until the children have to be listed again. */
static curator_status wait_for_change(struct lease_attempt *attempt)
{
    struct call *call = attempt->base.call;
    call->retries = 0; /* queued: what fails from now on is a new failure */
    while (!attempt->base.look_again) {
        call->waiting_for = leases_waited_for(attempt);
        curator_status status = call_wait(call, NEVER);
        if (status != CURATOR_OK) {
            return status;
        }
    }
    return CURATOR_OK;
}

/* The list was too long. The next one sets the watch; only behind such a list it is waited. */
static curator_status wait_for_next_list(struct lease_attempt *attempt, bool once)
{
    bool listed_with_watch = attempt->waits;
    attempt->others = attempt->base.children->children->count - attempt->wanted;
    if (once) {
        return fail_not_free(attempt);
    }
    lease_attempt_forget_list(attempt);
    return listed_with_watch ? wait_for_change(attempt) : lease_attempt_begin_waiting(attempt);
}

static curator_status wait_for_leases(struct lease_attempt *attempt, bool once)
{
    for (;;) {
        curator_status status = lease_attempt_await_list(attempt);
        if (status != CURATOR_OK) {
            return status;
        }
        if (attempt->base.children->children->count > (size_t)attempt->semaphore->maximum) {
            status = wait_for_next_list(attempt, once);
        } else if (attempt_lease_suffices(&attempt->base)) {
            return CURATOR_OK;
        } else {
            status = attempt_await_lease(&attempt->base); /* of the session, which is over or about to be */
            lease_attempt_forget_list(attempt);           /* it is old by now */
        }
        if (status != CURATOR_OK) {
            return status;
        }
    }
}

static curator_status lease_attempt_begin(struct lease_attempt *attempt, bool once)
{
    struct lock_node *lock;
    struct call *call = attempt->base.call;
    attempt->leases = calloc(attempt->wanted, sizeof *attempt->leases);
    if (attempt->leases == NULL) {
        return call_fail(call, CURATOR_NO_MEMORY, "no memory");
    }
    curator_status status = acquire_lock(attempt->semaphore->lock, call, once, &lock);
    if (status == CURATOR_OK) {
        lease_attempt_init(attempt, lock);
    } else if (once && status == CURATOR_TIMED_OUT) {
        call_fail(call, status, "another contender takes a lease at this moment, or waits for one");
    }
    return status;
}

/* Deletes all nodes: the leases' first, so that the next owner of the lock does not count them. */
static void delete_nodes(struct lease_attempt *attempt, bool wait)
{
    struct session *session = attempt->base.session;
    int64_t until = clock_after(clock_now(), CLEAN_UP_MS);
    for (size_t i = 0; i <= attempt->wanted; i++) {
        struct attempt_node *node = i < attempt->wanted ? &attempt->leases[i] : &attempt->lock;
        if (node->node != NULL) {
            node->znode = node->node->znode;
            protected_node_ref(node->znode);
            attempt_node_delete(node);
        }
    }
    for (size_t i = 0; i <= attempt->wanted; i++) {
        struct protected_node *znode = i < attempt->wanted ? attempt->leases[i].znode : attempt->lock.znode;
        if (znode != NULL && wait && session_usable(session)) {
            guaranteed_delete_await(znode, attempt->base.call, until);
        }
        if (znode != NULL) {
            protected_node_unref(znode);
        }
    }
}

static void take_back(curator_semaphore *semaphore, struct curator_lease *lease)
{
    guaranteed_delete(lock_data_remove(lease->lock_data));
    lease->lock_data = NULL;
    DL_DELETE(semaphore->granted, lease);
}

/* The nodes become leases. */
static curator_status grant(struct lease_attempt *attempt, curator_semaphore *semaphore, struct curator_lease **leases)
{
    for (size_t i = 0; i < attempt->wanted; i++) {
        struct lock_node *node = attempt->leases[i].node;
        node->token = node->znode->czxid;
        leases[i]->lock_data = lock_data_add(attempt->base.mutex, node, (uint64_t)node->token);
        if (leases[i]->lock_data == NULL) {
            for (size_t j = 0; j < i; j++) {
                take_back(semaphore, leases[j]);
            }
            return call_fail(attempt->base.call, CURATOR_NO_MEMORY, "no memory");
        }
        attempt->leases[i].node = NULL;
        DL_APPEND(semaphore->granted, leases[i]);
    }
    framework_log(semaphore->framework, CURATOR_LOG_DEBUG, "acquire %s: %zu of %d leases granted after %.3f ms",
                  semaphore->path, attempt->wanted, semaphore->maximum, clock_ms_since(attempt->base.call->started));
    return CURATOR_OK;
}

static curator_status lease_attempt_end(struct lease_attempt *attempt, curator_status status,
                                        curator_semaphore *semaphore, struct curator_lease **leases)
{
    if (attempt->base.session != NULL) {
        attempt->base.call->waiting_for = "another attempt"; /* not a text of this one */
        lease_attempt_forget_list(attempt);
        watch_remove(attempt->base.session, &attempt->watch);
        status = status == CURATOR_OK ? grant(attempt, semaphore, leases) : status;
        delete_nodes(attempt, status != CURATOR_OK && status != LOCK_RESTART); /* another attempt need not wait */
        session_unref(attempt->base.session);
    }
    free(attempt->leases);
    return status;
}

curator_status leases_acquire(curator_semaphore *semaphore, struct call *call, bool once, struct curator_lease **leases,
                              size_t count)
{
    for (;;) {
        struct lease_attempt attempt = {
            .base = {.mutex = semaphore->leases, .call = call}, .semaphore = semaphore, .wanted = count};
        curator_status status = lease_attempt_begin(&attempt, once);
        if (status == CURATOR_OK) {
            status = lease_attempt_create_nodes(&attempt);
        }
        if (status == CURATOR_OK) {
            status = wait_for_leases(&attempt, once);
        }
        status = lease_attempt_end(&attempt, status, semaphore, leases);
        if (status != LOCK_RESTART) {
            return status;
        }
        status = call_retry(call, attempt.base.rc);
        if (status != CURATOR_OK) {
            return status;
        }
    }
}
