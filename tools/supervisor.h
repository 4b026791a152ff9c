/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command runs below a process of its own, the supervisor, which is forked before curator-lock has any thread:
 *
 *     curator-lock -- supervisor -- command -- whatever it starts
 *
 * The supervisor is the parent of all that the command leaves behind. It ends all of it
 * - when curator-lock is gone, however it ended: the socket between the two says so;
 * - when the lease is over that curator-lock has last written into the memory that they share, also when curator-lock
 *   is stopped or gets no processor;
 * - when curator-lock says that the lock is lost.
 * Should the supervisor itself be killed, the kernel kills the command (PR_SET_PDEATHSIG), and curator-lock, the next
 * ancestor, the rest.
 */
#ifndef CURATOR_LOCK_SUPERVISOR_H
#define CURATOR_LOCK_SUPERVISOR_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* With so much left the lease has been renewed for good: a little more than the grace may soon be gone again. */
#define HEALTHY_LEASE(grace_ms) ((grace_ms) + (grace_ms) / 2)

enum on_lost { ON_LOST_KILL, ON_LOST_TERM, ON_LOST_IGNORE };

/* What is known before the lock is taken. */
struct supervisor_setup {
    char **command;
    const char *path, *mode; /* for its variables */
    int signal;              /* for the command when the lock is or may be lost */
    enum on_lost on_lost;
    bool own_group; /* the command gets a process group of its own; otherwise it is in curator-lock's */
    pid_t callers_group;
    int terminal; /* -1: none */
    size_t max_node_size;
};

/* Written by curator-lock, read by the supervisor. All but lease_end_ms are written before ORDER_START. */
struct supervisor_shared {
    _Atomic int64_t lease_end_ms; /* until then nobody else can hold; of boot_ms() */
    int64_t session_timeout_ms, grace_ms;
    bool give_terminal;
    int64_t token, session;
    char node[];
};

enum order_kind {
    ORDER_START,      /* run the command */
    ORDER_SIGNAL,     /* hand a signal on to it */
    ORDER_ENDANGERED, /* the lease will end: signal; at its end comes KILL */
    ORDER_LOST,       /* signal; KILL after the grace, or at the end of the lease if that is earlier */
    ORDER_LEAVE,      /* the command is over: end, and let live what has left its process group */
};

struct order {
    enum order_kind kind;
    int value;
};

enum report_kind {
    REPORT_STARTED,  /* value: the process group of the command, or 0 */
    REPORT_FAILED,   /* value: errno; there is no command */
    REPORT_TOO_LATE, /* the lease was over, so the command was not started */
    REPORT_STOPPED,  /* value: by this signal */
    REPORT_OVER,     /* value: as waitpid(); nobody is left in its group, after a loss nobody at all */
    REPORT_GONE,     /* the supervisor itself has ended */
};

struct report {
    enum report_kind kind;
    int value;
    bool lease_over; /* with REPORT_OVER: everything was killed as the lease was over */
};

struct supervisor {
    pid_t process;
    int socket;
    struct supervisor_shared *shared;
    size_t shared_size;
};

/* Milliseconds of the clock of the leases, which goes on while the machine sleeps. */
int64_t boot_ms(void);

/* Forks it. False: reported. No thread may have been started yet. */
bool supervisor_start(struct supervisor *supervisor, const struct supervisor_setup *setup);

/* Does not wait for a supervisor that is stopped. */
void supervisor_order(const struct supervisor *supervisor, enum order_kind kind, int value);

/* The next report; false: none yet. */
bool supervisor_next_report(const struct supervisor *supervisor, struct report *report);

/* Waits until it has ended, and with it, unless ORDER_LEAVE was given, whatever was below it. */
void supervisor_end(struct supervisor *supervisor);

/* The supervisor's side: never returns. */
_Noreturn void supervise(const struct supervisor_setup *setup, struct supervisor_shared *shared, int socket);

#endif
