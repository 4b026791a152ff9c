/* SPDX-License-Identifier: Apache-2.0 */
/* A hold whose session's lease is about to end, and who is told of it. */
#include "locks/endangered.h"

#include "base/clock.h"
#include "base/container_of.h"
#include "base/error.h"
#include "locks/mutex_listener.h"
#include "zk/session_lease.h"

#include <stddef.h>
#include <utlist.h>

/* On a healthy link more than this always remains: docs/protocol.md, "How often". */
#define LARGEST_PART_OF_TIMEOUT 4

int64_t endangered_margin(const struct curator_mutex *mutex, const struct session *session)
{
    int64_t largest = session->timeout_ms * NANOSECONDS_PER_MILLISECOND / LARGEST_PART_OF_TIMEOUT;
    return clock_earlier(mutex->endangered_margin, largest);
}

static void endangered_on_alarm(struct lease_alarm *alarm)
{
    struct endangered *endangered = container_of(alarm, struct endangered, alarm);
    if (!endangered->call_due) {
        endangered->call_due = true;
        mutex_notify(endangered->mutex, MUTEX_ENDANGERED);
    }
}

static void endangered_set_alarm(struct endangered *endangered)
{
    int64_t margin = endangered_margin(endangered->mutex, endangered->session);
    endangered->alarm = (struct lease_alarm){.margin = margin, .fn = endangered_on_alarm};
    if (margin > 0) {
        session_lease_alarm_add(endangered->session, &endangered->alarm);
    }
}

static void endangered_clear_alarm(struct endangered *endangered)
{
    endangered->call_due = false;
    if (endangered->alarm.margin > 0) {
        session_lease_alarm_remove(endangered->session, &endangered->alarm);
    }
}

void endangered_begin(struct endangered *endangered, struct curator_mutex *mutex, struct session *session)
{
    *endangered = (struct endangered){.mutex = mutex, .session = session};
    DL_APPEND(mutex->endangered, endangered);
    endangered_set_alarm(endangered);
}

void endangered_end(struct endangered *endangered)
{
    if (endangered->mutex != NULL) {
        endangered_clear_alarm(endangered);
        DL_DELETE(endangered->mutex->endangered, endangered);
        endangered->mutex = NULL;
    }
}

static struct endangered *next_call(const struct curator_mutex *mutex)
{
    struct endangered *endangered;
    DL_FOREACH (mutex->endangered, endangered) {
        if (endangered->call_due) {
            return endangered;
        }
    }
    return NULL;
}

/*
 * Takes the next hold that the function is to be called for. The callback may have been queued behind others for long:
 * a hold that has been renewed meanwhile needs no call, and one that is lost gets none. The look at the lease may
 * report losses, which end the entries of those holds: so the list is read anew each time.
 */
static bool endangered_take_call(struct mutex_listener *listener)
{
    struct endangered *endangered;
    while ((endangered = next_call(listener->mutex)) != NULL) {
        endangered->call_due = false;
        bool renewed = !endangered->alarm.raised;
        if (!renewed && !session_check_lease(endangered->session)) {
            return true;
        }
    }
    return false;
}

static curator_status set_listener(curator_mutex *mutex, int64_t ms_before, void (*fn)(curator_mutex *, void *),
                                   void *context, const char *caller)
{
    struct mutex_listener *listener = mutex_listener(mutex, MUTEX_ENDANGERED);
    if (listener == NULL) {
        return fail(CURATOR_NO_MEMORY, "%s %s: no memory for the function", caller, mutex->path);
    }
    listener->fn = fn;
    listener->context = context;
    listener->wanted = endangered_take_call;
    mutex->endangered_margin = fn != NULL ? ms_before * NANOSECONDS_PER_MILLISECOND : 0;
    struct endangered *endangered;
    DL_FOREACH (mutex->endangered, endangered) {
        endangered_clear_alarm(endangered);
        endangered_set_alarm(endangered);
    }
    return CURATOR_OK;
}

static curator_status check_margin(const curator_mutex *mutex, int64_t ms_before, const char *caller)
{
    int64_t timeout_ms = framework_session_timeout_ms(mutex->framework);
    if (ms_before < 1 || ms_before > timeout_ms / LARGEST_PART_OF_TIMEOUT) {
        return fail(CURATOR_INVALID_ARGUMENT,
                    "%s %s: %lld ms before the loss; it must be 1 to %lld, a quarter of the session timeout, which a "
                    "healthy session never comes down to",
                    caller, mutex->path, (long long)ms_before, (long long)(timeout_ms / LARGEST_PART_OF_TIMEOUT));
    }
    return CURATOR_OK;
}

curator_status curator_mutex_on_endangered(curator_mutex *mutex, int64_t ms_before,
                                           void (*fn)(curator_mutex *mutex, void *context), void *context)
{
    curator_status status = mutex_enter_open(mutex, __func__);
    if (status != CURATOR_OK) {
        return status;
    }
    status = fn != NULL ? check_margin(mutex, ms_before, __func__) : CURATOR_OK;
    if (status == CURATOR_OK) {
        status = set_listener(mutex, ms_before, fn, context, __func__);
    }
    framework_unlock(mutex->framework);
    return status;
}
