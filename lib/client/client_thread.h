/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that end by themselves and are joined afterwards. What it takes to be joined is had before the thread starts,
 * so that its end needs no memory. With the client's mutex held.
 */
#ifndef CURATOR_CLIENT_CLIENT_THREAD_H
#define CURATOR_CLIENT_CLIENT_THREAD_H

struct client;
struct client_thread;

/* 0 or an errno value. It receives none of the program's signals. */
int client_thread_start(struct client *client, void *(*run)(void *context), void *context);

/* On such a thread: all it still does is to let go of its locks and end. One that never says so detaches itself. */
void client_thread_ends(struct client *client);

/* Joins those that have said so. Lets go of the mutex meanwhile. */
void client_thread_join(struct client *client);

/* Forgets those that have detached themselves. */
void client_thread_forget(struct client *client);

#endif
