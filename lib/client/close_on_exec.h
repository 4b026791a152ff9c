/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps the ZooKeeper client's descriptors out of programs that the process executes. That client sets no
 * close-on-exec flag and does not tell its descriptors, so they are recognised by what they are.
 */
#ifndef CURATOR_CLIENT_CLOSE_ON_EXEC_H
#define CURATOR_CLIENT_CLOSE_ON_EXEC_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/types.h>

/* The pipes open at a moment, by inode: descriptor numbers are used again at once by other threads. */
struct pipes {
    size_t count;
    ino_t *inodes; /* ascending */
};

bool pipes_open_now(struct pipes *pipes); /* false: no memory; none where /proc cannot be read */
void pipes_free(struct pipes *pipes);

/* Marks the pipe that has appeared since, if both of its ends are non-blocking, as the client's wake-up pipe is. */
void close_on_exec_new_pipe(const struct pipes *before);

/* Marks the sockets connected to this address. */
void close_on_exec_sockets_to(const struct sockaddr *peer, socklen_t size);

#endif
