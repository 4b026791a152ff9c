/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the ZooKeeper client's descriptors out of programs that the process executes. */
#include "zk/close_on_exec.h"

#include "base/clock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define NUMBERS_TRIED 4096 /* for the handle's threads, before all threads of the process are looked at */
#define CONNECTED_WAIT_MS 10
#define FIRST_PAUSE_NS 20000
#define LONGEST_PAUSE_NS 500000

/* The file's text, cut to the buffer. False with errno set: it cannot be read. */
static bool read_text(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    ssize_t length = read(fd, text, size - 1);
    int error = errno;
    close(fd);
    errno = error;
    text[length > 0 ? length : 0] = '\0';
    return length >= 0;
}

/* A file of one thread of this process. */
static bool read_of_thread(pid_t thread, const char *file, char *text, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/%s", (int)thread, file);
    return read_text(path, text, size);
}

/* Whether there will be an answer another time. */
static bool is_passing(int error)
{
    return error == EMFILE || error == ENFILE || error == ENOMEM || error == EINTR || error == EAGAIN;
}

static bool is_named(pid_t thread, const char *name)
{
    char found[THREAD_NAME_SIZE + 1]; /* and a line feed */
    return read_of_thread(thread, "comm", found, sizeof found) && strcspn(found, "\n") == strlen(name) &&
           strncmp(found, name, strlen(name)) == 0;
}

static pid_t last_thread_number(void)
{
    char load[128];
    const char *last = read_text("/proc/loadavg", load, sizeof load) ? strrchr(load, ' ') : NULL;
    return last != NULL ? (pid_t)strtol(last, NULL, 10) : 0;
}

struct naming close_on_exec_name(struct handle_descriptors *descriptors)
{
    static atomic_uint names;
    struct naming naming = {.last_thread = 0};
    /* Another copy of this library may count too, but not on this thread. */
    unsigned number = ((unsigned)syscall(SYS_gettid) << 6 | (atomic_fetch_add(&names, 1) & 0x3f)) & 0xfffffff;
    *descriptors = (struct handle_descriptors){.reading_end = -1};
    snprintf(descriptors->thread_name, sizeof descriptors->thread_name, "curator-%07x", number);
    prctl(PR_GET_NAME, naming.before);
    prctl(PR_SET_NAME, descriptors->thread_name);
    naming.last_thread = last_thread_number();
    return naming;
}

void close_on_exec_unname(const struct naming *naming)
{
    prctl(PR_SET_NAME, naming->before);
}

struct search {
    struct handle_descriptors *descriptors;
    size_t found;
};

static bool find_thread(struct search *search, pid_t thread)
{
    struct handle_descriptors *descriptors = search->descriptors;
    if (is_named(thread, descriptors->thread_name)) {
        descriptors->threads[search->found++] = thread;
    }
    return search->found == sizeof descriptors->threads / sizeof descriptors->threads[0];
}

/* A thread that ends meanwhile can make the system skip another one in the list; then they are found another time. */
static enum close_on_exec find_among_all(struct handle_descriptors *descriptors)
{
    struct search search = {.descriptors = descriptors};
    DIR *tasks = opendir("/proc/self/task");
    if (tasks == NULL) {
        return is_passing(errno) ? MARK_LATER : CANNOT_MARK;
    }
    bool complete = false;
    for (const struct dirent *entry = readdir(tasks); entry != NULL && !complete; entry = readdir(tasks)) {
        pid_t thread = (pid_t)strtol(entry->d_name, NULL, 10);
        complete = thread > 0 && find_thread(&search, thread);
    }
    closedir(tasks);
    descriptors->threads_known = complete;
    return complete ? MARKED : MARK_LATER;
}

/* Numbers are given in ascending order, so the threads have the next ones, but for threads that started beside them. */
void close_on_exec_find_threads(struct handle_descriptors *descriptors, const struct naming *naming)
{
    struct search search = {.descriptors = descriptors};
    pid_t process = getpid();
    for (int i = 1; i <= NUMBERS_TRIED && naming->last_thread > 0 && !descriptors->threads_known; i++) {
        pid_t thread = naming->last_thread + i;
        bool ours = syscall(SYS_tgkill, process, thread, 0) == 0; /* a thread of this process, at no cost */
        descriptors->threads_known = ours && find_thread(&search, thread);
    }
}

static bool is_poll(long call)
{
#ifdef SYS_poll
    if (call == SYS_poll) {
        return true;
    }
#endif
#ifdef SYS_ppoll_time64
    if (call == SYS_ppoll_time64) {
        return true;
    }
#endif
    return call == SYS_ppoll;
}

/* Memory of a thread that may be ending, which is therefore not touched but asked for. */
static bool read_memory(uintptr_t address, void *to, size_t size)
{
    struct iovec local = {.iov_base = to, .iov_len = size};
    struct iovec remote = {.iov_base = (void *)address, .iov_len = size}; // NOLINT(performance-no-int-to-ptr)
    if (process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)size) {
        return true;
    }
    int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC); /* where a sandbox forbids that call */
    if (memory < 0) {
        return false;
    }
    ssize_t got = pread(memory, to, size, (off_t)address);
    close(memory);
    return got == (ssize_t)size;
}

/* Not by fstat(): the descriptor may be another thread's, which is looked at and not used. */
static bool look_at(int fd, struct stat *status)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return stat(path, status) == 0;
}

static bool is_end(int fd, int access, struct stat *status)
{
    int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && (flags & O_NONBLOCK) != 0 && (flags & O_ACCMODE) == access && look_at(fd, status) &&
           S_ISFIFO(status->st_mode);
}

static bool is_socket(int fd)
{
    struct stat status;
    return look_at(fd, &status) && S_ISSOCK(status.st_mode);
}

static void mark_descriptor(int fd)
{
    int flags = fcntl(fd, F_GETFD);
    if (flags >= 0 && (flags & FD_CLOEXEC) == 0) {
        fcntl(fd, F_SETFD, flags | FD_CLOEXEC);
    }
}

/* All descriptors have smaller numbers. */
static int end_of_descriptors(void)
{
    char status[2048];
    const char *size = read_text("/proc/self/status", status, sizeof status) ? strstr(status, "FDSize:") : NULL;
    return size != NULL ? (int)strtol(size + strlen("FDSize:"), NULL, 10) : (int)sysconf(_SC_OPEN_MAX);
}

static int find_end(int from, int end, const struct stat *pipe)
{
    struct stat status;
    for (int fd = from; fd < end; fd++) {
        if (is_end(fd, O_WRONLY, &status) && status.st_ino == pipe->st_ino && status.st_dev == pipe->st_dev) {
            return fd;
        }
    }
    return -1;
}

/* Nearly always the next number. If only a single one was free below others in use, those are gone through, which takes
 * a tenth of a microsecond each. */
static bool mark_pipe(int reading_end)
{
    struct stat pipe;
    if (!is_end(reading_end, O_RDONLY, &pipe)) {
        return false;
    }
    int writing_end = find_end(reading_end + 1, reading_end + 2, &pipe);
    if (writing_end < 0) {
        int end = end_of_descriptors();
        writing_end = find_end(reading_end + 2, end, &pipe);
        if (writing_end < 0) {
            writing_end = find_end(0, reading_end < end ? reading_end : end, &pipe);
        }
    }
    mark_descriptor(reading_end);
    if (writing_end >= 0) {
        mark_descriptor(writing_end);
    }
    return writing_end >= 0;
}

static bool waits_for_wake_up(const struct pollfd *polled, int reading_end)
{
    return polled[0].events == POLLIN && polled[0].fd >= 0 && (reading_end < 0 || polled[0].fd == reading_end);
}

/* A thread that sleeps in a poll() of one or two descriptors. */
struct sight {
    uintptr_t array;
    unsigned long count;
    struct pollfd polled[2];
};

static enum close_on_exec see(const struct handle_descriptors *descriptors, pid_t thread, struct sight *sight)
{
    char text[256];
    if (!read_of_thread(thread, "syscall", text, sizeof text)) {
        bool later = is_passing(errno) || !is_named(thread, descriptors->thread_name); /* or it has ended */
        return later ? MARK_LATER : CANNOT_MARK;
    }
    char *next = text;
    long call = strtol(text, &next, 10);
    if (next == text || !is_poll(call)) {
        return MARK_LATER; /* it runs, or it is the completion thread */
    }
    sight->array = (uintptr_t)strtoull(next, &next, 16);
    sight->count = strtoul(next, NULL, 16);
    if (sight->array == 0 || sight->count < 1 || sight->count > 2) {
        return MARK_LATER;
    }
    return read_memory(sight->array, sight->polled, sizeof sight->polled) ? MARKED : CANNOT_MARK;
}

static enum close_on_exec look_at_thread(struct handle_descriptors *descriptors, pid_t thread)
{
    struct sight sight;
    struct stat status;
    enum close_on_exec on_event = see(descriptors, thread, &sight);
    if (on_event != MARKED) {
        return on_event;
    }
    /* The name is asked for last: the number may have gone to another thread. */
    if (!waits_for_wake_up(sight.polled, descriptors->reading_end) || !is_end(sight.polled[0].fd, O_RDONLY, &status) ||
        !is_named(thread, descriptors->thread_name)) {
        return MARK_LATER;
    }
    if (descriptors->polled == 0) {
        if (!mark_pipe(sight.polled[0].fd)) {
            return CANNOT_MARK;
        }
        descriptors->reading_end = sight.polled[0].fd;
        descriptors->polled = sight.array;
    }
    on_event = see(descriptors, thread, &sight); /* it still has this socket */
    if (on_event == MARKED && sight.count == 2 && is_socket(sight.polled[1].fd)) {
        mark_descriptor(sight.polled[1].fd);
    }
    return on_event;
}

enum close_on_exec close_on_exec_look(struct handle_descriptors *descriptors)
{
    if (!descriptors->threads_known) {
        enum close_on_exec found = find_among_all(descriptors);
        if (found != MARKED) {
            return found;
        }
    }
    enum close_on_exec worst = MARK_LATER;
    for (size_t i = 0; i < sizeof descriptors->threads / sizeof descriptors->threads[0]; i++) {
        enum close_on_exec on_event = look_at_thread(descriptors, descriptors->threads[i]);
        if (on_event == MARKED) {
            return MARKED;
        }
        worst = on_event == CANNOT_MARK ? CANNOT_MARK : worst;
    }
    return worst;
}

enum close_on_exec close_on_exec_watch(struct handle_descriptors *descriptors, int64_t milliseconds)
{
    int64_t until = clock_after(clock_now(), milliseconds);
    long pause = FIRST_PAUSE_NS;
    enum close_on_exec on_event = close_on_exec_look(descriptors);
    while (on_event == MARK_LATER && clock_now() < until) {
        nanosleep(&(struct timespec){.tv_nsec = pause}, NULL);
        pause = pause * 2 < LONGEST_PAUSE_NS ? pause * 2 : LONGEST_PAUSE_NS;
        on_event = close_on_exec_look(descriptors);
    }
    return on_event;
}

static bool is_connected_to(int fd, const struct sockaddr_storage *peer, socklen_t size)
{
    struct sockaddr_storage address;
    socklen_t address_size = sizeof address;
    return getpeername(fd, (struct sockaddr *)&address, &address_size) == 0 && address_size == size &&
           memcmp(&address, peer, size) == 0;
}

/* The socket is the client's only as long as the array names it and the handle is connected. */
static int connected_socket(const struct handle_descriptors *descriptors, zhandle_t *handle)
{
    struct pollfd polled[2];
    struct sockaddr_storage peer;
    socklen_t size = sizeof peer;
    if (zookeeper_get_connected_host(handle, (struct sockaddr *)&peer, &size) == NULL ||
        !read_memory(descriptors->polled, polled, sizeof polled) ||
        !waits_for_wake_up(polled, descriptors->reading_end) || !is_socket(polled[1].fd) ||
        !is_connected_to(polled[1].fd, &peer, size)) {
        return -1;
    }
    return polled[1].fd;
}

/* What the copy is of is looked at again: the number may have gone to another thread's descriptor meanwhile. */
int close_on_exec_copy_socket(const struct handle_descriptors *descriptors, zhandle_t *handle)
{
    int fd = descriptors->polled != 0 ? connected_socket(descriptors, handle) : -1;
    int copy = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
    struct sockaddr_storage peer;
    socklen_t size = sizeof peer;
    if (copy >= 0 && (connected_socket(descriptors, handle) != fd ||
                      zookeeper_get_connected_host(handle, (struct sockaddr *)&peer, &size) == NULL ||
                      !is_connected_to(copy, &peer, size))) {
        close(copy);
        copy = -1;
    }
    return copy;
}

/*
 * The I/O thread may be running, but its array stays where it is, and names the socket as long as the handle is
 * connected. If that ends while it is looked at, the next connection comes here too.
 */
enum close_on_exec close_on_exec_connected(struct handle_descriptors *descriptors, zhandle_t *handle)
{
    if (descriptors->polled == 0) {
        enum close_on_exec on_event = close_on_exec_watch(descriptors, CONNECTED_WAIT_MS);
        if (on_event != MARKED) {
            return on_event;
        }
    }
    int fd = connected_socket(descriptors, handle);
    if (fd >= 0 && fd == connected_socket(descriptors, handle)) {
        mark_descriptor(fd);
    }
    return MARKED;
}
