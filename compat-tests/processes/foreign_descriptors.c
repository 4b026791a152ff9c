/* SPDX-License-Identifier: Apache-2.0 */
/*
 * While frameworks connect, lose their connection and close, the program opens pipes and sockets that look like the
 * ZooKeeper client's: non-blocking, to the same server, without close-on-exec. All keep their flags.
 */
#include "scenario.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

#define PIPES 100
#define SOCKETS 4
#define FRAMEWORKS 5
#define ROUNDS 20

static atomic_bool connecting = true;
static struct sockaddr_in server;

static void assert_inheritable(int fd)
{
    int flags = fcntl(fd, F_GETFD);
    assert_that(flags >= 0 && (flags & FD_CLOEXEC) == 0);
}

static void *open_pipes(void *context)
{
    (void)context;
    while (connecting) {
        int pipes[PIPES][2];
        for (size_t i = 0; i < PIPES; i++) {
            assert_that(pipe2(pipes[i], O_NONBLOCK) == 0);
        }
        for (size_t i = 0; i < PIPES; i++) {
            for (size_t end = 0; end < 2; end++) {
                assert_inheritable(pipes[i][end]);
                close(pipes[i][end]);
            }
        }
    }
    return NULL;
}

static void *open_sockets(void *context)
{
    (void)context;
    while (connecting) {
        int sockets[SOCKETS];
        for (size_t i = 0; i < SOCKETS; i++) {
            sockets[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
            assert_that(sockets[i] >= 0);
            (void)connect(sockets[i], (struct sockaddr *)&server, sizeof server); /* goes on in the background */
        }
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
        for (size_t i = 0; i < SOCKETS; i++) {
            assert_inheritable(sockets[i]);
            close(sockets[i]);
        }
    }
    return NULL;
}

static void connect_and_reconnect(const char *connect_string)
{
    curator_framework *clients[FRAMEWORKS];
    for (size_t i = 0; i < FRAMEWORKS; i++) {
        assert_ok(curator_framework_open(
            &clients[i],
            &(curator_framework_options){.connect_string = connect_string, .connection_timeout_ms = bound_ms(20000)}));
    }
    for (size_t i = 0; i < FRAMEWORKS; i++) {
        assert_ok(curator_framework_await_connected(clients[i], bound_ms(20000)));
    }
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL); /* in which the test may cut them off */
    for (size_t i = 0; i < FRAMEWORKS; i++) {
        curator_status status = curator_framework_close(clients[i]);
        assert_that(status == CURATOR_OK || status == CURATOR_CONNECTION_LOSS);
    }
}

int main(int argc, char **argv)
{
    const char *connect_string = scenario_argument(argc, argv, 1);
    pthread_t pipes, sockets;
    server = (struct sockaddr_in){.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                                  .sin_port = htons((uint16_t)atoi(strrchr(connect_string, ':') + 1))};
    assert_that(pthread_create(&pipes, NULL, open_pipes, NULL) == 0);
    assert_that(pthread_create(&sockets, NULL, open_sockets, NULL) == 0);
    for (int i = 0; i < ROUNDS; i++) {
        connect_and_reconnect(connect_string);
    }
    connecting = false;
    pthread_join(pipes, NULL);
    pthread_join(sockets, NULL);
    return 0;
}
