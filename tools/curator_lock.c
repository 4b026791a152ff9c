/* SPDX-License-Identifier: Apache-2.0 */
/* curator-lock: a command under a lock of the fleet, and who holds it. Finds the command; the files named after the
 * commands do the rest. */
#include "commands.h"
#include "help.h"
#include "message.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"run", command_run},   {"hold", command_hold},     {"list", command_list},
    {"test", command_test}, {"revoke", command_revoke},
};

int main(int argc, char **argv)
{
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
