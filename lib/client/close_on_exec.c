/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the ZooKeeper client's descriptors out of programs that the process executes. */
#include "client/close_on_exec.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct descriptor {
    int number;
    bool socket;
    ino_t pipe; /* its inode; 0: no pipe */
};

struct descriptors {
    size_t count;
    struct descriptor *all;
};

/* What a descriptor is, from its name in /proc: other threads' descriptors are looked at, not used. */
static struct descriptor describe(int number, int directory, const char *name)
{
    struct descriptor descriptor = {.number = number};
    char what[64];
    ssize_t length = readlinkat(directory, name, what, sizeof what - 1);
    if (length > 0) {
        what[length] = '\0';
        descriptor.socket = strncmp(what, "socket:[", 8) == 0;
        descriptor.pipe = strncmp(what, "pipe:[", 6) == 0 ? (ino_t)strtoull(what + 6, NULL, 10) : 0;
    }
    return descriptor;
}

static struct descriptors descriptors_open_now(void)
{
    struct descriptors now = {0};
    DIR *directory = opendir("/proc/self/fd");
    if (directory == NULL) {
        return now;
    }
    size_t room = 0;
    for (const struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
        char *end;
        long number = strtol(entry->d_name, &end, 10);
        if (end == entry->d_name || *end != '\0' || number == dirfd(directory)) {
            continue;
        }
        if (now.count == room) {
            room = room > 0 ? 2 * room : 64;
            struct descriptor *all = realloc(now.all, room * sizeof *all);
            if (all == NULL) {
                break; /* the rest goes unmarked */
            }
            now.all = all;
        }
        now.all[now.count++] = describe((int)number, dirfd(directory), entry->d_name);
    }
    closedir(directory);
    return now;
}

static int compare(const void *left, const void *right)
{
    ino_t a = *(const ino_t *)left, b = *(const ino_t *)right;
    return (a > b) - (a < b);
}

struct pipes pipes_open_now(void)
{
    struct descriptors now = descriptors_open_now();
    struct pipes pipes = {.inodes = calloc(now.count + 1, sizeof *pipes.inodes)};
    for (size_t i = 0; pipes.inodes != NULL && i < now.count; i++) {
        if (now.all[i].pipe != 0) {
            pipes.inodes[pipes.count++] = now.all[i].pipe;
        }
    }
    free(now.all);
    if (pipes.count > 0) {
        qsort(pipes.inodes, pipes.count, sizeof *pipes.inodes, compare);
    }
    return pipes;
}

void pipes_free(struct pipes *pipes)
{
    free(pipes->inodes);
    *pipes = (struct pipes){0};
}

static void mark(int fd)
{
    int flags = fcntl(fd, F_GETFD);
    if (flags >= 0) {
        fcntl(fd, F_SETFD, flags | FD_CLOEXEC);
    }
}

/* Whether it is a non-blocking end of a pipe that was not there before. */
static bool is_new_end(const struct descriptor *descriptor, int access, const struct pipes *before)
{
    if (descriptor->pipe == 0 ||
        bsearch(&descriptor->pipe, before->inodes, before->count, sizeof *before->inodes, compare) != NULL) {
        return false;
    }
    int flags = fcntl(descriptor->number, F_GETFL);
    return flags >= 0 && (flags & O_NONBLOCK) != 0 && (flags & O_ACCMODE) == access;
}

void close_on_exec_new_pipe(const struct pipes *before)
{
    if (before->inodes == NULL) {
        return;
    }
    struct descriptors now = descriptors_open_now();
    for (size_t i = 0; i < now.count; i++) {
        if (!is_new_end(&now.all[i], O_RDONLY, before)) {
            continue;
        }
        for (size_t j = 0; j < now.count; j++) {
            if (now.all[j].pipe == now.all[i].pipe && is_new_end(&now.all[j], O_WRONLY, before)) {
                mark(now.all[i].number);
                mark(now.all[j].number);
            }
        }
    }
    free(now.all);
}

void close_on_exec_sockets_to(const struct sockaddr *peer, socklen_t size)
{
    struct descriptors now = descriptors_open_now();
    for (size_t i = 0; i < now.count; i++) {
        struct sockaddr_storage address;
        socklen_t address_size = sizeof address;
        if (now.all[i].socket && getpeername(now.all[i].number, (struct sockaddr *)&address, &address_size) == 0 &&
            address_size == size && memcmp(&address, peer, size) == 0) {
            mark(now.all[i].number);
        }
    }
    free(now.all);
}
