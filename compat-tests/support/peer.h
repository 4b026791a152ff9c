/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of the C test peer: its lines of text (peer_text.c), its verbs (peer_verbs.c, peer_client.c,
 * peer_read_write_lock.c, peer_semaphore.c, peer_revocation.c, peer_contenders.c, peer_handle.c, peer_lateness.c), its
 * threads (peer.c).
 */
#ifndef PEER_H
#define PEER_H

#include <curator/curator.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A decoded token; a NUL follows its bytes, which may contain NULs themselves. */
struct token {
    char *bytes;
    size_t size;
};

/* One line of the test. Owns its tokens. */
struct request {
    struct request *next;
    char *id;
    char *thread;
    char *verb;
    size_t count;
    struct token *arguments;
};

/* A line that grows. Owned by one thread. */
struct line {
    char *text;
    size_t size;
    size_t capacity;
};

void *allocate(size_t size);
double monotonic_ms(void);

/* Takes a line apart; NULL if it has fewer than three tokens. */
struct request *request_parse(const char *line);
void request_free(struct request *request);
/* The argument's text; ends the process with a message if the test gave too few. */
const char *argument(const struct request *request, size_t index);

/* Appends a token, escaped, after a space unless the line is empty. */
void line_add(struct line *line, const char *text);
void line_add_number(struct line *line, int64_t number);
void line_add_ms(struct line *line, double milliseconds);
/* Moves the tokens of another line to the end of this one. */
void line_append(struct line *line, struct line *more);
/* Writes the line to standard output in one piece and empties it. Any thread. */
void line_send(struct line *line);
/*
 * What was done before lines that were sent has happened before what follows. The test, which has seen those lines,
 * knows so; ThreadSanitizer does not.
 */
void line_after_all_sent(void);

/* What a verb answers with: a status and the values that follow it. */
struct answer {
    curator_status status;
    struct line values; /* already escaped */
};

/* A client, mutex or read-write lock under its name. Lives until verbs_free(), since callbacks point at it. */
struct entry {
    struct entry *next;
    char *name;
    curator_framework *client; /* one of these three; NULL once closed or destroyed */
    curator_mutex *mutex;
    curator_read_write_lock *lock;
};

extern struct entry *clients;
extern struct entry *mutexes;

struct entry *entry_new(const char *name);
void entry_add(struct entry **list, struct entry *entry);
/* The live entry of that name, or NULL. */
struct entry *entry_find(struct entry *const *list, const char *name);
void entry_end(struct entry *entry);
/* A mutex that has been created with the answer's status takes its place. */
void mutex_enter_list(struct entry *entry, struct answer *answer);
/* Reports an event to the test; detail may be NULL. */
void send_event(const char *kind, const char *name, const char *detail);

/* The verbs of the other files, as verb_run(). */
bool client_open(const struct request *request, struct answer *answer);
bool client_verb(const struct request *request, struct answer *answer);
bool read_write_lock_verb(const struct request *request, struct answer *answer);
bool revocation_verb(const struct request *request, struct answer *answer);
bool contenders_verb(const struct request *request, struct answer *answer);
bool handle_verb(const struct request *request, struct answer *answer);
bool semaphore_verb(const struct request *request, struct answer *answer);
bool lateness_verb(const struct request *request, struct answer *answer);
void read_write_locks_free(void);
void semaphores_free(void);

/* Runs a request on the calling thread. False: there is no such verb, or no client or mutex of that name. */
bool verb_run(const struct request *request, struct answer *answer);
/* Closes every client; threads that wait come back. */
void verbs_close_clients(void);
/* Destroys what is left and frees the names; after every thread has ended. */
void verbs_free(void);

#endif
