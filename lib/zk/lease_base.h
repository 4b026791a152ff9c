/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Since when, at the least, the leader of the ensemble knows that a session is alive: the time its lease is counted
 * from. Derived from the times of requests that the leader answered and nothing else; takes times and returns times.
 * docs/protocol.md, "Why the lease is safe, and where it is not", has the argument.
 *
 * Three requests r, c and a prove that the leader has heard of r, so knows of the session since r was sent:
 * - the answer to r came more than half a tick before c was sent,
 * - the answer to c came before a was sent,
 * - a was answered.
 * In the order of events:
 * 1. Our server receives r, and answers it.
 * 2. The leader pings our server: it does so within each half tick, so also within the one before c.
 * 3. The answer to c reaches our server behind that ping, on the same way. So the server has answered the ping.
 * 4. The leader reads that answer before it reads a, which follows on the same way, and answers a.
 *
 * A reconnect needs no such proof: the leader confirms the session to the new server, and counts anew from there.
 */
#ifndef CURATOR_ZK_LEASE_BASE_H
#define CURATOR_ZK_LEASE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* More than are answered, at one a step, in half a tick and two round trips of half a session timeout each. */
#define LEASE_ANSWERS 32

/* All times in nanoseconds of one clock. */
struct lease_base {
    int64_t since;    /* the result: the leader has heard of the session at this time or later */
    int64_t last;     /* when the latest request that was answered had been sent */
    int64_t proved;   /* the greatest c so far; 0: none yet */
    int64_t renewed;  /* when since last moved on, by answers on this connection; 0: not yet */
    int64_t interval; /* how long that was after the time before */
    int64_t step_began;
    size_t first, count;
    struct answer {
        int64_t sent, answered;
    } answers[LEASE_ANSWERS]; /* candidates for r and c, a ring from the oldest to the newest */
};

/* A session that is asked for now, or later. */
void lease_base_begin(struct lease_base *base, int64_t now);

/* The leader has confirmed the session on a new connection, after all requests answered so far had been sent. */
void lease_base_reconnected(struct lease_base *base);

/*
 * A request sent at one time was answered, as seen at another. Answers less than a step apart become one: the newest,
 * which proves less than all of them, but nothing that is not so.
 */
void lease_base_answered(struct lease_base *base, int64_t sent, int64_t answered, int64_t half_tick, int64_t step);

/* A request sent later than this, and answered, can be the c of the next proof; now: nothing was answered yet. */
int64_t lease_base_provable_after(const struct lease_base *base, int64_t now, int64_t half_tick);

/* Whether `since` has advanced within this interval, and the time before no later than an interval after the last. */
bool lease_base_is_steady(const struct lease_base *base, int64_t now, int64_t interval);

#endif
