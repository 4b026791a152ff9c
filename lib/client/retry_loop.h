/* SPDX-License-Identifier: Apache-2.0 */
/* One request in whatever session is usable, tried again as the retry policy allows. Compare RetryLoop.callWithRetry().
 */
#ifndef CURATOR_CLIENT_RETRY_LOOP_H
#define CURATOR_CLIENT_RETRY_LOOP_H

#include "client/call.h"
#include "zk/request.h"

/* What can be tried again without harm: reading, and writing the same once more. */
struct operation {
    const char *name; /* for sentences: "getChildren" */
    const char *path; /* full path */
    struct request *(*send)(struct session *session, struct call *call, const struct operation *operation);
};

/*
 * With the client's mutex held. CURATOR_OK: the server's answer is in *request, to be abandoned by the caller; its code
 * is ZOK or ZNONODE. Other answers are failures of the call.
 */
curator_status retry_loop_run(struct call *call, const struct operation *operation, struct request **request);

#endif
