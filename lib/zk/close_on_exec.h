/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps the ZooKeeper client's descriptors out of programs that the process executes. That client sets no close-on-exec
 * flag and does not tell its descriptors, so they are read where its I/O thread sleeps: in a poll() of the reading end
 * of its wake-up pipe and of its socket. The thread is recognised by its name, which it inherits from the thread that
 * opens the handle. No descriptor is taken for the client's by what it looks like, and the cost does not depend on how
 * many the process has.
 */
#ifndef CURATOR_ZK_CLOSE_ON_EXEC_H
#define CURATOR_ZK_CLOSE_ON_EXEC_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <zookeeper/zookeeper.h>

#define THREAD_NAME_SIZE 16

/* Where the descriptors of one handle are found. Copied freely; what the copies mark is the same. */
struct handle_descriptors {
    char thread_name[THREAD_NAME_SIZE]; /* of the handle's two threads, and of no other */
    pid_t threads[2];
    bool threads_known;
    uintptr_t polled; /* the address of the I/O thread's array for poll(); 0: not known yet */
    int reading_end;  /* of the wake-up pipe */
};

enum close_on_exec {
    MARKED,
    MARK_LATER,  /* not to be seen just now */
    CANNOT_MARK, /* the system does not show it */
};

/* Before a handle is opened: gives the calling thread the name that the handle's threads will inherit. */
struct naming {
    char before[THREAD_NAME_SIZE];
    pid_t last_thread; /* the last number that the system has given to a thread; 0: not known */
};
struct naming close_on_exec_name(struct handle_descriptors *descriptors);

/* Afterwards: gives it its own name back and, if the handle is open, looks where its threads should be. */
void close_on_exec_unname(const struct naming *naming);
void close_on_exec_find_threads(struct handle_descriptors *descriptors, const struct naming *naming);

/* Marks what the I/O thread sleeps on: the pipe, and the socket if there is one. Once, without waiting. */
enum close_on_exec close_on_exec_look(struct handle_descriptors *descriptors);

/* Looks again and again for so long, in short pauses. */
enum close_on_exec close_on_exec_watch(struct handle_descriptors *descriptors, int64_t milliseconds);

/*
 * On the handle's completion thread, at a connection: marks the socket. The handle must be open. Waits for a sight of
 * the I/O thread only if there was none yet.
 */
enum close_on_exec close_on_exec_connected(struct handle_descriptors *descriptors, zhandle_t *handle);

/*
 * A copy of the socket of a connected handle, which must stay open meanwhile; to be closed by the caller. -1: it is not
 * connected, or the system does not show its socket just now.
 */
int close_on_exec_copy_socket(const struct handle_descriptors *descriptors, zhandle_t *handle);

#endif
