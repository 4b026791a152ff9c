/* SPDX-License-Identifier: Apache-2.0 */
#include "child.h"

#include "exit_status.h"
#include "message.h"
#include "signals.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

// NOLINTBEGIN(concurrency-mt-unsafe): the supervisor has one thread
static bool set_variables(const struct supervisor_setup *setup, const struct supervisor_shared *shared)
{
    char token[32], session[32];
    snprintf(token, sizeof token, "%" PRId64, shared->token);
    snprintf(session, sizeof session, "0x%" PRIx64, (uint64_t)shared->session);
    return setenv("CURATOR_LOCK_PATH", setup->path, 1) == 0 && setenv("CURATOR_LOCK_NODE", shared->node, 1) == 0 &&
           setenv("CURATOR_LOCK_TOKEN", token, 1) == 0 && setenv("CURATOR_LOCK_MODE", setup->mode, 1) == 0 &&
           setenv("CURATOR_LOCK_SESSION", session, 1) == 0;
}
// NOLINTEND(concurrency-mt-unsafe)

/* Out of the supervisor's. Of an own group the supervisor does the same, so that a signal for it finds it at once. */
static void move_to_group(const struct supervisor_setup *setup, const struct supervisor_shared *shared)
{
    if (setup->own_group) {
        setpgid(0, 0);
        if (shared->give_terminal) {
            tcsetpgrp(setup->terminal, getpid());
        }
    } else {
        setpgid(0, setup->callers_group);
    }
}

static _Noreturn void become(const struct supervisor_setup *setup, const struct supervisor_shared *shared,
                             pid_t supervisor)
{
    prctl(PR_SET_PDEATHSIG, (long)SIGKILL, 0L, 0L, 0L);
    if (getppid() != supervisor) {
        _exit(EXIT_LOST); /* it died before */
    }
    move_to_group(setup, shared);
    signals_restore();
    execvp(setup->command[0], setup->command);
    int problem = errno;
    complain("%s cannot be executed: %s", setup->command[0], strerrordesc_np(problem));
    _exit(problem == ENOENT || problem == ENOTDIR ? EXIT_NOT_FOUND : EXIT_CANNOT_EXECUTE);
}

pid_t child_start(const struct supervisor_setup *setup, const struct supervisor_shared *shared)
{
    if (!set_variables(setup, shared)) {
        return -1;
    }
    pid_t supervisor = getpid(), child = fork();
    if (child == 0) {
        become(setup, shared, supervisor);
    }
    if (child > 0 && setup->own_group) {
        setpgid(child, child);
    }
    return child;
}
