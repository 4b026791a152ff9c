/* SPDX-License-Identifier: Apache-2.0 */
#include "signals.h"

#include "message.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/signalfd.h>
#include <unistd.h>

static const int handed_on[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH, SIGTSTP, SIGCONT};

static sigset_t mask_at_start;
static struct sigaction children_at_start;

static bool is_ignored(int number)
{
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

int signals_take(void)
{
    sigset_t blocked, read;
    /* Where SIGCHLD is ignored, the kernel keeps no status of a child that has ended, and tells nobody. */
    const struct sigaction children = {.sa_handler = SIG_DFL};
    sigaction(SIGCHLD, &children, &children_at_start);
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGPIPE); /* who reads our messages may go away */
    sigaddset(&blocked, SIGTTOU); /* tcsetpgrp() in the background */
    sigemptyset(&read);
    for (size_t i = 0; i < sizeof handed_on / sizeof *handed_on; i++) {
        if (!is_ignored(handed_on[i])) {
            sigaddset(&blocked, handed_on[i]);
            sigaddset(&read, handed_on[i]);
        }
    }
    pthread_sigmask(SIG_BLOCK, &blocked, &mask_at_start);
    int fd = signalfd(-1, &read, SFD_CLOEXEC | SFD_NONBLOCK);
    if (fd < 0) {
        complain("no descriptor for signals: %s", strerrordesc_np(errno));
    }
    return fd;
}

void signals_restore(void)
{
    sigaction(SIGCHLD, &children_at_start, NULL);
    pthread_sigmask(SIG_SETMASK, &mask_at_start, NULL);
}

bool signal_ends_wait(int number)
{
    return number != SIGWINCH && number != SIGTSTP && number != SIGCONT;
}

int signals_next(int fd, bool *from_terminal)
{
    struct signalfd_siginfo information;
    if (read(fd, &information, sizeof information) != (ssize_t)sizeof information) {
        return 0;
    }
    *from_terminal = information.ssi_code == SI_KERNEL;
    return (int)information.ssi_signo;
}

/* SIGTSTP and not SIGSTOP: the kernel drops it where there is no shell that could continue us. */
bool signals_stop_ourselves(void)
{
    sigset_t stop, pending;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTSTP);
    kill(0, SIGTSTP);
    pthread_sigmask(SIG_UNBLOCK, &stop, NULL); /* we stop here, and go on with SIGCONT */
    pthread_sigmask(SIG_BLOCK, &stop, NULL);
    return sigpending(&pending) == 0 && sigismember(&pending, SIGCONT) == 1;
}

int signal_called(const char *name)
{
    char *end;
    long number = strtol(name, &end, 10);
    if (end != name) {
        return *end == '\0' && number > 0 && number < NSIG ? (int)number : 0;
    }
    if (strncasecmp(name, "SIG", 3) == 0) {
        name += 3;
    }
    for (int i = 1; i < NSIG; i++) {
        const char *known = sigabbrev_np(i);
        if (known != NULL && strcasecmp(name, known) == 0) {
            return i;
        }
    }
    return 0;
}
