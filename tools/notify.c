/* SPDX-License-Identifier: Apache-2.0 */
#include "notify.h"

#include "message.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

void notify(const char *state)
{
    const char *name = getenv("NOTIFY_SOCKET"); // NOLINT(concurrency-mt-unsafe): nobody changes the environment
    if (name == NULL || *name == '\0') {
        return;
    }
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(name);
    if (length >= sizeof address.sun_path) {
        warn("NOTIFY_SOCKET is too long");
        return;
    }
    memcpy(address.sun_path, name, length);
    if (name[0] == '@') {
        address.sun_path[0] = '\0'; /* an abstract name */
    }
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
    const struct timeval longest = {.tv_sec = 1}; /* the lock is held meanwhile */
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd >= 0) {
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &longest, sizeof longest);
    }
    if (fd < 0 || sendto(fd, state, strlen(state), MSG_NOSIGNAL, (const struct sockaddr *)&address, size) < 0) {
        warn("systemd cannot be notified: %s", strerrordesc_np(errno));
    }
    if (fd >= 0) {
        close(fd);
    }
}
