/* SPDX-License-Identifier: Apache-2.0 */
/* The verbs of revocation. */
#include "peer.h"
#include <string.h>

static void on_revoke(curator_mutex *mutex, void *context)
{
    (void)mutex;
    send_event("revoke", ((struct entry *)context)->name, NULL);
}

/* revoke <client> <node path> */
static bool revoke(const struct request *request, struct answer *answer)
{
    struct entry *client = entry_find(&clients, argument(request, 0));
    if (client == NULL) {
        return false;
    }
    answer->status = curator_revoke(client->client, argument(request, 1));
    return true;
}

/* make_revocable <mutex>, make_irrevocable <mutex>, revocation_requested <mutex> */
bool revocation_verb(const struct request *request, struct answer *answer)
{
    if (strcmp(request->verb, "revoke") == 0) {
        return revoke(request, answer);
    }
    struct entry *entry = entry_find(&mutexes, argument(request, 0));
    if (entry == NULL) {
        return false;
    }
    if (strcmp(request->verb, "make_revocable") == 0) {
        answer->status = curator_mutex_make_revocable(entry->mutex, on_revoke, entry);
    } else if (strcmp(request->verb, "make_irrevocable") == 0) {
        answer->status = curator_mutex_make_revocable(entry->mutex, NULL, NULL);
    } else if (strcmp(request->verb, "revocation_requested") == 0) {
        bool requested = false;
        answer->status = curator_mutex_revocation_requested(entry->mutex, &requested);
        line_add(&answer->values, requested ? "true" : "false");
    } else {
        return false;
    }
    return true;
}
