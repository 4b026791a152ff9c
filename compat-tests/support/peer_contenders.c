/* SPDX-License-Identifier: Apache-2.0 */
/* The verbs of contenders and of the lease. */
#include "peer.h"
#include <stdlib.h>
#include <string.h>

static void on_endangered(curator_mutex *mutex, void *context)
{
    (void)mutex;
    send_event("endangered", ((struct entry *)context)->name, NULL);
}

static const char *kind_text(curator_contender_kind kind)
{
    return kind == CURATOR_CONTENDER_MUTEX ? "mutex" : kind == CURATOR_CONTENDER_READ ? "read" : "write";
}

/* contenders <mutex>: ten values of each, in the order of the struct. */
static void add_contenders(curator_mutex *mutex, struct answer *answer)
{
    curator_contenders *contenders = NULL;
    answer->status = curator_mutex_contenders(mutex, &contenders);
    for (size_t i = 0; contenders != NULL && i < contenders->count; i++) {
        const curator_contender *contender = contenders->contenders[i];
        line_add(&answer->values, contender->path);
        line_add(&answer->values, kind_text(contender->kind));
        line_add(&answer->values, contender->holds ? "true" : "false");
        line_add(&answer->values, contender->readable ? "true" : "false");
        line_add_number(&answer->values, contender->session_id);
        line_add_number(&answer->values, contender->created_ms);
        line_add_number(&answer->values, contender->token);
        line_add(&answer->values, contender->data);
        line_add_number(&answer->values, (int64_t)contender->data_size);
        line_add_number(&answer->values, (int64_t)contender->data_length);
    }
    curator_contenders_free(contenders);
}

/* on_endangered <mutex> <ms before>, not_on_endangered <mutex>, lease_remaining <mutex> */
bool contenders_verb(const struct request *request, struct answer *answer)
{
    struct entry *entry = entry_find(&mutexes, argument(request, 0));
    if (entry == NULL) {
        return false;
    }
    if (strcmp(request->verb, "contenders") == 0) {
        add_contenders(entry->mutex, answer);
    } else if (strcmp(request->verb, "on_endangered") == 0) {
        int64_t ms_before = strtoll(argument(request, 1), NULL, 10);
        answer->status = curator_mutex_on_endangered(entry->mutex, ms_before, on_endangered, entry);
    } else if (strcmp(request->verb, "not_on_endangered") == 0) {
        answer->status = curator_mutex_on_endangered(entry->mutex, 0, NULL, NULL);
    } else if (strcmp(request->verb, "lease_remaining") == 0) {
        int64_t remaining_ms = -1;
        answer->status = curator_mutex_lease_remaining(entry->mutex, &remaining_ms);
        line_add_number(&answer->values, remaining_ms);
    } else {
        return false;
    }
    return true;
}
