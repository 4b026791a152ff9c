/* SPDX-License-Identifier: Apache-2.0 */
/* The supervisor's side. One thread, which waits for orders, for children and for the end of the lease. */
#include "child.h"
#include "descendants.h"
#include "supervisor.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define KILL_AGAIN_MS 10
#define LOOK_AT_GROUP_MS 20
/* The processes need time to die: so long before the lease ends comes KILL, or an eighth of a short session's time. */
#define TIME_TO_DIE_MS 100

struct watch {
    const struct supervisor_setup *setup;
    struct supervisor_shared *shared;
    int socket, children, timer;
    pid_t command; /* 0: not started, or reaped */
    pid_t group;   /* its process group; 0: it has none of its own */
    int64_t kill_at;
    int status; /* as waitpid() says it */
    bool started, alone, signalled, lost, lease_over, killing, over;
};

/* Does not wait for a curator-lock that is stopped: the command can be stopped and continued without end meanwhile. */
static void report(const struct watch *watch, enum report_kind kind, int value)
{
    const struct report report = {.kind = kind, .value = value, .lease_over = watch->lease_over};
    int flags = MSG_NOSIGNAL | (kind == REPORT_STOPPED ? MSG_DONTWAIT : 0);
    while (send(watch->socket, &report, sizeof report, flags) < 0 && errno == EINTR) {
    }
}

static void signal_command(const struct watch *watch, int number)
{
    if (watch->group != 0) {
        kill(-watch->group, number);
    } else if (watch->command != 0) {
        kill(watch->command, number);
    }
}

/* Also those that have left the group. A stopped process gets the signal when it goes on. */
static void signal_all(struct watch *watch, int number)
{
    watch->signalled = true;
    if (watch->group != 0) {
        kill(-watch->group, number); /* at once for all of it */
    }
    if (signal_descendants(number, watch->group) < 0 && watch->group == 0) {
        signal_command(watch, number);
    }
    signal_command(watch, SIGCONT);
}

/* Those that have become another user's may not be signalled, but are there. */
static bool is_over(const struct watch *watch)
{
    return watch->started && watch->command == 0 &&
           (watch->group == 0 || (kill(-watch->group, 0) != 0 && errno == ESRCH));
}

static bool may_kill(const struct watch *watch)
{
    return watch->setup->on_lost == ON_LOST_KILL;
}

static void reap(struct watch *watch)
{
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0;) {
        if (pid == watch->command && WIFSTOPPED(status)) {
            report(watch, REPORT_STOPPED, WSTOPSIG(status));
        } else if (pid == watch->command && !WIFSTOPPED(status)) {
            watch->status = status;
            watch->command = 0;
        }
    }
}

/* When the lease ends, as it was last renewed: read anew each time, so a renewal in time counts. */
static int64_t kill_time(const struct watch *watch)
{
    int64_t end = atomic_load(&watch->shared->lease_end_ms);
    int64_t eighth = watch->shared->session_timeout_ms / 8;
    int64_t early = eighth < TIME_TO_DIE_MS ? eighth : TIME_TO_DIE_MS;
    int64_t at = end == INT64_MAX ? end : end - early;
    return watch->lost && watch->kill_at < at ? watch->kill_at : at;
}

static void start(struct watch *watch)
{
    if (boot_ms() >= kill_time(watch)) { /* we, or curator-lock, were stopped or starved for that long */
        report(watch, REPORT_TOO_LATE, 0);
        return;
    }
    watch->command = child_start(watch->setup, watch->shared);
    if (watch->command < 0) {
        report(watch, REPORT_FAILED, errno);
        watch->command = 0;
        return;
    }
    watch->started = true;
    watch->group = watch->setup->own_group ? watch->command : 0;
    report(watch, REPORT_STARTED, watch->group);
}

static void lose(struct watch *watch)
{
    if (watch->setup->on_lost == ON_LOST_IGNORE || watch->lost) {
        return;
    }
    watch->lost = true;
    watch->kill_at = boot_ms() + watch->shared->grace_ms;
    if (!watch->signalled) {
        signal_all(watch, watch->setup->signal);
    }
}

static void obey(struct watch *watch, const struct order *order)
{
    switch (order->kind) {
    case ORDER_START:
        start(watch);
        break;
    case ORDER_SIGNAL:
        signal_command(watch, order->value);
        break;
    case ORDER_ENDANGERED:
        if (watch->setup->on_lost != ON_LOST_IGNORE && !watch->signalled) {
            signal_all(watch, watch->setup->signal);
        }
        break;
    case ORDER_LOST:
        lose(watch);
        break;
    case ORDER_LEAVE:
        _exit(0);
    }
}

static void take_orders(struct watch *watch)
{
    struct order order;
    ssize_t size;
    while ((size = recv(watch->socket, &order, sizeof order, MSG_DONTWAIT)) == (ssize_t)sizeof order) {
        obey(watch, &order);
    }
    if (size >= 0 || (errno != EAGAIN && errno != EINTR)) {
        watch->alone = watch->killing = true; /* curator-lock is gone */
    }
}

/* curator-lock signals when a grace is left; half of it later, it is stopped or starved, and we do it. */
static int64_t signal_time(const struct watch *watch)
{
    int64_t end = atomic_load(&watch->shared->lease_end_ms);
    return end == INT64_MAX ? end : end - watch->shared->grace_ms / 2;
}

static void look_at_the_lease(struct watch *watch)
{
    int64_t now = boot_ms();
    if (!watch->started || watch->over || watch->killing) {
        return;
    }
    int64_t left = atomic_load(&watch->shared->lease_end_ms) - now, grace = watch->shared->grace_ms;
    if (watch->signalled && !watch->lost && left > HEALTHY_LEASE(grace)) {
        watch->signalled = false; /* renewed: the next danger is signalled again */
    }
    if (now >= kill_time(watch) && may_kill(watch)) {
        watch->killing = watch->lease_over = true;
    } else if (now >= signal_time(watch) && !watch->signalled && watch->setup->on_lost != ON_LOST_IGNORE) {
        signal_all(watch, watch->setup->signal);
    }
}

static void end_what_is_left(struct watch *watch)
{
    if (!watch->killing && watch->lost && may_kill(watch) && is_over(watch)) {
        watch->killing = true; /* what has left the group */
    }
    if (watch->killing) {
        signal_command(watch, SIGKILL);
        int left = signal_descendants(SIGKILL, 0);
        if (left > 0 || (left < 0 && watch->started && !is_over(watch))) {
            return;
        }
        if (watch->alone) {
            _exit(0);
        }
    }
    if (watch->started && !watch->over && (watch->killing || is_over(watch))) {
        watch->over = true;
        report(watch, REPORT_OVER, watch->status);
    }
}

static int64_t next_look(const struct watch *watch)
{
    if (watch->over || !watch->started) {
        return watch->killing ? boot_ms() + KILL_AGAIN_MS : INT64_MAX;
    }
    if (watch->killing) {
        return boot_ms() + KILL_AGAIN_MS;
    }
    int64_t at = may_kill(watch) ? kill_time(watch) : INT64_MAX;
    if (!watch->signalled && signal_time(watch) < at) {
        at = signal_time(watch);
    }
    int64_t soon = watch->command == 0 ? boot_ms() + LOOK_AT_GROUP_MS : INT64_MAX;
    return at < soon ? at : soon;
}

/* By a timer and not by poll()'s time-out, which stands still while the machine sleeps. */
static void set_timer(const struct watch *watch)
{
    int64_t at = next_look(watch);
    struct itimerspec timer = {0};
    if (at != INT64_MAX) {
        at = at < 1 ? 1 : at;
        timer.it_value = (struct timespec){.tv_sec = at / 1000, .tv_nsec = at % 1000 * 1000000};
    }
    timerfd_settime(watch->timer, TFD_TIMER_ABSTIME, &timer, NULL);
}

static void wait_for_something(const struct watch *watch)
{
    struct pollfd sources[] = {
        {.fd = watch->alone ? -1 : watch->socket, .events = POLLIN},
        {.fd = watch->children, .events = POLLIN},
        {.fd = watch->timer, .events = POLLIN},
    };
    poll(sources, sizeof sources / sizeof *sources, -1);
    struct signalfd_siginfo child;
    uint64_t expired;
    while (read(watch->children, &child, sizeof child) > 0 || read(watch->timer, &expired, sizeof expired) > 0) {
    }
}

static void prepare(struct watch *watch)
{
    /* "killall curator-lock" shall not end both: then what the command has left would live on. */
    prctl(PR_SET_NAME, "lock-supervisor", 0L, 0L, 0L);
    setpgid(0, 0); /* out of reach of what is done to curator-lock's group, in the same session */
    sigset_t all, child;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    watch->children = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    watch->timer = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    if (watch->children < 0 || watch->timer < 0 || !adopt_orphans()) {
        _exit(EXIT_FAILURE);
    }
}

_Noreturn void supervise(const struct supervisor_setup *setup, struct supervisor_shared *shared, int socket)
{
    struct watch watch = {.setup = setup, .shared = shared, .socket = socket};
    prepare(&watch);
    for (;;) {
        look_at_the_lease(&watch);
        if (!watch.alone) {
            take_orders(&watch);
        }
        reap(&watch);
        end_what_is_left(&watch);
        set_timer(&watch);
        wait_for_something(&watch);
    }
}
