/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long a session certainly lives, and when to ask again. Only computes: it takes times and returns times, all in
 * nanoseconds of one clock.
 *
 * The leader of the ensemble expires a session a session timeout T after it last heard of it. The ZooKeeper client is
 * no help in keeping ahead of that: it notices a dead server late, an expiry only when a server answers again, and a
 * follower that has lost its leader goes on answering reads and pings. So only answers that come from the leader count:
 * to create, delete, set and sync. lease_base.h says what they prove. The lease ends T after that.
 *
 * Probes keep the proof fresh. Where nothing depends on the lease they are rare. They are sent all the same, so that a
 * session has a lease at once when something begins to depend on it after a pause; the ZooKeeper client's own pings,
 * which they replace, prove nothing.
 */
#ifndef CURATOR_ZK_LEASE_H
#define CURATOR_ZK_LEASE_H

#include "zk/lease_base.h"

#include <stdbool.h>
#include <stdint.h>

struct lease {
    int64_t timeout; /* T */
    struct lease_base base;
    int64_t answered; /* when the latest request that the leader answered was sent */
    int64_t connected_at;
    int64_t probed; /* when the last probe was sent */
};

/* What the lease is needed for. */
enum lease_demand {
    LEASE_IDLE,         /* nothing yet */
    LEASE_HELD,         /* something depends on it */
    LEASE_AWAITED,      /* somebody waits until it is renewed */
    LEASE_UNRESPONSIVE, /* nobody may use the session before it is renewed */
};

/* A session is about to be asked for. */
void lease_begin(struct lease *lease, int64_t now, int64_t timeout);

/* For the first time, or again. The server may have granted another timeout than was asked for. */
void lease_connected(struct lease *lease, int64_t now, int64_t timeout, bool again);

/* The leader has answered a request that was sent at that time. */
void lease_answered(struct lease *lease, int64_t sent, int64_t now);

/* From here on the session may have expired. */
int64_t lease_end(const struct lease *lease);

/* Whether the lease reaches so far that its renewal will come before its end, unless something breaks. */
bool lease_is_secure(const struct lease *lease, int64_t now);

/*
 * Whether the lease will be renewed while it has more than this time left, unless something breaks; or it is renewed
 * with every probe already, and waiting gains nothing. The time: at most T/4.
 */
bool lease_outlasts(const struct lease *lease, int64_t now, int64_t margin);

/* Whether the leader has answered only just now. */
bool lease_is_fresh(const struct lease *lease, int64_t now);

/* When the next probe is due while the session is connected. */
int64_t lease_next_probe(const struct lease *lease, enum lease_demand demand);

/* Without an answer until then the session counts as unresponsive. */
int64_t lease_unresponsive_at(const struct lease *lease);

#endif
