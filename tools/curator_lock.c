/* SPDX-License-Identifier: Apache-2.0 */
/* curator-lock: a command under a lock of the fleet, and who holds it. Finds the command; the files named after the
 * commands do the rest. */
#include "commands.h"
#include "exit_status.h"
#include "help.h"
#include "message.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"run", command_run},   {"hold", command_hold},     {"list", command_list},
    {"test", command_test}, {"revoke", command_revoke},
};

/*
 * A number below 3 that is free would be given to the next descriptor that is opened: what we print would be sent to a
 * server or to the supervisor. What stands there instead can neither be read nor written, and the command finds the
 * number free again.
 */
static bool occupy_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        int access = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", access | O_CLOEXEC) != fd) {
            return false;
        }
    }
    return true;
}

static int run(int argc, char **argv)
{
    if (!occupy_standard_descriptors()) {
        complain("standard input, output or error is closed, and /dev/null cannot be opened");
        return EXIT_SYSTEM;
    }
    for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(argv[1], commands[i].name) == 0) {
            return commands[i].run(argc - 1, argv + 1);
        }
    }
    /* A lock path begins with a slash, so no command can be taken for one. */
    if (argc > 1 && argv[1][0] != '/' && argv[1][0] != '-') {
        return wrong_usage("there is no command '%s', and a lock path begins with a slash", argv[1]);
    }
    return command_run(argc, argv);
}

int main(int argc, char **argv)
{
    int status = run(argc, argv);
    message_end();
    return status;
}
