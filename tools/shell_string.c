/* SPDX-License-Identifier: Apache-2.0 */
#include "shell_string.h"

#include <stddef.h>
#include <string.h>

/* Reserved words and what POSIX shells do themselves, or differently from a program of that name. */
static const char *const of_the_shell[] = {
    ".",      ":",        "alias",   "bg",    "break", "case", "cd",    "command", "continue", "do",     "done",
    "echo",   "elif",     "else",    "esac",  "eval",  "exec", "exit",  "export",  "false",    "fc",     "fg",
    "fi",     "for",      "getopts", "hash",  "if",    "in",   "jobs",  "kill",    "local",    "printf", "pwd",
    "read",   "readonly", "return",  "set",   "shift", "test", "then",  "times",   "trap",     "true",   "type",
    "ulimit", "umask",    "unalias", "unset", "until", "wait", "while",
};

#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-"

bool is_simple_command(const char *string)
{
    string += strspn(string, " \t");
    size_t length = strspn(string, PLAIN);
    if (length == 0 || *string == '-' || (string[length] != '\0' && strchr(" \t", string[length]) == NULL)) {
        return false;
    }
    for (size_t i = 0; i < sizeof of_the_shell / sizeof *of_the_shell; i++) {
        if (strlen(of_the_shell[i]) == length && strncmp(string, of_the_shell[i], length) == 0) {
            return false;
        }
    }
    return strpbrk(string, ";&|()\n#`") == NULL;
}
