/* SPDX-License-Identifier: Apache-2.0 */
/* The verbs of a client's own handle: lent to the peer until it gives it back. */
#include "peer.h"
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <zookeeper/zookeeper.h>

static _Atomic(zhandle_t *) lent; /* one at a time */

/* A write under way. The ZooKeeper client completes it in any case: by an answer, or by the end of the connection. */
struct write {
    zoo_op_t ops[2];
    zoo_op_result_t results[2];
    char *path, *data;
    int rc;
    sem_t done;
};

static void on_written(int rc, const void *context)
{
    struct write *write = (struct write *)(uintptr_t)context;
    write->rc = rc;
    sem_post(&write->done);
}

/*
 * guarded_set <mutex> <path> <data>, by the handle that is lent: all or nothing, with the guard of the calling thread's
 * hold. The value is the ZooKeeper client's result code.
 */
static bool guarded_set(const struct request *request, struct answer *answer)
{
    struct entry *entry = entry_find(&mutexes, argument(request, 0));
    if (entry == NULL || lent == NULL) {
        return false;
    }
    struct write *write = allocate(sizeof(*write));
    sem_init(&write->done, 0, 0);
    write->path = strdup(argument(request, 1));
    write->data = strdup(argument(request, 2));
    answer->status = curator_mutex_guard(entry->mutex, &write->ops[0]);
    zoo_set_op_init(&write->ops[1], write->path, write->data, (int)strlen(write->data), -1, NULL);
    if (answer->status == CURATOR_OK) {
        int rc = zoo_amulti(lent, 2, write->ops, write->results, on_written, write);
        if (rc == ZOK) {
            sem_wait(&write->done);
            rc = write->rc;
        }
        line_add_number(&answer->values, rc);
    }
    sem_destroy(&write->done);
    free(write->path);
    free(write->data);
    free(write);
    return true;
}

bool handle_verb(const struct request *request, struct answer *answer)
{
    if (strcmp(request->verb, "guarded_set") == 0) {
        return guarded_set(request, answer);
    }
    struct entry *entry = entry_find(&clients, argument(request, 0));
    if (strcmp(request->verb, "borrow") == 0 && entry != NULL) {
        lent = curator_framework_borrow_handle(entry->client);
        answer->status = lent != NULL ? CURATOR_OK : CURATOR_ERROR;
    } else if (strcmp(request->verb, "give_back") == 0 && entry != NULL) {
        answer->status = curator_framework_return_handle(entry->client, lent);
        lent = NULL;
    } else {
        return false;
    }
    return true;
}
