/* SPDX-License-Identifier: Apache-2.0 */
/* What became of the last try to connect to each server, as the ZooKeeper client's log says. */
#include "zk/server_notes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct server_note *find_note(struct server_notes *notes, const char *address)
{
    size_t kept = notes->count < MAX_SERVER_NOTES ? notes->count : MAX_SERVER_NOTES;
    for (size_t i = 0; i < kept; i++) {
        if (strcmp(notes->notes[i].address, address) == 0) {
            return &notes->notes[i];
        }
    }
    return NULL;
}

static struct server_note *find_or_add_note(struct server_notes *notes, const char *address)
{
    struct server_note *note = find_note(notes, address);
    if (note == NULL) {
        note = &notes->notes[notes->count++ % MAX_SERVER_NOTES];
        *note = (struct server_note){.error = 0};
        snprintf(note->address, sizeof note->address, "%s", address);
    }
    return note;
}

/* Copies an address without the brackets of IPv6, or of other releases around all of it. False: it is none. */
static bool read_address(char address[NOTED_ADDRESS_SIZE], const char *text)
{
    size_t length = 0;
    for (; *text != '\0' && *text != ' ' && *text != '\n'; text++) {
        if (length >= NOTED_ADDRESS_SIZE - 1) {
            return false;
        }
        if (*text != '[' && *text != ']') {
            address[length++] = *text;
        }
    }
    address[length] = '\0';
    return length > 0;
}

/* What follows a mark in a text; NULL: it is not in there. */
static const char *after(const char *text, const char *mark)
{
    const char *found = text != NULL ? strstr(text, mark) : NULL;
    return found != NULL ? found + strlen(mark) : NULL;
}

void server_notes_take(struct server_notes *notes, const char *line)
{
    char address[NOTED_ADDRESS_SIZE];
    const char *connected = after(line, "nitiated connection to server ");
    const char *failed = connected == NULL ? after(line, "Socket ") : NULL;
    const char *error = after(after(failed, " zk retcode="), "errno=");
    bool noteworthy = connected != NULL || error != NULL;
    if (!noteworthy || !read_address(address, connected != NULL ? connected : failed)) {
        return;
    }
    pthread_mutex_lock(&notes->mutex);
    struct server_note *note = find_or_add_note(notes, address);
    if (connected == NULL) {
        note->error = (int)strtol(error, NULL, 10);
        note->was_accepted = note->accepted;
    }
    note->accepted = connected != NULL;
    pthread_mutex_unlock(&notes->mutex);
}

void server_notes_clear(struct server_notes *notes)
{
    pthread_mutex_lock(&notes->mutex);
    notes->count = 0;
    pthread_mutex_unlock(&notes->mutex);
}

/* Other errors are named as the system does. */
static const char *text_of(const struct server_note *note, char *buffer, size_t size)
{
    switch (note->error) {
    case 0:
        return note->accepted ? "it accepted the connection and has not answered the request for a session yet" : "";
    case ECONNREFUSED:
        return "connection refused";
    case ETIMEDOUT:
        return note->was_accepted ? "it accepted the connection and did not answer the request for a session"
                                  : "no answer";
    case ECONNRESET:
    case EHOSTDOWN: /* the ZooKeeper client's word for a connection that the server has closed */
        return note->was_accepted ? "it closed the connection and did not answer the request for a session"
                                  : "it closed the connection";
    default:
        return strerror_r(note->error, buffer, size);
    }
}

bool server_notes_text(struct server_notes *notes, const char *address, uint16_t port, char *text, size_t size)
{
    char buffer[128], whole[NOTED_ADDRESS_SIZE + sizeof ":65535"];
    snprintf(whole, sizeof whole, "%s:%d", address, port);
    text[0] = '\0';
    pthread_mutex_lock(&notes->mutex);
    const struct server_note *note = find_note(notes, whole);
    if (note != NULL) {
        snprintf(text, size, "%s", text_of(note, buffer, sizeof buffer));
    }
    pthread_mutex_unlock(&notes->mutex);
    return text[0] != '\0';
}
