/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verbs of semaphores. A lease has a name that the test gives; several acquired together are NAME.0, NAME.1, ...
 *     semaphore <name> <client> <path> <maximum> [<data>]
 *     acquire <semaphore> <lease> [<ms>]
 *     acquire_many <semaphore> <lease> <count> [<ms>]
 */
#include "peer.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A semaphore or a lease under its name. Lives until semaphores_free(). */
struct named {
    struct named *next;
    char *name;
    curator_semaphore *semaphore; /* one of these two; NULL once destroyed or returned */
    curator_lease *lease;
};

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER; /* of all below */
static struct named *all;

static struct named *named_add(const char *name, curator_semaphore *semaphore, curator_lease *lease)
{
    struct named *named = allocate(sizeof(*named));
    named->name = strdup(name);
    named->semaphore = semaphore;
    named->lease = lease;
    pthread_mutex_lock(&guard);
    named->next = all;
    all = named;
    pthread_mutex_unlock(&guard);
    return named;
}

static struct named *named_find(const char *name)
{
    pthread_mutex_lock(&guard);
    struct named *named = all;
    while (named != NULL && (strcmp(named->name, name) != 0 || (named->semaphore == NULL && named->lease == NULL))) {
        named = named->next;
    }
    pthread_mutex_unlock(&guard);
    return named;
}

static void named_end(struct named *named)
{
    pthread_mutex_lock(&guard);
    named->semaphore = NULL;
    named->lease = NULL;
    pthread_mutex_unlock(&guard);
}

static void on_lost(curator_semaphore *semaphore, void *context)
{
    (void)semaphore;
    send_event("lost", ((struct named *)context)->name, NULL);
}

static bool semaphore_create(const struct request *request, struct answer *answer)
{
    struct entry *client = entry_find(&clients, argument(request, 1));
    if (client == NULL) {
        return false;
    }
    curator_semaphore *semaphore = NULL;
    const char *path = argument(request, 2);
    int maximum = atoi(argument(request, 3));
    if (request->count > 7) {
        const struct token *data = &request->arguments[7];
        answer->status =
            curator_semaphore_create_with_data(&semaphore, client->client, path, maximum, data->bytes, data->size);
    } else {
        answer->status = curator_semaphore_create(&semaphore, client->client, path, maximum);
    }
    if (answer->status == CURATOR_OK) {
        struct named *named = named_add(argument(request, 0), semaphore, NULL);
        answer->status = curator_semaphore_on_lost(semaphore, on_lost, named);
    }
    return true;
}

static void acquire(curator_semaphore *semaphore, const struct request *request, struct answer *answer)
{
    curator_lease *lease = NULL;
    answer->status = request->count > 5
                         ? curator_semaphore_acquire_for(semaphore, strtoll(argument(request, 2), NULL, 10), &lease)
                         : curator_semaphore_acquire(semaphore, &lease);
    if (lease != NULL) {
        named_add(argument(request, 1), NULL, lease);
    }
}

static void acquire_many(curator_semaphore *semaphore, const struct request *request, struct answer *answer)
{
    size_t count = (size_t)atoi(argument(request, 2));
    curator_lease **leases = allocate((count + 1) * sizeof(*leases));
    answer->status =
        request->count > 6
            ? curator_semaphore_acquire_many_for(semaphore, strtoll(argument(request, 3), NULL, 10), count, leases)
            : curator_semaphore_acquire_many(semaphore, count, leases);
    for (size_t i = 0; i < count && leases[i] != NULL; i++) {
        char *name = NULL;
        if (asprintf(&name, "%s.%zu", argument(request, 1), i) < 0) {
            abort();
        }
        named_add(name, NULL, leases[i]);
        free(name);
    }
    free(leases);
}

static void add_participants(curator_semaphore *semaphore, struct answer *answer)
{
    curator_contenders *participants = NULL;
    answer->status = curator_semaphore_participants(semaphore, &participants);
    for (size_t i = 0; participants != NULL && i < participants->count; i++) {
        line_add(&answer->values, participants->contenders[i]->path);
        line_add(&answer->values, participants->contenders[i]->data);
        line_add(&answer->values, participants->contenders[i]->holds ? "true" : "false");
    }
    curator_contenders_free(participants);
}

static bool semaphore_run(struct named *named, const struct request *request, struct answer *answer)
{
    const char *verb = request->verb;
    if (strcmp(verb, "acquire") == 0) {
        acquire(named->semaphore, request, answer);
    } else if (strcmp(verb, "acquire_many") == 0) {
        acquire_many(named->semaphore, request, answer);
    } else if (strcmp(verb, "interrupt") == 0) {
        answer->status = curator_semaphore_interrupt(named->semaphore);
    } else if (strcmp(verb, "participants") == 0) {
        add_participants(named->semaphore, answer);
    } else if (strcmp(verb, "destroy") == 0) {
        line_after_all_sent();
        answer->status = curator_semaphore_destroy(named->semaphore);
        if (answer->status == CURATOR_OK) {
            named_end(named);
        }
    } else {
        return false;
    }
    return true;
}

static bool lease_run(struct named *named, const struct request *request, struct answer *answer)
{
    const char *verb = request->verb;
    char *path = NULL;
    int64_t number = -1;
    if (strcmp(verb, "return") == 0) {
        answer->status = curator_lease_return(named->lease);
        named_end(named);
    } else if (strcmp(verb, "return_for") == 0) {
        answer->status = curator_lease_return_for(named->lease, strtoll(argument(request, 1), NULL, 10));
        named_end(named);
    } else if (strcmp(verb, "is_held") == 0) {
        line_add(&answer->values, curator_lease_is_held(named->lease) ? "true" : "false");
    } else if (strcmp(verb, "lock_path") == 0) {
        answer->status = curator_lease_path(named->lease, &path);
        line_add(&answer->values, path != NULL ? path : "");
        free(path);
    } else if (strcmp(verb, "token") == 0) {
        answer->status = curator_lease_fencing_token(named->lease, &number);
        line_add_number(&answer->values, number);
    } else if (strcmp(verb, "lease_remaining") == 0) {
        answer->status = curator_lease_remaining(named->lease, &number);
        line_add_number(&answer->values, number);
    } else {
        return false;
    }
    return true;
}

bool semaphore_verb(const struct request *request, struct answer *answer)
{
    if (strcmp(request->verb, "semaphore") == 0) {
        return semaphore_create(request, answer);
    }
    struct named *named = named_find(argument(request, 0));
    if (named == NULL) {
        return false;
    }
    return named->semaphore != NULL ? semaphore_run(named, request, answer) : lease_run(named, request, answer);
}

void semaphores_free(void)
{
    for (struct named *named = all; named != NULL; named = named->next) {
        if (named->semaphore != NULL) {
            curator_semaphore_destroy(named->semaphore);
        }
    }
    while (all != NULL) {
        struct named *named = all;
        all = named->next;
        free(named->name);
        free(named);
    }
}
