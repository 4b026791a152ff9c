/* SPDX-License-Identifier: Apache-2.0 */
#include "descendants.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

struct process {
    pid_t pid, parent, group;
    bool below_us;
    struct process *next; /* of those whose children are still to be marked */
};

struct processes {
    struct process *all;
    size_t count, room;
};

bool adopt_orphans(void)
{
    return prctl(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L) == 0;
}

/* "pid (name) state parent group ...": the name may contain anything, so its end is the last parenthesis. */
static bool read_process(pid_t pid, struct process *process)
{
    char name[64], text[512];
    snprintf(name, sizeof name, "/proc/%ld/stat", (long)pid);
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    ssize_t size = read(fd, text, sizeof text - 1);
    close(fd);
    text[size > 0 ? size : 0] = '\0';
    const char *fields = strrchr(text, ')');
    if (fields == NULL || strlen(fields) < 4) {
        return false;
    }
    char *end;
    *process = (struct process){.pid = pid, .parent = (pid_t)strtol(fields + 4, &end, 10)};
    process->group = (pid_t)strtol(end, NULL, 10);
    return true;
}

static bool add(struct processes *list, struct process process)
{
    if (list->count == list->room) {
        size_t room = list->room == 0 ? 256 : 2 * list->room;
        struct process *grown = realloc(list->all, room * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        list->all = grown;
        list->room = room;
    }
    list->all[list->count++] = process;
    return true;
}

/* In a PID namespace without a /proc of its own, the numbers there are those of other processes. */
static bool proc_is_ours(void)
{
    char text[32], ours[32];
    ssize_t size = readlink("/proc/self", text, sizeof text - 1);
    text[size > 0 ? size : 0] = '\0';
    snprintf(ours, sizeof ours, "%ld", (long)getpid());
    return strcmp(text, ours) == 0;
}

static bool list_processes(struct processes *list)
{
    DIR *proc = proc_is_ours() ? opendir("/proc") : NULL;
    if (proc == NULL) {
        return false;
    }
    bool complete = true;
    const struct dirent *entry;
    while (complete && (entry = readdir(proc)) != NULL) { // NOLINT(concurrency-mt-unsafe): a stream of our own
        char *end;
        long pid = strtol(entry->d_name, &end, 10);
        struct process process;
        if (end != entry->d_name && *end == '\0' && read_process((pid_t)pid, &process)) {
            complete = add(list, process);
        }
    }
    closedir(proc);
    return complete;
}

static int by_parent(const void *one, const void *other)
{
    pid_t a = ((const struct process *)one)->parent, b = ((const struct process *)other)->parent;
    return (a > b) - (a < b);
}

/* The first of its children in a list that is ordered by parents, or where that would stand. */
static size_t find_children(const struct processes *list, pid_t parent)
{
    size_t from = 0, to = list->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (list->all[middle].parent < parent) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}

/* Each process is marked once, also where numbers that were used again make a circle of what was read. */
static void mark_descendants(struct processes *list)
{
    struct process ourselves = {.pid = getpid()}, *last = &ourselves;
    if (list->count > 0) {
        qsort(list->all, list->count, sizeof *list->all, by_parent);
    }
    for (const struct process *parent = &ourselves; parent != NULL; parent = parent->next) {
        for (size_t i = find_children(list, parent->pid); i < list->count && list->all[i].parent == parent->pid; i++) {
            if (!list->all[i].below_us) {
                list->all[i].below_us = true;
                last->next = &list->all[i];
                last = &list->all[i];
            }
        }
    }
}

/* By a descriptor of the process, looked at again once that is open: the number may be another process's by now. */
static bool signal_process(const struct process *process, int number)
{
    int fd = (int)syscall(SYS_pidfd_open, process->pid, 0);
    if (fd < 0) {
        return errno == ENOSYS && (kill(process->pid, number) == 0 || errno == ESRCH);
    }
    struct process now;
    bool same = read_process(process->pid, &now) && (now.parent == process->parent || now.parent == getpid());
    bool allowed = !same || syscall(SYS_pidfd_send_signal, fd, number, NULL, 0) == 0 || errno != EPERM;
    close(fd);
    return allowed;
}

int signal_descendants(int number, pid_t spared)
{
    struct processes list = {0};
    bool complete = list_processes(&list);
    mark_descendants(&list);
    int count = 0;
    for (size_t i = 0; i < list.count; i++) {
        const struct process *process = &list.all[i];
        if (process->below_us && (spared == 0 || process->group != spared)) {
            count += signal_process(process, number) ? 1 : 0;
        }
    }
    free(list.all);
    return complete ? count : -1;
}
