/* SPDX-License-Identifier: Apache-2.0 */
/* curator-lock hold: the lock alone, for as long as standard input is open. */
#include "commands.h"
#include "exit_status.h"
#include "hold_output.h"
#include "lock.h"
#include "message.h"
#include "notify.h"
#include "signals.h"
#include "supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { OPTION_FORMAT = OPTION_OF_LOCK_COMMAND };

static const struct option long_options[] = {
    COMMON_LONG_OPTIONS,
    LOCK_LONG_OPTIONS,
    {"format", required_argument, NULL, OPTION_FORMAT},
    {NULL, 0, NULL, 0},
};

struct hold {
    struct lock_options lock;
    bool json;
};

static int take_arguments(struct hold *hold, int argc, char **argv)
{
    const char *letters = COMMON_SHORT_OPTIONS LOCK_SHORT_OPTIONS;
    int status = GO_ON;
    for (int option; status == GO_ON && (option = read_option(argc, argv, letters, long_options)) != -1;) {
        status = option == OPTION_FORMAT ? take_format(optarg, &hold->json) : lock_option(&hold->lock, option, argv);
    }
    if (status != GO_ON) {
        return status;
    }
    if (argc - optind != 1) {
        return wrong_usage("hold wants one lock path");
    }
    hold->lock.path = argv[optind];
    return hold->lock.path[0] == '/' ? GO_ON
                                     : wrong_usage("a lock path begins with a slash, unlike '%s'", argv[optind]);
}

/* Services have /dev/null there, which is always at its end: then only a signal ends the hold. */
static bool input_can_end(void)
{
    struct stat about;
    return fstat(STDIN_FILENO, &about) == 0 &&
           !(S_ISCHR(about.st_mode) && about.st_rdev == makedev(1, 3)); /* as the kernel's devices.txt has it */
}

/* Reads what is there; true at the end of the input. In the background a terminal is another's. */
static bool input_has_ended(void)
{
    char ignored[4096];
    if (isatty(STDIN_FILENO) && tcgetpgrp(STDIN_FILENO) != getpgrp()) {
        return false;
    }
    ssize_t size = read(STDIN_FILENO, ignored, sizeof ignored);
    return size == 0 || (size < 0 && errno != EINTR && errno != EAGAIN);
}

/* A signal that asks us to end. Ctrl-Z stops us, as it would any program. */
static bool has_signal(int signals)
{
    bool from_terminal;
    for (int number; (number = signals_next(signals, &from_terminal)) != 0;) {
        if (number == SIGTSTP) {
            signals_stop_ourselves();
        } else if (signal_ends_wait(number)) {
            inform("SIG%s ends the hold", sigabbrev_np(number));
            return true;
        }
    }
    return false;
}

static void wait_for_something(const struct lock *lock, const struct hold_output *output, bool *input)
{
    bool readable_here = *input && (!isatty(STDIN_FILENO) || tcgetpgrp(STDIN_FILENO) == getpgrp());
    struct pollfd sources[] = {
        {.fd = lock->signals, .events = POLLIN},
        {.fd = lock->events.event, .events = POLLIN},
        {.fd = output->written, .events = POLLIN},
        {.fd = readable_here ? STDIN_FILENO : -1, .events = POLLIN},
    };
    poll(sources, sizeof sources / sizeof *sources, lock_look_ms(lock));
    *input = sources[3].revents != 0;
}

/* EXIT_DONE: we are asked to end. Else why we must, which has been reported. */
static int wait_for_end(struct lock *lock, struct hold_output *output)
{
    bool may_end = input_can_end();
    while (hold_output_look(output)) {
        bool input = may_end;
        wait_for_something(lock, output, &input);
        lock_clear_event(lock);
        if (atomic_load(&lock->events.lost) || lock_lease_end(lock) <= boot_ms()) {
            complain("the lock on %s is lost: its session is over, or its node was deleted", lock->options->path);
            return EXIT_LOST;
        }
        if (atomic_exchange(&lock->events.endangered, false)) {
            warn("no answer from the servers: the lock on %s will be lost in %lld ms unless one comes",
                 lock->options->path, (long long)lock->grace_ms);
        }
        if (atomic_load(&lock->events.revoked) || has_signal(lock->signals) || (input && input_has_ended())) {
            return EXIT_DONE;
        }
    }
    complain("standard output cannot be written");
    return EXIT_SYSTEM;
}

static int guard_hold(struct lock *lock, bool json)
{
    static struct hold_output output;
    if (!hold_output_start(&output, lock, json)) {
        return EXIT_SYSTEM;
    }
    int status = wait_for_end(lock, &output);
    if (output.ready) {
        notify("STOPPING=1");
    }
    hold_output_end(&output);
    return status;
}

static int hold_lock(const struct hold *hold, int signals)
{
    struct lock lock;
    int status = lock_take(&lock, &hold->lock, signals);
    if (!lock.held) {
        return status;
    }
    status = guard_hold(&lock, hold->json);
    int given_back = lock_give_back(&lock, status == EXIT_LOST);
    return status != EXIT_DONE ? status : given_back;
}

int command_hold(int argc, char **argv)
{
    struct hold hold = {0};
    lock_options_init(&hold.lock);
    int status = take_arguments(&hold, argc, argv);
    if (status == GO_ON) {
        int signals = signals_take();
        status = signals < 0 ? EXIT_SYSTEM : hold_lock(&hold, signals);
    }
    lock_options_free(&hold.lock);
    return status;
}
