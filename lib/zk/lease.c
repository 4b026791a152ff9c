/* SPDX-License-Identifier: Apache-2.0 */
/* How long a session certainly lives, and when to ask again. */
#include "zk/lease.h"

#include "base/clock.h"

#define PROBES_PER_TIMEOUT 24     /* while something depends on the lease */
#define IDLE_PROBES_PER_TIMEOUT 6 /* otherwise */
#define STEPS_PER_TIMEOUT 48
#define FRESH_PER_TIMEOUT 12
#define UNRESPONSIVE_PER_TIMEOUT 3
#define PROBES_PER_HALF_TICK 4 /* at least, while somebody waits for the lease */
#define PROBES_TO_RENEW 3
#define STEADY_PROBES 2
/* Half of ZooKeeper's default tick. A server grants no timeout below two ticks, so half a tick is at most T/4. */
#define HALF_TICK_MS 1000

static int64_t probe_interval(const struct lease *lease)
{
    return lease->timeout / PROBES_PER_TIMEOUT;
}

static int64_t half_tick(const struct lease *lease)
{
    return clock_earlier(HALF_TICK_MS * NANOSECONDS_PER_MILLISECOND, lease->timeout / 4);
}

void lease_begin(struct lease *lease, int64_t now, int64_t timeout)
{
    *lease = (struct lease){.timeout = timeout};
    lease_base_begin(&lease->base, now);
}

void lease_connected(struct lease *lease, int64_t now, int64_t timeout, bool again)
{
    lease->timeout = timeout;
    lease->connected_at = now;
    if (again) {
        lease_base_reconnected(&lease->base);
    }
}

void lease_answered(struct lease *lease, int64_t sent, int64_t now)
{
    lease->answered = clock_later(lease->answered, sent);
    lease_base_answered(&lease->base, sent, now, half_tick(lease), lease->timeout / STEPS_PER_TIMEOUT);
}

int64_t lease_end(const struct lease *lease)
{
    return lease->base.since + lease->timeout;
}

/*
 * From here on the lease may end before it can be renewed: half a tick, two probes more, and one for being late. Where
 * it is renewed with every probe already, the half tick is behind us; on a slow line there may be no room for it.
 */
static int64_t secure_until(const struct lease *lease, bool steady)
{
    return lease_end(lease) - (steady ? 0 : half_tick(lease)) - PROBES_TO_RENEW * probe_interval(lease);
}

bool lease_is_secure(const struct lease *lease, int64_t now)
{
    return now < secure_until(lease, lease_base_is_steady(&lease->base, now, STEADY_PROBES * probe_interval(lease)));
}

bool lease_outlasts(const struct lease *lease, int64_t now, int64_t margin)
{
    if (lease_base_is_steady(&lease->base, now, STEADY_PROBES * probe_interval(lease))) {
        return true;
    }
    int64_t provable = clock_later(now, lease_base_provable_after(&lease->base, now, half_tick(lease)));
    return provable + PROBES_TO_RENEW * probe_interval(lease) < lease_end(lease) - margin;
}

bool lease_is_fresh(const struct lease *lease, int64_t now)
{
    return now < lease->answered + lease->timeout / FRESH_PER_TIMEOUT;
}

int64_t lease_next_probe(const struct lease *lease, enum lease_demand demand)
{
    int64_t last = clock_later(clock_later(lease->probed, lease->answered), lease->connected_at);
    int64_t soon = last + probe_interval(lease);
    int64_t seldom = last + lease->timeout / IDLE_PROBES_PER_TIMEOUT;
    if (demand == LEASE_UNRESPONSIVE && lease->probed < lease->connected_at) {
        return lease->connected_at; /* after a reconnect: at once */
    }
    if (demand == LEASE_UNRESPONSIVE || demand == LEASE_AWAITED) {
        return clock_earlier(soon, last + half_tick(lease) / PROBES_PER_HALF_TICK);
    }
    return demand == LEASE_HELD ? soon : clock_later(soon, clock_earlier(seldom, secure_until(lease, false)));
}

int64_t lease_unresponsive_at(const struct lease *lease)
{
    return clock_later(lease->answered, lease->connected_at) + lease->timeout / UNRESPONSIVE_PER_TIMEOUT;
}
