/* SPDX-License-Identifier: Apache-2.0 */
/* curator-lock's side: starts the supervisor and talks with it. */
#include "supervisor.h"

#include "descendants.h"
#include "message.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int64_t boot_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool failed(const char *what)
{
    complain("%s: %s", what, strerrordesc_np(errno));
    return false;
}

bool supervisor_start(struct supervisor *supervisor, const struct supervisor_setup *setup)
{
    int sockets[2];
    *supervisor = (struct supervisor){.shared_size = sizeof *supervisor->shared + setup->max_node_size};
    if (!adopt_orphans() || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0) {
        return failed("the command cannot be supervised");
    }
    void *memory = mmap(NULL, supervisor->shared_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        close(sockets[0]);
        close(sockets[1]);
        return failed("no memory to share with the supervisor");
    }
    supervisor->shared = memory;
    atomic_store(&supervisor->shared->lease_end_ms, INT64_MAX);
    supervisor->process = fork();
    if (supervisor->process == 0) {
        close(sockets[0]);
        supervise(setup, supervisor->shared, sockets[1]);
    }
    int problem = errno;
    close(sockets[1]);
    supervisor->socket = sockets[0];
    if (supervisor->process < 0) {
        close(sockets[0]);
        munmap(memory, supervisor->shared_size);
        errno = problem;
        return failed("the supervisor of the command cannot be started");
    }
    return true;
}

/*
 * A supervisor that is gone says so by the end of the socket. One that is stopped lets the socket fill up, with
 * signals: a loss that finds no room is told by the lease, of which nothing is left then.
 */
void supervisor_order(const struct supervisor *supervisor, enum order_kind kind, int value)
{
    const struct order order = {.kind = kind, .value = value};
    ssize_t sent;
    while ((sent = send(supervisor->socket, &order, sizeof order, MSG_NOSIGNAL | MSG_DONTWAIT)) < 0 && errno == EINTR) {
    }
    if (sent < 0 && errno == EAGAIN && kind == ORDER_LOST) {
        atomic_store(&supervisor->shared->lease_end_ms, 0);
    }
}

bool supervisor_next_report(const struct supervisor *supervisor, struct report *report)
{
    ssize_t size = recv(supervisor->socket, report, sizeof *report, MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) {
        return false;
    }
    if (size != (ssize_t)sizeof *report) {
        *report = (struct report){.kind = REPORT_GONE};
    }
    return true;
}

void supervisor_end(struct supervisor *supervisor)
{
    close(supervisor->socket);
    while (waitpid(supervisor->process, NULL, 0) < 0 && errno == EINTR) {
    }
    munmap(supervisor->shared, supervisor->shared_size);
}
