/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the ZooKeeper client's descriptors out of programs that the process executes. */
#include "client/close_on_exec.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define MOST_TRIED 65536 /* where the open descriptors cannot be listed, all numbers below are tried */

/* The descriptors that are open, one after the other; without a list some that are not. */
struct walk {
    DIR *directory; /* NULL: no list */
    int next, end;
};

static struct walk walk_begin(void)
{
    struct walk walk = {.directory = opendir("/proc/self/fd"), .end = MOST_TRIED};
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < MOST_TRIED) {
        walk.end = (int)limit.rlim_cur;
    }
    return walk;
}

/* -1: there are no more. */
static int walk_on(struct walk *walk)
{
    if (walk->directory == NULL) {
        return walk->next < walk->end ? walk->next++ : -1;
    }
    for (const struct dirent *entry = readdir(walk->directory); entry != NULL; entry = readdir(walk->directory)) {
        char *end;
        long number = strtol(entry->d_name, &end, 10);
        if (end != entry->d_name && *end == '\0' && number != dirfd(walk->directory)) {
            return (int)number;
        }
    }
    return -1;
}

static void walk_end(struct walk *walk)
{
    if (walk->directory != NULL) {
        closedir(walk->directory);
    }
}

/*
 * What a descriptor is, from its name in /proc: it may be another thread's, which is looked at and not used. The inode
 * if it is of this kind, "pipe" or "socket"; 0 if not.
 */
static ino_t inode_of(int fd, const char *kind)
{
    char link[32];
    char name[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, name, sizeof name - 1);
    size_t length = strlen(kind);
    if (size <= (ssize_t)length || strncmp(name, kind, length) != 0) {
        return 0;
    }
    name[size] = '\0';
    return (ino_t)strtoull(name + length + strlen(":["), NULL, 10);
}

static int compare(const void *left, const void *right)
{
    ino_t a = *(const ino_t *)left, b = *(const ino_t *)right;
    return (a > b) - (a < b);
}

static bool add(struct pipes *pipes, size_t *room, ino_t inode)
{
    if (pipes->count == *room) {
        ino_t *inodes = realloc(pipes->inodes, (*room + 64) * sizeof *inodes);
        if (inodes == NULL) {
            return false;
        }
        pipes->inodes = inodes;
        *room += 64;
    }
    pipes->inodes[pipes->count++] = inode;
    return true;
}

bool pipes_open_now(struct pipes *pipes)
{
    size_t room = 0;
    bool complete = true;
    *pipes = (struct pipes){0};
    struct walk walk = walk_begin();
    for (int fd = walk_on(&walk); fd >= 0 && complete; fd = walk_on(&walk)) {
        ino_t inode = inode_of(fd, "pipe");
        complete = inode == 0 || add(pipes, &room, inode);
    }
    walk_end(&walk);
    if (!complete) {
        pipes_free(pipes);
        return false;
    }
    if (pipes->count > 0) {
        qsort(pipes->inodes, pipes->count, sizeof *pipes->inodes, compare);
    }
    return true;
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

/* The inode of a non-blocking end of a pipe that was not there before; 0: it is none. */
static ino_t new_end(int fd, int access, const struct pipes *before)
{
    ino_t inode = inode_of(fd, "pipe");
    if (inode == 0 ||
        (before->count > 0 && bsearch(&inode, before->inodes, before->count, sizeof inode, compare) != NULL)) {
        return 0;
    }
    int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && (flags & O_NONBLOCK) != 0 && (flags & O_ACCMODE) == access ? inode : 0;
}

/* Marks the reading end if the writing end is found. */
static void mark_both_ends(int reading_end, ino_t pipe, const struct pipes *before)
{
    struct walk walk = walk_begin();
    for (int fd = walk_on(&walk); fd >= 0; fd = walk_on(&walk)) {
        if (new_end(fd, O_WRONLY, before) == pipe) {
            mark(reading_end);
            mark(fd);
        }
    }
    walk_end(&walk);
}

void close_on_exec_new_pipe(const struct pipes *before)
{
    struct walk walk = walk_begin();
    for (int fd = walk_on(&walk); fd >= 0; fd = walk_on(&walk)) {
        ino_t inode = new_end(fd, O_RDONLY, before);
        if (inode != 0) {
            mark_both_ends(fd, inode, before);
        }
    }
    walk_end(&walk);
}

void close_on_exec_sockets_to(const struct sockaddr *peer, socklen_t size)
{
    struct walk walk = walk_begin();
    for (int fd = walk_on(&walk); fd >= 0; fd = walk_on(&walk)) {
        struct sockaddr_storage address;
        socklen_t address_size = sizeof address;
        if (inode_of(fd, "socket") != 0 && getpeername(fd, (struct sockaddr *)&address, &address_size) == 0 &&
            address_size == size && memcmp(&address, peer, size) == 0) {
            mark(fd);
        }
    }
    walk_end(&walk);
}
