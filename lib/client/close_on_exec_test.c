/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of how the ZooKeeper client's descriptors are recognised. */
#include "client/close_on_exec.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <unistd.h>

static bool marked(int fd)
{
    return (fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0;
}

Test(close_on_exec, marks_a_new_wake_up_pipe_and_nothing_that_was_there_or_looks_different)
{
    int old[2], wake_up[2], blocking[2];
    cr_assert_eq(pipe2(old, O_NONBLOCK), 0);
    struct pipes before;
    cr_assert(pipes_open_now(&before));
    cr_assert_eq(pipe2(wake_up, O_NONBLOCK), 0);
    cr_assert_eq(pipe(blocking), 0);
    close_on_exec_new_pipe(&before);
    pipes_free(&before);
    cr_assert(marked(wake_up[0]) && marked(wake_up[1]));
    cr_assert_not(marked(old[0]) || marked(old[1]));
    cr_assert_not(marked(blocking[0]) || marked(blocking[1]));
}

Test(close_on_exec, marks_the_sockets_connected_to_the_server)
{
    int server = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    cr_assert_eq(bind(server, (struct sockaddr *)&address, size), 0);
    cr_assert_eq(listen(server, 1), 0);
    cr_assert_eq(getsockname(server, (struct sockaddr *)&address, &size), 0);
    cr_assert_eq(connect(client, (struct sockaddr *)&address, size), 0);
    close_on_exec_sockets_to((struct sockaddr *)&address, size);
    cr_assert(marked(client));
    cr_assert_not(marked(server));
}
