/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the ZooKeeper client's descriptors out of programs that the process executes. */
#include "client/close_on_exec.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct descriptors {
    size_t count;
    int *numbers;
};

static struct descriptors descriptors_open_now(void)
{
    struct descriptors all = {0};
    DIR *directory = opendir("/proc/self/fd");
    if (directory == NULL) {
        return all;
    }
    size_t room = 0;
    for (const struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
        char *end;
        long number = strtol(entry->d_name, &end, 10);
        if (end == entry->d_name || *end != '\0' || number == dirfd(directory)) {
            continue;
        }
        if (all.count == room) {
            room = room > 0 ? 2 * room : 64;
            int *numbers = realloc(all.numbers, room * sizeof *numbers);
            if (numbers == NULL) {
                break; /* the rest goes unmarked */
            }
            all.numbers = numbers;
        }
        all.numbers[all.count++] = (int)number;
    }
    closedir(directory);
    return all;
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
        struct stat status;
        if (fstat(now.numbers[i], &status) == 0 && S_ISFIFO(status.st_mode)) {
            pipes.inodes[pipes.count++] = status.st_ino;
        }
    }
    free(now.numbers);
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
static bool is_new_end(int fd, int access, const struct pipes *before, ino_t *inode)
{
    struct stat status;
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || (flags & O_NONBLOCK) == 0 || (flags & O_ACCMODE) != access || fstat(fd, &status) != 0 ||
        !S_ISFIFO(status.st_mode)) {
        return false;
    }
    *inode = status.st_ino;
    return bsearch(inode, before->inodes, before->count, sizeof *inode, compare) == NULL;
}

void close_on_exec_new_pipe(const struct pipes *before)
{
    if (before->inodes == NULL) {
        return;
    }
    struct descriptors now = descriptors_open_now();
    for (size_t i = 0; i < now.count; i++) {
        ino_t reading, writing;
        if (!is_new_end(now.numbers[i], O_RDONLY, before, &reading)) {
            continue;
        }
        for (size_t j = 0; j < now.count; j++) {
            if (is_new_end(now.numbers[j], O_WRONLY, before, &writing) && writing == reading) {
                mark(now.numbers[i]);
                mark(now.numbers[j]);
            }
        }
    }
    free(now.numbers);
}

void close_on_exec_sockets_to(const struct sockaddr *peer, socklen_t size)
{
    struct descriptors now = descriptors_open_now();
    for (size_t i = 0; i < now.count; i++) {
        struct sockaddr_storage address;
        socklen_t address_size = sizeof address;
        if (getpeername(now.numbers[i], (struct sockaddr *)&address, &address_size) == 0 && address_size == size &&
            memcmp(&address, peer, size) == 0) {
            mark(now.numbers[i]);
        }
    }
    free(now.numbers);
}
