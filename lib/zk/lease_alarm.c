/* SPDX-License-Identifier: Apache-2.0 */
/* Says when a lease has only a given time left. */
#include "zk/lease_alarm.h"

#include "base/clock.h"

#include <utlist.h>

int64_t lease_alarms_check(struct lease_alarm *alarms, const struct lease *lease, int64_t now, bool *any_raised)
{
    *any_raised = false;
    int64_t next = NEVER;
    struct lease_alarm *alarm;
    DL_FOREACH (alarms, alarm) {
        int64_t at = lease_end(lease) - alarm->margin;
        if (now < at) {
            alarm->raised = false;
            next = clock_earlier(next, at);
        } else if (!alarm->raised) {
            alarm->raised = true;
            alarm->fn(alarm);
        }
        *any_raised = *any_raised || alarm->raised;
    }
    return next;
}
