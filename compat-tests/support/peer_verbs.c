/* SPDX-License-Identifier: Apache-2.0 */
/* The verbs of the C peer: the calls on mutexes by name, the list of all named objects, and which file has a verb. */
#include "peer.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t names = PTHREAD_MUTEX_INITIALIZER; /* guards the lists and what is alive in them */
struct entry *clients;
struct entry *mutexes;

struct entry *entry_new(const char *name)
{
    struct entry *entry = allocate(sizeof(*entry));
    entry->name = strdup(name);
    return entry;
}

void entry_add(struct entry **list, struct entry *entry)
{
    pthread_mutex_lock(&names);
    entry->next = *list;
    *list = entry;
    pthread_mutex_unlock(&names);
}

struct entry *entry_find(struct entry *const *list, const char *name)
{
    pthread_mutex_lock(&names);
    struct entry *entry = *list;
    while (entry != NULL &&
           (strcmp(entry->name, name) != 0 || (entry->client == NULL && entry->mutex == NULL && entry->lock == NULL))) {
        entry = entry->next;
    }
    pthread_mutex_unlock(&names);
    return entry;
}

void entry_end(struct entry *entry)
{
    pthread_mutex_lock(&names);
    entry->client = NULL;
    entry->mutex = NULL;
    entry->lock = NULL;
    pthread_mutex_unlock(&names);
}

void send_event(const char *kind, const char *name, const char *detail)
{
    struct line line = {0};
    line_add(&line, "event");
    line_add(&line, kind);
    line_add(&line, name);
    if (detail != NULL) {
        line_add(&line, detail);
    }
    line_add_ms(&line, monotonic_ms());
    line_send(&line);
}

static void on_lost(curator_mutex *mutex, void *context)
{
    (void)mutex;
    send_event("lost", ((struct entry *)context)->name, NULL);
}

static pthread_cond_t loss_let_go = PTHREAD_COND_INITIALIZER;
static bool loss_held; /* guarded by names */

static void on_lost_until_let_go(curator_mutex *mutex, void *context)
{
    on_lost(mutex, context);
    pthread_mutex_lock(&names);
    while (loss_held) {
        pthread_cond_wait(&loss_let_go, &names);
    }
    pthread_mutex_unlock(&names);
    send_event("loss_let_go", ((struct entry *)context)->name, NULL);
}

/* The callback of the next loss lasts until let_loss_go. */
static curator_status hold_loss(struct entry *entry, bool held)
{
    pthread_mutex_lock(&names);
    loss_held = held;
    pthread_cond_broadcast(&loss_let_go);
    pthread_mutex_unlock(&names);
    return held ? curator_mutex_on_lost(entry->mutex, on_lost_until_let_go, entry) : CURATOR_OK;
}

void mutex_enter_list(struct entry *entry, struct answer *answer)
{
    if (answer->status == CURATOR_OK) {
        answer->status = curator_mutex_on_lost(entry->mutex, on_lost, entry);
    }
    entry_add(&mutexes, entry);
}

/* mutex <name> <client> <path> [<data>] */
static bool mutex_create(const struct request *request, struct answer *answer)
{
    struct entry *client = entry_find(&clients, argument(request, 1));
    if (client == NULL) {
        return false;
    }
    struct entry *entry = entry_new(argument(request, 0));
    if (request->count > 6) {
        const struct token *data = &request->arguments[6];
        answer->status = curator_mutex_create_with_data(&entry->mutex, client->client, argument(request, 2),
                                                        data->bytes, data->size);
    } else {
        answer->status = curator_mutex_create(&entry->mutex, client->client, argument(request, 2));
    }
    mutex_enter_list(entry, answer);
    return true;
}

static void add_bool(struct answer *answer, bool value)
{
    line_add(&answer->values, value ? "true" : "false");
}

static void mutex_participants(curator_mutex *mutex, struct answer *answer)
{
    curator_participants *participants = NULL;
    answer->status = curator_mutex_participants(mutex, &participants);
    for (size_t i = 0; participants != NULL && i < participants->count; i++) {
        line_add(&answer->values, participants->paths[i]);
    }
    curator_participants_free(participants);
}

static void mutex_lock_path(const curator_mutex *mutex, struct answer *answer)
{
    char *path = NULL;
    answer->status = curator_mutex_lock_path(mutex, &path);
    if (path != NULL) {
        line_add(&answer->values, path);
    }
    free(path);
}

static void mutex_token(const curator_mutex *mutex, struct answer *answer)
{
    int64_t token = 0;
    answer->status = curator_mutex_fencing_token(mutex, &token);
    if (answer->status == CURATOR_OK) {
        line_add_number(&answer->values, token);
    }
}

static bool mutex_verb(const struct request *request, struct answer *answer)
{
    const char *verb = request->verb;
    struct entry *entry = entry_find(&mutexes, argument(request, 0));
    if (entry == NULL) {
        return false;
    }
    if (strcmp(verb, "acquire") == 0) {
        answer->status = curator_mutex_acquire(entry->mutex);
    } else if (strcmp(verb, "acquire_for") == 0) {
        answer->status = curator_mutex_acquire_for(entry->mutex, strtoll(argument(request, 1), NULL, 10));
    } else if (strcmp(verb, "release") == 0) {
        answer->status = curator_mutex_release(entry->mutex);
    } else if (strcmp(verb, "release_for") == 0) {
        answer->status = curator_mutex_release_for(entry->mutex, strtoll(argument(request, 1), NULL, 10));
    } else if (strcmp(verb, "interrupt") == 0) {
        answer->status = curator_mutex_interrupt(entry->mutex);
    } else if (strcmp(verb, "is_acquired") == 0) {
        add_bool(answer, curator_mutex_is_acquired_in_this_process(entry->mutex));
    } else if (strcmp(verb, "is_owned") == 0) {
        add_bool(answer, curator_mutex_is_owned_by_current_thread(entry->mutex));
    } else if (strcmp(verb, "participants") == 0) {
        mutex_participants(entry->mutex, answer);
    } else if (strcmp(verb, "lock_path") == 0) {
        mutex_lock_path(entry->mutex, answer);
    } else if (strcmp(verb, "token") == 0) {
        mutex_token(entry->mutex, answer);
    } else if (strcmp(verb, "hold_loss") == 0 || strcmp(verb, "let_loss_go") == 0) {
        answer->status = hold_loss(entry, strcmp(verb, "hold_loss") == 0);
    } else if (strcmp(verb, "destroy") == 0) {
        answer->status = curator_mutex_destroy(entry->mutex);
        if (answer->status == CURATOR_OK) {
            entry_end(entry);
        }
    } else {
        return false;
    }
    return true;
}

bool verb_run(const struct request *request, struct answer *answer)
{
    if (strcmp(request->verb, "open") == 0) {
        return client_open(request, answer);
    }
    if (strcmp(request->verb, "mutex") == 0) {
        return mutex_create(request, answer);
    }
    if (lateness_verb(request, answer)) {
        return true;
    }
    if (strcmp(request->verb, "close") == 0 || strcmp(request->verb, "destroy") == 0) {
        line_after_all_sent();
    }
    return client_verb(request, answer) || mutex_verb(request, answer) || read_write_lock_verb(request, answer) ||
           revocation_verb(request, answer) || contenders_verb(request, answer) || handle_verb(request, answer) ||
           semaphore_verb(request, answer);
}

void verbs_close_clients(void)
{
    line_after_all_sent();
    for (struct entry *entry = clients; entry != NULL; entry = entry->next) {
        if (entry->client != NULL) {
            curator_framework_close(entry->client);
        }
    }
}

void verbs_free(void)
{
    read_write_locks_free();
    semaphores_free();
    for (struct entry *entry = mutexes; entry != NULL; entry = entry->next) {
        if (entry->mutex != NULL) {
            curator_mutex_destroy(entry->mutex);
        }
    }
    for (struct entry **list = &clients; list != NULL; list = list == &clients ? &mutexes : NULL) {
        while (*list != NULL) {
            struct entry *entry = *list;
            *list = entry->next;
            free(entry->name);
            free(entry);
        }
    }
}
