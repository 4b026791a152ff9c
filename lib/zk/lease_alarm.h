/* SPDX-License-Identifier: Apache-2.0 */
/* Says when a lease has only a given time left. Only computes, as lease.h. */
#ifndef CURATOR_ZK_LEASE_ALARM_H
#define CURATOR_ZK_LEASE_ALARM_H

#include "zk/lease.h"

/* In the list of a session; embedded in who wants to know. */
struct lease_alarm {
    struct lease_alarm *prev, *next;
    int64_t margin;                        /* nanoseconds before the end of the lease */
    bool raised;                           /* since the lease last had more than the margin left */
    void (*fn)(struct lease_alarm *alarm); /* must neither block nor remove an alarm */
};

/*
 * Raises each alarm whose margin the lease has reached, once, and prepares those that were raised and whose lease has
 * been renewed. *any_raised: whether one is now, so that a renewal matters. When to look again; NEVER: not before the
 * lease changes.
 */
int64_t lease_alarms_check(struct lease_alarm *alarms, const struct lease *lease, int64_t now, bool *any_raised);

#endif
