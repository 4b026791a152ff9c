/* SPDX-License-Identifier: Apache-2.0 */
/* The verbs of a client's own handle: lent to the peer until it gives it back. */
#include "peer.h"
#include <string.h>
#include <zookeeper/zookeeper.h>

static zhandle_t *lent; /* one at a time; touched by one thread of the peer */

bool handle_verb(const struct request *request, struct answer *answer)
{
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
