/* SPDX-License-Identifier: Apache-2.0 */
#include "lock.h"

#include "connection.h"
#include "exit_status.h"
#include "interruption.h"
#include "message.h"
#include "supervisor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <zookeeper/zookeeper.h>

/* Servers that are silent shall not keep us: the delete goes on until the session is closed. */
#define LONGEST_RELEASE_MS 5000

#define LEASE_LOOKS 24 /* in a session time-out: about as often the lease is renewed */
#define MIN_LOOK_MS 20
#define MAX_LOOK_MS 1000

static void note(struct lock_events *events, atomic_bool *what)
{
    atomic_store(what, true);
    eventfd_write(events->event, 1);
}

static void on_lost(curator_mutex *mutex, void *context)
{
    (void)mutex;
    struct lock_events *events = context;
    note(events, &events->lost);
}

static void on_endangered(curator_mutex *mutex, void *context)
{
    (void)mutex;
    struct lock_events *events = context;
    note(events, &events->endangered);
}

static void on_revoked(curator_mutex *mutex, void *context)
{
    (void)mutex;
    struct lock_events *events = context;
    note(events, &events->revoked);
}

void lock_clear_event(struct lock *lock)
{
    eventfd_t count;
    eventfd_read(lock->events.event, &count);
}

static int create(struct lock *lock)
{
    const struct lock_options *options = lock->options;
    curator_status status;
    if (options->mode == MODE_EXCLUSIVE) {
        status = curator_mutex_create(&lock->mutex, lock->framework, options->path);
    } else {
        status = curator_read_write_lock_create(&lock->sides, lock->framework, options->path);
        lock->mutex = options->mode == MODE_SHARED ? curator_read_write_lock_read_side(lock->sides)
                                                   : curator_read_write_lock_write_side(lock->sides);
    }
    if (status == CURATOR_OK) {
        status = curator_mutex_on_lost(lock->mutex, on_lost, &lock->events);
    }
    if (status == CURATOR_OK && options->revocable) {
        status = curator_mutex_make_revocable(lock->mutex, on_revoked, &lock->events);
    }
    return status == CURATOR_OK ? EXIT_DONE : failure(status);
}

/* The grace depends on what the server has granted. */
static int set_grace(struct lock *lock)
{
    curator_status status = curator_framework_session_timeout(lock->framework, &lock->session_timeout_ms);
    if (status != CURATOR_OK) {
        return failure(status);
    }
    int64_t most = lock->session_timeout_ms / 4;
    lock->grace_ms = lock->options->grace_ms < most ? lock->options->grace_ms : most;
    if (lock->grace_ms > 0) {
        status = curator_mutex_on_endangered(lock->mutex, lock->grace_ms, on_endangered, &lock->events);
    }
    return status == CURATOR_OK ? EXIT_DONE : failure(status);
}

/* Who waits no longer than asked for has an answer; everything else is a failure. */
static int acquire(struct lock *lock, int64_t wait_ms)
{
    curator_status status =
        wait_ms == NO_LIMIT ? curator_mutex_acquire(lock->mutex) : curator_mutex_acquire_for(lock->mutex, wait_ms);
    if (status == CURATOR_TIMED_OUT) {
        warn("%s", curator_last_error());
        return lock->options->conflict_status;
    }
    lock->held = status == CURATOR_OK;
    return lock->held ? EXIT_DONE : failure(status);
}

/* The wait includes the time in which we connect. */
static int connect_and_acquire(struct lock *lock)
{
    const struct lock_options *options = lock->options;
    int64_t begun = boot_ms(), limit = options->wait_ms == 0 ? NO_LIMIT : options->wait_ms;
    int status = connection_await(lock->framework, &options->common, limit);
    if (status == EXIT_DONE) {
        status = set_grace(lock);
    }
    if (status != EXIT_DONE) {
        return status;
    }
    inform("connected, session time-out %lld ms; waiting for %s", (long long)lock->session_timeout_ms, options->path);
    if (limit == NO_LIMIT) {
        return acquire(lock, options->wait_ms);
    }
    int64_t left = limit - (boot_ms() - begun);
    return acquire(lock, left > 1 ? left : 1);
}

static int describe(struct lock *lock)
{
    curator_status status = curator_mutex_lock_path(lock->mutex, &lock->node);
    if (status == CURATOR_OK) {
        status = curator_mutex_fencing_token(lock->mutex, &lock->token);
    }
    if (status != CURATOR_OK) {
        return failure(status);
    }
    zhandle_t *handle = curator_framework_borrow_handle(lock->framework);
    if (handle == NULL) {
        complain("%s", curator_last_error());
        return EXIT_NO_SERVER;
    }
    lock->session = zoo_client_id(handle)->client_id;
    curator_framework_return_handle(lock->framework, handle);
    return EXIT_DONE;
}

/* Whatever is left of it. A framework that a signal has closed stays valid as long as the lock exists. */
static void discard(struct lock *lock, bool closed)
{
    if (closed && !connection_was_made()) {
        return; /* it is still being closed, and the process ends now */
    }
    if (!closed && lock->framework != NULL) {
        connection_close(lock->framework);
    }
    if (lock->sides != NULL) {
        curator_read_write_lock_destroy(lock->sides);
    } else if (lock->mutex != NULL) {
        curator_mutex_destroy(lock->mutex);
    }
    if (lock->events.event >= 0) {
        close(lock->events.event);
    }
    free(lock->node);
    lock->node = NULL;
}

static int take(struct lock *lock, int *ended_by)
{
    int status = create(lock);
    struct interruption interruption;
    if (status != EXIT_DONE) {
        return status;
    }
    if (!interruption_begin(&interruption, lock->signals, lock->framework)) {
        return EXIT_SYSTEM;
    }
    status = connect_and_acquire(lock);
    *ended_by = interruption_end(&interruption, connection_was_made());
    if (*ended_by != 0) {
        lock->held = false;
        inform("SIG%s ended the wait for %s", sigabbrev_np(*ended_by), lock->options->path);
        return EXIT_BY_SIGNAL + *ended_by;
    }
    if (lock->held) {
        status = describe(lock);
        lock->held = status == EXIT_DONE;
    }
    return status;
}

int lock_take(struct lock *lock, const struct lock_options *options, int signals)
{
    *lock = (struct lock){.options = options, .signals = signals, .events.event = -1};
    lock->events.event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (lock->events.event < 0) {
        complain("no descriptor for events: %s", strerrordesc_np(errno));
        return EXIT_SYSTEM;
    }
    int ended_by = 0;
    int status = message_start_writer() ? connection_open(&lock->framework, &options->common) : EXIT_SYSTEM;
    if (status == EXIT_DONE) {
        status = take(lock, &ended_by);
    }
    if (!lock->held) {
        discard(lock, ended_by != 0);
    }
    return status;
}

int64_t lock_lease_end(const struct lock *lock)
{
    int64_t now = boot_ms(), remaining = 0;
    curator_mutex_lease_remaining(lock->mutex, &remaining); /* which leaves 0 if there is no hold any more */
    return now + remaining;
}

int lock_look_ms(const struct lock *lock)
{
    int64_t look = lock->session_timeout_ms / LEASE_LOOKS;
    return (int)(look < MIN_LOOK_MS ? MIN_LOOK_MS : look > MAX_LOOK_MS ? MAX_LOOK_MS : look);
}

int lock_give_back(struct lock *lock, bool known_lost)
{
    int64_t lease_end = lock_lease_end(lock);
    bool lost = known_lost || lease_end <= boot_ms();
    int64_t limit = lock->options->common.connection_timeout_ms;
    limit = limit < LONGEST_RELEASE_MS ? limit : LONGEST_RELEASE_MS;
    curator_status status = curator_mutex_release_for(lock->mutex, limit);
    /* While the lease lasts the session lives, so it was the node; later nobody knows whether we were first. */
    lost = lost || (status == CURATOR_LOCK_LOST && boot_ms() < lease_end);
    if (lost && !known_lost) {
        complain("the lock on %s is lost: %s", lock->options->path, curator_last_error());
    } else if (status != CURATOR_OK && !lost) {
        warn("the release is not confirmed: %s", curator_last_error());
    }
    discard(lock, false);
    return lost ? EXIT_LOST : EXIT_DONE;
}
