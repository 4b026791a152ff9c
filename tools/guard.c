/* SPDX-License-Identifier: Apache-2.0 */
#include "guard.h"

#include "descendants.h"
#include "exit_status.h"
#include "message.h"
#include "signals.h"
#include "terminal.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct guard {
    struct lock *lock;
    struct supervisor *supervisor;
    const struct supervisor_setup *setup;
    const struct terminal *terminal;
    pid_t group; /* of the command; 0: ours */
    int status;
    bool started, endangered, lost, over;
};

/* What was certain once stays so: after a loss the supervisor has the rest of the last lease as its limit. */
static void renew_lease(struct guard *guard)
{
    _Atomic int64_t *shared = &guard->supervisor->shared->lease_end_ms;
    int64_t end = lock_lease_end(guard->lock);
    if (end > atomic_load(shared) || atomic_load(shared) == INT64_MAX) {
        atomic_store(shared, end);
    }
    if (end - boot_ms() > HEALTHY_LEASE(guard->lock->grace_ms)) {
        guard->endangered = false;
    }
}

static void lose(struct guard *guard, const char *what)
{
    static const char *const then[] = {"the command is ended", "the command is asked to end", "the command goes on"};
    if (!guard->lost) {
        guard->lost = true;
        complain("the lock on %s is lost: %s; %s", guard->lock->options->path, what,
                 guard->started ? then[guard->setup->on_lost] : "the command is not started");
    }
}

static void look_at_events(struct guard *guard)
{
    struct lock_events *events = &guard->lock->events;
    lock_clear_event(guard->lock);
    if (atomic_exchange(&events->endangered, false) && !guard->endangered && !guard->lost &&
        guard->setup->on_lost != ON_LOST_IGNORE) {
        guard->endangered = true;
        warn(
            "no answer from the servers: the lock on %s will be lost in %lld ms unless one comes; SIG%s to the command",
            guard->lock->options->path, (long long)guard->lock->grace_ms, sigabbrev_np(guard->setup->signal));
        supervisor_order(guard->supervisor, ORDER_ENDANGERED, 0);
    }
    if (atomic_exchange(&events->lost, false)) {
        if (!guard->started) { /* the order may still wait for a supervisor that is stopped */
            atomic_store(&guard->supervisor->shared->lease_end_ms, 0);
        }
        lose(guard, "its session is over, or its node was deleted");
        supervisor_order(guard->supervisor, ORDER_LOST, 0);
    }
    if (atomic_exchange(&events->revoked, false)) {
        warn("asked for the lock on %s: SIG%s to the command", guard->lock->options->path,
             sigabbrev_np(guard->setup->signal));
        supervisor_order(guard->supervisor, ORDER_SIGNAL, guard->setup->signal);
    }
}

/* In our own process group a key of the terminal has reached the command already. */
static void hand_on_signals(struct guard *guard)
{
    bool from_terminal = false;
    for (int number; (number = signals_next(guard->lock->signals, &from_terminal)) != 0;) {
        if (number == SIGCONT) {
            terminal_give(guard->terminal, guard->group); /* after `fg` the terminal is ours */
        }
        if (guard->setup->own_group || !from_terminal || number == SIGCONT) {
            supervisor_order(guard->supervisor, ORDER_SIGNAL, number);
        }
    }
}

/*
 * The command was stopped: by Ctrl-Z, or as it uses the terminal from the background. Our shell has to see that, so we
 * stop, too. When we are continued, SIGCONT is read as any signal.
 */
static void stop_with_command(struct guard *guard, int number)
{
    if (guard->terminal->fd < 0) {
        return; /* nobody would continue us, and the lock would be lost */
    }
    if ((number == SIGTTIN || number == SIGTTOU) && terminal_is_ours(guard->terminal)) {
        terminal_give(guard->terminal, guard->group);
        supervisor_order(guard->supervisor, ORDER_SIGNAL, SIGCONT);
        return;
    }
    terminal_take_back(guard->terminal, guard->group);
    if (!signals_stop_ourselves()) {
        if (number == SIGTTIN || number == SIGTTOU) { /* it would only be stopped again */
            supervisor_order(guard->supervisor, ORDER_SIGNAL, SIGHUP);
        }
        terminal_give(guard->terminal, guard->group);
        supervisor_order(guard->supervisor, ORDER_SIGNAL, SIGCONT);
    }
}

static int status_of(int waited)
{
    return WIFSIGNALED(waited) ? EXIT_BY_SIGNAL + WTERMSIG(waited) : WEXITSTATUS(waited);
}

static void end(struct guard *guard, int status)
{
    guard->status = status;
    guard->over = true;
}

static void take_report(struct guard *guard, const struct report *report)
{
    switch (report->kind) {
    case REPORT_STARTED:
        guard->started = true;
        guard->group = (pid_t)report->value;
        break;
    case REPORT_FAILED:
        complain("the command cannot be started: %s", strerrordesc_np(report->value));
        end(guard, EXIT_SYSTEM);
        break;
    case REPORT_TOO_LATE:
        lose(guard, "its lease is over");
        end(guard, EXIT_LOST);
        break;
    case REPORT_STOPPED:
        stop_with_command(guard, report->value);
        break;
    case REPORT_OVER:
        if (report->lease_over) {
            lose(guard, "no answer from the servers, and its lease is over");
        }
        end(guard, status_of(report->value));
        break;
    case REPORT_GONE:
        complain("the supervisor of the command has died; the command is killed");
        while (signal_descendants(SIGKILL, 0) > 0) {
            while (waitpid(-1, NULL, WNOHANG) > 0) {
            }
            poll(NULL, 0, 10);
        }
        end(guard, EXIT_SYSTEM);
        break;
    }
}

/* The supervisor does it before the end. Should it not run, as somebody has stopped it, then we do. */
static void kill_after_lease(const struct guard *guard)
{
    if (guard->setup->on_lost == ON_LOST_KILL && boot_ms() >= atomic_load(&guard->supervisor->shared->lease_end_ms)) {
        signal_descendants(SIGKILL, guard->supervisor->process);
    }
}

static void wait_for_something(const struct guard *guard)
{
    struct pollfd sources[] = {
        {.fd = guard->lock->signals, .events = POLLIN},
        {.fd = guard->lock->events.event, .events = POLLIN},
        {.fd = guard->supervisor->socket, .events = POLLIN},
    };
    poll(sources, sizeof sources / sizeof *sources, lock_look_ms(guard->lock));
}

static void start(struct guard *guard)
{
    struct supervisor_shared *shared = guard->supervisor->shared;
    shared->session_timeout_ms = guard->lock->session_timeout_ms;
    shared->grace_ms = guard->lock->grace_ms;
    shared->give_terminal = guard->setup->own_group && terminal_is_ours(guard->terminal);
    shared->token = guard->lock->token;
    shared->session = guard->lock->session;
    snprintf(shared->node, guard->setup->max_node_size, "%s", guard->lock->node);
    renew_lease(guard);
    supervisor_order(guard->supervisor, ORDER_START, 0);
}

int guard_command(struct lock *lock, struct supervisor *supervisor, const struct supervisor_setup *setup,
                  const struct terminal *terminal, bool *lost)
{
    struct guard guard = {.lock = lock, .supervisor = supervisor, .setup = setup, .terminal = terminal};
    start(&guard);
    while (!guard.over) {
        wait_for_something(&guard);
        renew_lease(&guard);
        look_at_events(&guard);
        kill_after_lease(&guard);
        hand_on_signals(&guard);
        struct report report;
        while (!guard.over && supervisor_next_report(supervisor, &report)) {
            take_report(&guard, &report);
        }
    }
    terminal_take_back(guard.terminal, guard.group);
    if (guard.status > EXIT_BY_SIGNAL) {
        terminal_restore_modes(guard.terminal);
    }
    supervisor_order(supervisor, ORDER_LEAVE, 0);
    *lost = guard.lost;
    return guard.status;
}
