/* SPDX-License-Identifier: Apache-2.0 */
/* The list of holders and waiters, with what their nodes say. */
#include "locks/contenders.h"

#include "base/gzip.h"
#include "base/path.h"
#include "locks/contender_order.h"
#include "locks/contender_reads.h"
#include "locks/listing.h"
#include "zk/result_code.h"

#include <stdlib.h>

void curator_contenders_free(curator_contenders *contenders)
{
    if (contenders == NULL) {
        return;
    }
    for (size_t i = 0; i < contenders->count; i++) {
        free(contenders->contenders[i]->path);
        free(contenders->contenders[i]->data);
        free(contenders->contenders[i]);
    }
    free(contenders->contenders);
    free(contenders);
}

static curator_contender_kind public_kind(const char *name)
{
    static const curator_contender_kind kinds[] = {[LOCK_MUTEX] = CURATOR_CONTENDER_MUTEX,
                                                   [LOCK_READ] = CURATOR_CONTENDER_READ,
                                                   [LOCK_WRITE] = CURATOR_CONTENDER_WRITE};
    return kinds[contender_kind(name)];
}

/* Puts the data in the place of their compressed form. */
static void inflate_data(curator_contender *contender)
{
    bool cut = contender->data_size < contender->data_length;
    size_t room = CURATOR_CONTENDER_DATA_MAX, size = 0;
    char *inflated = contender->data_size > 0 ? malloc(room + 1) : NULL;
    if (inflated == NULL || !gzip_inflate(contender->data, contender->data_size, cut, inflated, room, &size)) {
        free(inflated);
        return;
    }
    inflated[size] = '\0';
    free(contender->data);
    contender->data = inflated;
    contender->data_size = size;
    contender->data_length = size + (cut || size == room ? 1 : 0);
}

/* Takes over the data. NULL: out of memory. */
static curator_contender *contender_new(const char *path, struct contender_read *read)
{
    curator_contender *contender = malloc(sizeof *contender);
    char *node = path_join(path, read->name);
    char *data = read->data != NULL ? read->data : calloc(1, 1);
    read->data = NULL;
    if (contender == NULL || node == NULL || data == NULL) {
        free(contender);
        free(node);
        free(data);
        return NULL;
    }
    *contender = (curator_contender){.path = node,
                                     .kind = public_kind(read->name),
                                     .readable = !read->refused,
                                     .session_id = read->stat.ephemeralOwner,
                                     .created_ms = read->stat.ctime,
                                     .token = read->stat.czxid,
                                     .data = data,
                                     .data_size = read->data_size,
                                     .data_length = (size_t)read->stat.dataLength};
    inflate_data(contender);
    return contender;
}

/* Moves those that exist to the front. How many there are. */
static size_t keep_existing(struct contender_reads *reads)
{
    size_t kept = 0;
    for (size_t i = 0; i < reads->count; i++) {
        if (reads->reads[i].exists) {
            struct contender_read read = reads->reads[i];
            reads->reads[i] = reads->reads[kept];
            reads->reads[kept++] = read;
        }
    }
    return kept;
}

/* A reader under its own thread's write lock has the writer's token, see acquire.c. */
static void share_token(const struct lock_driver *driver, const struct contender_read *reads, size_t at,
                        curator_contenders *contenders)
{
    curator_contender *reader = contenders->contenders[at];
    for (size_t i = at; reader->kind == CURATOR_CONTENDER_READ && i > 0; i--) {
        const curator_contender *before = contenders->contenders[i - 1];
        if (!contender_same_place(driver, reads[at].name, reads[i - 1].name)) {
            return;
        }
        if (before->kind == CURATOR_CONTENDER_WRITE && before->session_id == reader->session_id) {
            reader->token = before->token;
        }
    }
}

static bool fill_in_holders(const struct lock_driver *driver, const struct contender_read *reads,
                            curator_contenders *contenders)
{
    size_t count = contenders->count;
    const char **names = calloc(count + 1, sizeof *names);
    bool *holds = calloc(count + 1, sizeof *holds);
    bool filled = names != NULL && holds != NULL;
    for (size_t i = 0; filled && i < count; i++) {
        names[i] = reads[i].name;
    }
    if (filled) {
        contender_find_holders(driver, names, count, holds);
    }
    for (size_t i = 0; filled && i < count; i++) {
        contenders->contenders[i]->holds = holds[i];
        share_token(driver, reads, i, contenders);
    }
    free(names);
    free(holds);
    return filled;
}

/* NULL: out of memory. */
static curator_contenders *contenders_new(const curator_mutex *mutex, struct contender_reads *reads)
{
    size_t count = keep_existing(reads);
    curator_contenders *contenders = calloc(1, sizeof *contenders);
    if (contenders == NULL) {
        return NULL;
    }
    contenders->contenders = calloc(count + 1, sizeof(curator_contender *));
    while (contenders->contenders != NULL && contenders->count < count) {
        curator_contender *contender = contender_new(mutex->path, &reads->reads[contenders->count]);
        if (contender == NULL) {
            break;
        }
        contenders->contenders[contenders->count++] = contender;
    }
    if (contenders->contenders == NULL || contenders->count < count ||
        !fill_in_holders(mutex->driver, reads->reads, contenders)) {
        curator_contenders_free(contenders);
        return NULL;
    }
    return contenders;
}

static curator_status read_nodes(struct contender_reads *reads, struct call *call)
{
    struct session *session;
    curator_status status = call_await_session(call, &session);
    if (status == CURATOR_OK) {
        status = contender_reads_run(reads, call, session);
        session_unref(session);
    }
    return status;
}

/* Without the mutex: nobody else has the list, and it may be long. */
static bool sort_children(const curator_mutex *mutex, struct name_list *children, struct contender_reads *reads)
{
    size_t count = children != NULL ? children->count : 0;
    const char **names = children != NULL ? children->names : NULL;
    return contender_sort(mutex->driver, names, count) &&
           contender_reads_init(reads, mutex->full_path, names, count, CURATOR_CONTENDER_DATA_MAX);
}

/* With a list of children, NULL if there is no such path. *rc: what a read failed with. */
static curator_status contenders_of_list(const curator_mutex *mutex, struct call *call, struct name_list *children,
                                         curator_contenders **out, int *rc)
{
    struct contender_reads reads = {.reads = NULL};
    framework_unlock(mutex->framework);
    bool sorted = sort_children(mutex, children, &reads);
    framework_lock(mutex->framework);
    curator_status status = sorted ? read_nodes(&reads, call) : CURATOR_NO_MEMORY;
    framework_unlock(mutex->framework);
    *rc = reads.rc;
    if (status == CURATOR_OK && *rc == ZOK) {
        *out = contenders_new(mutex, &reads);
        status = *out != NULL ? CURATOR_OK : CURATOR_NO_MEMORY;
    }
    contender_reads_free(&reads);
    framework_lock(mutex->framework);
    return status == CURATOR_NO_MEMORY ? call_fail(call, status, "no memory for the contenders") : status;
}

curator_status contenders_list(const curator_mutex *mutex, struct call *call, curator_contenders **out)
{
    for (;;) {
        struct request *list;
        curator_status status = listing_get_children(mutex, call, &list);
        if (status != CURATOR_OK) {
            return status;
        }
        int rc = ZOK;
        status = contenders_of_list(mutex, call, list->children, out, &rc);
        request_abandon(list);
        if (status != CURATOR_OK || rc == ZOK) {
            return status;
        }
        bool passing = result_code_outcome_unknown(rc) || result_code_session_over(rc);
        status = passing ? call_retry(call, rc) : call_fail_request(call, "getData", mutex->path, rc);
        if (status != CURATOR_OK) {
            return status;
        }
    }
}

curator_status curator_mutex_contenders(curator_mutex *mutex, curator_contenders **contenders)
{
    if (contenders != NULL) {
        *contenders = NULL;
    }
    struct call call;
    curator_status status = listing_begin(mutex, &call, contenders, __func__);
    if (status == CURATOR_OK) {
        status = contenders_list(mutex, &call, contenders);
        listing_end(mutex, &call);
    }
    return status;
}
