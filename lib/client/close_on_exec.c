/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the ZooKeeper client's descriptors out of programs that the process executes. */
#include "client/close_on_exec.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int compare(const void *left, const void *right)
{
    int a = *(const int *)left, b = *(const int *)right;
    return (a > b) - (a < b);
}

struct descriptors descriptors_open_now(void)
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
                descriptors_free(&all);
                break;
            }
            all.numbers = numbers;
        }
        all.numbers[all.count++] = (int)number;
    }
    closedir(directory);
    if (all.count > 0) {
        qsort(all.numbers, all.count, sizeof *all.numbers, compare);
    }
    return all;
}

void descriptors_free(struct descriptors *descriptors)
{
    free(descriptors->numbers);
    *descriptors = (struct descriptors){0};
}

static bool contains(const struct descriptors *descriptors, int fd)
{
    return bsearch(&fd, descriptors->numbers, descriptors->count, sizeof fd, compare) != NULL;
}

static void mark(int fd)
{
    int flags = fcntl(fd, F_GETFD);
    if (flags >= 0) {
        fcntl(fd, F_SETFD, flags | FD_CLOEXEC);
    }
}

static bool is_pipe_end(int fd, int access, struct stat *status)
{
    int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && (flags & O_NONBLOCK) != 0 && (flags & O_ACCMODE) == access && fstat(fd, status) == 0 &&
           S_ISFIFO(status->st_mode);
}

void close_on_exec_new_pipe(const struct descriptors *before)
{
    if (before->count == 0) {
        return;
    }
    struct descriptors now = descriptors_open_now();
    for (size_t i = 0; i < now.count; i++) {
        struct stat reading, writing;
        if (contains(before, now.numbers[i]) || !is_pipe_end(now.numbers[i], O_RDONLY, &reading)) {
            continue;
        }
        for (size_t j = 0; j < now.count; j++) {
            if (!contains(before, now.numbers[j]) && is_pipe_end(now.numbers[j], O_WRONLY, &writing) &&
                writing.st_ino == reading.st_ino && writing.st_dev == reading.st_dev) {
                mark(now.numbers[i]);
                mark(now.numbers[j]);
            }
        }
    }
    descriptors_free(&now);
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
    descriptors_free(&now);
}
