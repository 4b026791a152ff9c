/* SPDX-License-Identifier: Apache-2.0 */
#include "terminal.h"

#include <fcntl.h>
#include <unistd.h>

void terminal_open(struct terminal *terminal)
{
    *terminal = (struct terminal){.fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)};
    terminal->has_modes = terminal->fd >= 0 && tcgetattr(terminal->fd, &terminal->modes) == 0;
}

bool terminal_is_ours(const struct terminal *terminal)
{
    return terminal->fd >= 0 && tcgetpgrp(terminal->fd) == getpgrp();
}

void terminal_give(const struct terminal *terminal, pid_t group)
{
    if (group != 0 && terminal_is_ours(terminal)) {
        tcsetpgrp(terminal->fd, group);
    }
}

void terminal_take_back(const struct terminal *terminal, pid_t group)
{
    if (terminal->fd >= 0 && group != 0 && tcgetpgrp(terminal->fd) == group) {
        tcsetpgrp(terminal->fd, getpgrp());
    }
}

void terminal_restore_modes(const struct terminal *terminal)
{
    if (terminal->has_modes && terminal_is_ours(terminal)) {
        tcsetattr(terminal->fd, TCSANOW, &terminal->modes);
    }
}
