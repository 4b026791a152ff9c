/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What became of the last try to connect to each server, for sentences.
 *
 * The ZooKeeper client reports no reason for a connection that does not come about: its log is the one place that has
 * it. So the address and the errno value are read from there. To ask the servers ourselves, with a connection of our
 * own, would load servers that are in trouble already, and would answer for another moment. Without these lines (a
 * program has lowered the ZooKeeper client's log level, or a release words them in another way) the reason is unknown
 * here, and sentences do without it.
 */
#ifndef CURATOR_ZK_SERVER_NOTES_H
#define CURATOR_ZK_SERVER_NOTES_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_SERVER_NOTES 16 /* of further servers the oldest are forgotten */
#define NOTED_ADDRESS_SIZE 64

struct server_note {
    char address[NOTED_ADDRESS_SIZE]; /* with the port */
    bool accepted;                    /* the connection of the try going on */
    bool was_accepted;                /* that of the last one that failed */
    int error;                        /* the errno value of the last one that failed; 0: none has */
};

/*
 * The mutex guards the rest. It is the last in the order of locks: the ZooKeeper client logs while it holds locks of
 * its own, and the client's mutex is held when sentences are made.
 */
struct server_notes {
    pthread_mutex_t mutex;
    struct server_note notes[MAX_SERVER_NOTES];
    size_t count; /* ever noted */
};

#define SERVER_NOTES_INIT                                                                                              \
    {                                                                                                                  \
        .mutex = PTHREAD_MUTEX_INITIALIZER                                                                             \
    }

/* Takes a line of the ZooKeeper client's log; most say nothing about this. On any thread. */
void server_notes_take(struct server_notes *notes, const char *line);

/* A server has accepted a session: what was noted is over. */
void server_notes_clear(struct server_notes *notes);

/* Why this server could not be used: "connection refused". False, and "", if nothing is known. */
bool server_notes_text(struct server_notes *notes, const char *address, uint16_t port, char *text, size_t size);

#endif
