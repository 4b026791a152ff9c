/* SPDX-License-Identifier: Apache-2.0 */
/* A program executed by the process inherits none of the library's sockets and pipes: it lists what it got. */
#include "scenario.h"
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    curator_framework *client = connected_client(scenario_argument(argc, argv, 1));
    int status = -1;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        execl("/bin/ls", "ls", "-l", "/proc/self/fd", (char *)NULL);
        _exit(127);
    }
    assert_that(waitpid(pid, &status, 0) == pid);
    assert_ok(curator_framework_close(client));
    return 0;
}
