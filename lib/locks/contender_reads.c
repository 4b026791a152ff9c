/* SPDX-License-Identifier: Apache-2.0 */
/* Reads many nodes, with a limited number of requests and bytes on their way. */
#include "locks/contender_reads.h"

#include "base/path.h"

#include <stdlib.h>

#define MAX_ON_THEIR_WAY 128 /* a server serves 1000 requests of all its clients at a time, by default */
#define MAX_BYTES_ON_THEIR_WAY (1024 * 1024)
#define FIRST_ON_THEIR_WAY 8 /* while nothing is known of their size: a node may have 1 MB */
#define ANSWER_BYTES 128     /* of an answer without data: headers and the stat */
#define SENT_FOR_AN_ANSWER 2 /* so that neither the mutex is held for long nor the server gets a burst */

static void send_some(struct contender_reads *reads);

static size_t window(const struct contender_reads *reads)
{
    if (reads->largest == 0) {
        return FIRST_ON_THEIR_WAY;
    }
    size_t by_bytes = MAX_BYTES_ON_THEIR_WAY / reads->largest;
    return by_bytes < 1 ? 1 : by_bytes < MAX_ON_THEIR_WAY ? by_bytes : MAX_ON_THEIR_WAY;
}

static void note_answer(struct contender_read *read, struct request *request)
{
    struct contender_reads *reads = read->reads;
    int rc = request->rc;
    read->exists = rc == ZOK;
    if (rc == ZNOAUTH && !read->refused) {
        read->refused = true; /* the stat can be asked for without a permission */
    } else if (rc == ZOK) {
        read->stat = request->stat;
        read->data = request->contents;
        read->data_size = request->contents_size;
        request->contents = NULL;
        size_t bytes = ANSWER_BYTES + (size_t)read->stat.dataLength;
        reads->largest = bytes > reads->largest ? bytes : reads->largest;
    } else if (rc != ZNONODE) {
        reads->rc = rc;
    }
}

static void read_ended(struct contender_read *read, struct request *request)
{
    read->request = NULL;
    note_answer(read, request);
    request_unref(request);
    read->reads->on_their_way--;
}

static void read_on_finished(struct request *request, void *context);

static void send_read(struct contender_read *read)
{
    struct contender_reads *reads = read->reads;
    char *path = path_join(reads->path, read->name);
    struct request *request = NULL;
    if (path != NULL) {
        request = read->refused ? request_exists(reads->session, reads->group, path)
                                : request_get(reads->session, reads->group, path, reads->keep);
    }
    free(path);
    if (request == NULL) {
        reads->rc = ZMARSHALLINGERROR;
        return;
    }
    reads->on_their_way++;
    if (request->finished) {
        read_ended(read, request); /* could not be sent, so this sends nothing more */
        return;
    }
    read->request = request;
    request->on_finished = read_on_finished;
    request->context = read;
}

/* On the thread that brings the answer, whose own reference keeps the request meanwhile. A refused read is asked for
 * once more, without the data. */
static void read_on_finished(struct request *request, void *context)
{
    struct contender_read *read = context;
    bool was_refused = read->refused;
    read_ended(read, request);
    if (read->refused && !was_refused) {
        send_read(read);
    }
    send_some(read->reads);
}

static void send_some(struct contender_reads *reads)
{
    for (int sent = 0; sent < SENT_FOR_AN_ANSWER && reads->rc == ZOK && reads->next < reads->count &&
                       reads->on_their_way < window(reads);
         sent++) {
        send_read(&reads->reads[reads->next++]);
    }
}

bool contender_reads_init(struct contender_reads *reads, const char *path, const char *const *names, size_t count,
                          size_t keep)
{
    *reads = (struct contender_reads){.path = path, .keep = keep, .count = count, .rc = ZOK};
    reads->reads = calloc(count + 1, sizeof *reads->reads);
    if (reads->reads == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        reads->reads[i].reads = reads;
        reads->reads[i].name = names[i];
    }
    return true;
}

/* Their answers go nowhere. */
static void abandon_all(struct contender_reads *reads)
{
    for (size_t i = 0; i < reads->next; i++) {
        struct request *request = reads->reads[i].request;
        if (request != NULL) {
            request->on_finished = NULL;
            request_abandon(request);
            reads->reads[i].request = NULL;
        }
    }
}

curator_status contender_reads_run(struct contender_reads *reads, struct call *call, struct session *session)
{
    reads->session = session;
    reads->group = &call->requests;
    call->waiting_for = "the data of the contenders";
    while (reads->rc == ZOK && reads->next < reads->count && reads->on_their_way < window(reads)) {
        send_some(reads);
    }
    curator_status status = call_await_requests(call);
    abandon_all(reads);
    return status;
}

void contender_reads_free(struct contender_reads *reads)
{
    for (size_t i = 0; i < reads->count && reads->reads != NULL; i++) {
        free(reads->reads[i].data);
    }
    free(reads->reads);
}
