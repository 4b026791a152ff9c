/* SPDX-License-Identifier: Apache-2.0 */
/* The sentences about who holds a lock, and how it was lost. */
#include "locks/lock_errors.h"

#include "base/error.h"
#include "base/gzip.h"
#include "base/thread_id.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* The other threads that hold; one that has lost the lock counts only if no other holds it. */
struct holders {
    const struct lock_data *first;
    size_t count;
    bool lost;
};

static struct holders find_holders(const curator_mutex *mutex)
{
    struct holders holders = {.lost = false};
    struct lock_data *lock_data, *next;
    HASH_ITER (hh, mutex->lock_data_by_thread, lock_data, next) {
        bool lost = lock_data_is_lost(lock_data);
        if (holders.first == NULL || (holders.lost && !lost)) {
            holders = (struct holders){.first = lock_data, .lost = lost};
        }
        holders.count += lost == holders.lost ? 1 : 0;
    }
    return holders;
}

curator_status fail_not_owner(const curator_mutex *mutex, const char *caller)
{
    const char *what = "the calling thread does not hold the lock";
    const struct holders holders = find_holders(mutex);
    if (holders.first == NULL) {
        return fail(CURATOR_NOT_OWNER, "%s %s: %s, nor does another thread of this process hold it by this object",
                    caller, mutex->path, what);
    }
    const char *has = holders.lost ? "has lost it and not released it yet" : "holds it";
    int thread = (int)holders.first->system_thread;
    if (holders.count > 1) {
        return fail(CURATOR_NOT_OWNER, "%s %s: %s; each of %zu other threads of this process %s, one of them %d",
                    caller, mutex->path, what, holders.count, has, thread);
    }
    if (!thread_has_ended(holders.first->system_thread)) {
        return fail(CURATOR_NOT_OWNER, "%s %s: %s; thread %d of this process %s", caller, mutex->path, what, thread,
                    has);
    }
    return fail(CURATOR_NOT_OWNER,
                "%s %s: %s; thread %d of this process %s, and has ended without a release: only the destruction of "
                "this object or the end of the session frees it",
                caller, mutex->path, what, thread, has);
}

curator_status fail_lost(const struct lock_data *lock_data, const char *caller, const char *path, const char *what_next)
{
    const struct lock_node *node = lock_data->node;
    const char *what = node->mutex->driver == &lock_driver_lease ? "lease" : "lock";
    int64_t lost_at = lock_data->lost ? lock_data->lost_at : clock_now();
    const char *why = lock_data->lost ? lock_data->lost_why : "the session is over"; /* lost: sooner than noticed */
    long long since = (long long)((clock_now() - lost_at) / NANOSECONDS_PER_MILLISECOND);
    return fail(CURATOR_LOCK_LOST, "%s %.200s: the %s was lost %lld ms ago, while it was held: %s%s (node %.300s)%s",
                caller, path, what, since, lock_data_lost_prefix(lock_data), why, node->znode->path, what_next);
}

/* Whether the node before us, but for so many others between, holds: not known to a reader, whose list has writers. */
static bool is_first(const struct attempt *attempt, size_t others)
{
    return attempt->mutex->driver->rivals == NULL && attempt->before == others + 1;
}

curator_status fail_held(const struct attempt *attempt, const char *predecessor, size_t before)
{
    const char *parent = attempt->mutex->full_path;
    if (is_first(attempt, 0)) {
        return call_fail(attempt->call, CURATOR_TIMED_OUT, "held by %s/%s", parent, predecessor);
    }
    return call_fail(attempt->call, CURATOR_TIMED_OUT, "not free: %s/%s is the last of %zu before us", parent,
                     predecessor, before);
}

/* Data as a C string: a zero byte is written as it is in sentences, which write the other odd bytes so. */
static void data_text(const struct predecessor_watch *watch, char *text, size_t size)
{
    size_t length = watch->data_length > 0 ? (size_t)watch->data_length : 0;
    bool cut = length > DATA_KEPT;
    const char *data = watch->data;
    char inflated[DATA_KEPT];
    size_t kept = cut ? DATA_KEPT : length, used = 0;
    if (gzip_inflate(data, kept, cut, inflated, sizeof inflated, &kept)) {
        data = inflated;
        cut = cut || kept == sizeof inflated;
    }
    for (size_t i = 0; i < kept; i++) {
        if (data[i] == '\0') {
            used += (size_t)snprintf(text + used, size - used, "\\x00");
        } else {
            text[used++] = data[i];
        }
    }
    snprintf(text + used, size - used, "%s", cut ? "..." : "");
}

const char *waiting_for_text(struct attempt *attempt)
{
    bool is_next = is_first(attempt, 0), is_second = is_first(attempt, 1) && attempt->ahead.path != NULL;
    const char *path = attempt->predecessor.path;
    char *text = attempt->waiting_for;
    char data[4 * DATA_KEPT + sizeof "..."] = "";
    int used = is_next ? snprintf(text, WAITING_FOR_SIZE, "%.300s, which holds it", path)
                       : snprintf(text, WAITING_FOR_SIZE, "%.300s, the last of %zu before us", path, attempt->before);
    if (is_next || is_second) {
        data_text(is_next ? &attempt->predecessor : &attempt->ahead, data, sizeof data);
    }
    if (data[0] != '\0') {
        snprintf(text + used, WAITING_FOR_SIZE - (size_t)used, "; the holder's data is \"%s\"", data);
    }
    return text;
}
