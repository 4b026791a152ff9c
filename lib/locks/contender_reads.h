/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads many nodes, with a limited number of requests and bytes on their way: the session's probes and the other calls
 * share the connection, and a server has a limit for all its clients. Caller holds client->mutex.
 */
#ifndef CURATOR_LOCKS_CONTENDER_READS_H
#define CURATOR_LOCKS_CONTENDER_READS_H

#include "client/call.h"
#include "zk/request.h"

/* Of one node. */
struct contender_read {
    struct contender_reads *reads;
    const char *name;
    struct request *request; /* on its way */
    bool exists;             /* at the time of the answer */
    bool refused;            /* its data may not be read */
    struct Stat stat;
    char *data; /* the first bytes, with a 0 behind them; NULL if refused */
    size_t data_size;
};

struct contender_reads {
    const char *path; /* of the parent: full path */
    size_t keep;      /* bytes of each node's data */
    struct session *session;
    struct wait_group *group;
    struct contender_read *reads;
    size_t count;
    size_t next; /* the first one that was not sent */
    size_t on_their_way;
    size_t largest; /* bytes of an answer, of those that have come; 0: none has */
    int rc;         /* why the rest is not read; ZOK: nothing has failed; ZMARSHALLINGERROR: no memory */
};

/* For sorted names, which must live as long. Without the mutex. False: out of memory. */
bool contender_reads_init(struct contender_reads *reads, const char *path, const char *const *names, size_t count,
                          size_t keep);

/* Reads them all in one session. CURATOR_OK: reads->rc says how it went. Otherwise as call_check(). */
curator_status contender_reads_run(struct contender_reads *reads, struct call *call, struct session *session);

/* Without the mutex. None may be on its way: contender_reads_run() has seen to that. */
void contender_reads_free(struct contender_reads *reads);

#endif
