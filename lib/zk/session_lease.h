/* SPDX-License-Identifier: Apache-2.0 */
/* The lease of a session, by the lease clock. See lease.h. The caller holds the group's mutex. */
#ifndef CURATOR_ZK_SESSION_LEASE_H
#define CURATOR_ZK_SESSION_LEASE_H

#include "zk/session.h"

/* Something depends on the session from begin to end: it is declared dead before the server can expire it. */
void session_lease_begin(struct session *session);
void session_lease_end(struct session *session);

/* Declares the session dead if something depends on it and its lease is over; true if it is dead. Cheap. */
bool session_check_lease(struct session *session);

/* Whether the lease reaches so far that its renewal will come before its end, unless something breaks. */
bool session_lease_secure(const struct session *session);

/* Around a call's wait for that: the session is probed, and the call woken. */
void session_await_renewal(struct session *session);
void session_renewal_not_awaited(struct session *session);

/* As lease_outlasts(). */
bool session_lease_outlasts(const struct session *session, int64_t margin);

/* How long the session certainly lives; 0 if it is dead. */
int64_t session_lease_remaining(const struct session *session);

/* For a session that something depends on: see lease_alarm.h. The alarm is raised on a thread of the library. */
void session_lease_alarm_add(struct session *session, struct lease_alarm *alarm);
void session_lease_alarm_remove(struct session *session, struct lease_alarm *alarm);

/* Raises the alarms that are due. When the next one is: lease clock, or NEVER. */
int64_t session_lease_check_alarms(struct session *session);

/* Whether the leader has answered only just now. */
bool session_lease_fresh(const struct session *session);

/* A request that the leader takes part in, sent at this time of the lease clock, was answered. */
void session_lease_answered(struct session *session, int64_t sent);

/* When the next probe is due: lease clock. */
int64_t session_lease_next_probe(const struct session *session);

/*
 * While connected: notices that no answers come any more. When to look again (lease clock); NEVER: at the next probe.
 */
int64_t session_lease_check_answers(struct session *session, int64_t now);

#endif
