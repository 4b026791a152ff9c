/* SPDX-License-Identifier: Apache-2.0 */
/* curator-lock run: a command under the lock. */
#include "commands.h"
#include "exit_status.h"
#include "guard.h"
#include "message.h"
#include "shell_string.h"
#include "signals.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the library puts behind the lock's path: a slash, a prefix with a UUID, the recipe's name, a sequence. */
#define MAX_NODE_NAME 256

enum { OPTION_SIGNAL = OPTION_OF_LOCK_COMMAND, OPTION_ON_LOST, OPTION_FOREGROUND };

static const struct option long_options[] = {
    COMMON_LONG_OPTIONS,
    LOCK_LONG_OPTIONS,
    {"command", required_argument, NULL, 'c'},
    {"grace", required_argument, NULL, 'k'},
    {"signal", required_argument, NULL, OPTION_SIGNAL},
    {"on-lost", required_argument, NULL, OPTION_ON_LOST},
    {"foreground", no_argument, NULL, OPTION_FOREGROUND},
    {NULL, 0, NULL, 0},
};

struct run {
    struct lock_options lock;
    struct supervisor_setup setup;
    char *string; /* of -c; NULL: there is none */
    char *by_shell[4];
};

static int take_on_lost(const char *text, enum on_lost *on_lost)
{
    static const char *const names[] = {"kill", "term", "ignore"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(text, names[i]) == 0) {
            *on_lost = (enum on_lost)i;
            return GO_ON;
        }
    }
    return wrong_usage("--on-lost wants kill, term or ignore, not '%s'", text);
}

static int take_signal(const char *text, int *number)
{
    *number = signal_called(text);
    return *number != 0 ? GO_ON : wrong_usage("--signal wants a signal such as TERM, not '%s'", text);
}

/* The shell replaces itself by a simple command, so that nothing stands between that and us. */
static int take_string(struct run *run, char *string)
{
    static char shell[] = "/bin/sh", option[] = "-c";
    free(run->string);
    run->string = NULL;
    if (asprintf(&run->string, "%s%s", is_simple_command(string) ? "exec " : "", string) < 0) {
        run->string = NULL;
        complain("no memory for the command");
        return EXIT_SYSTEM;
    }
    run->by_shell[0] = shell;
    run->by_shell[1] = option;
    run->by_shell[2] = run->string;
    run->setup.command = run->by_shell;
    return GO_ON;
}

static int take_option(struct run *run, int option, char **argv)
{
    switch (option) {
    case 'c':
        return take_string(run, optarg);
    case 'k':
        return take_duration("--grace", optarg, &run->lock.grace_ms);
    case OPTION_SIGNAL:
        return take_signal(optarg, &run->setup.signal);
    case OPTION_ON_LOST:
        return take_on_lost(optarg, &run->setup.on_lost);
    case OPTION_FOREGROUND:
        run->setup.own_group = false;
        return GO_ON;
    default:
        return lock_option(&run->lock, option, argv);
    }
}

/* PATH and what follows it. */
static int take_operands(struct run *run, int count, char **words)
{
    if (count == 0) {
        return wrong_usage("a lock path and a command are missing");
    }
    run->lock.path = words[0];
    if (words[0][0] != '/') {
        return wrong_usage("a lock path begins with a slash, unlike '%s'", words[0]);
    }
    words++;
    count--;
    bool may_be_string = count > 0 && strcmp(words[0], "-c") == 0;
    if (count > 0 && strcmp(words[0], "--") == 0) {
        words++;
        count--;
    }
    if (may_be_string && (count == 1 || count > 2)) {
        return wrong_usage("-c wants one string%s", count == 1 ? "" : ": quote the command");
    }
    if (run->setup.command != NULL && count > 0) {
        return wrong_usage("-c and a command do not go together");
    }
    if (may_be_string) {
        return take_string(run, words[1]);
    }
    if (count > 0) {
        run->setup.command = words;
    }
    return run->setup.command != NULL ? GO_ON : wrong_usage("a command for %s is missing", run->lock.path);
}

static int take_arguments(struct run *run, int argc, char **argv)
{
    const char *letters = COMMON_SHORT_OPTIONS LOCK_SHORT_OPTIONS "c:k:";
    int status = GO_ON;
    for (int option; status == GO_ON && (option = read_option(argc, argv, letters, long_options)) != -1;) {
        status = take_option(run, option, argv);
    }
    return status == GO_ON ? take_operands(run, argc - optind, argv + optind) : status;
}

static int run_under_lock(const struct run *run, struct supervisor *supervisor, const struct terminal *terminal,
                          int signals)
{
    struct lock lock;
    int status = lock_take(&lock, &run->lock, signals);
    if (!lock.held) {
        return status;
    }
    inform("%s is held by %s, token %lld", run->lock.path, lock.node, (long long)lock.token);
    bool lost = false;
    status = guard_command(&lock, supervisor, &run->setup, terminal, &lost);
    return lock_give_back(&lock, lost) == EXIT_LOST ? EXIT_LOST : status;
}

/* Signals first, then the supervisor, then the framework with its threads: each relies on the one before. */
static int supervise_and_run(struct run *run)
{
    struct terminal terminal;
    struct supervisor supervisor;
    int signals = signals_take();
    if (signals < 0) {
        return EXIT_SYSTEM;
    }
    terminal_open(&terminal);
    run->setup.terminal = terminal.fd;
    run->setup.callers_group = getpgrp();
    run->setup.path = run->lock.path;
    run->setup.mode = lock_mode_name(run->lock.mode);
    run->setup.max_node_size = strlen(run->lock.path) + MAX_NODE_NAME;
    if (!supervisor_start(&supervisor, &run->setup)) {
        return EXIT_SYSTEM;
    }
    int status = run_under_lock(run, &supervisor, &terminal, signals);
    supervisor_end(&supervisor);
    if (terminal.fd >= 0) {
        close(terminal.fd);
    }
    close(signals);
    return status;
}

int command_run(int argc, char **argv)
{
    struct run run = {.setup = {.signal = SIGTERM, .own_group = true}};
    lock_options_init(&run.lock);
    int status = take_arguments(&run, argc, argv);
    if (status == GO_ON) {
        status = supervise_and_run(&run);
    }
    lock_options_free(&run.lock);
    free(run.string);
    return status;
}
