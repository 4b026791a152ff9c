/* SPDX-License-Identifier: Apache-2.0 */
/* Since when the leader knows that a session is alive. */
#include "zk/lease_base.h"

#include "base/clock.h"

static struct answer *answer_at(struct lease_base *base, size_t index)
{
    return &base->answers[(base->first + index) % LEASE_ANSWERS];
}

static void drop_oldest(struct lease_base *base)
{
    base->first = (base->first + 1) % LEASE_ANSWERS;
    base->count--;
}

static void keep_answer(struct lease_base *base, struct answer answer, int64_t step)
{
    if (base->count > 0 && answer.sent < base->step_began + step) {
        *answer_at(base, base->count - 1) = answer;
        return;
    }
    if (base->count == LEASE_ANSWERS) {
        drop_oldest(base);
    }
    base->step_began = answer.sent;
    *answer_at(base, base->count++) = answer;
}

void lease_base_begin(struct lease_base *base, int64_t now)
{
    *base = (struct lease_base){.since = now, .last = now, .proved = 0};
}

void lease_base_reconnected(struct lease_base *base)
{
    base->since = clock_later(base->since, base->last);
    base->renewed = 0;
    base->count = 0;
}

void lease_base_answered(struct lease_base *base, int64_t sent, int64_t answered, int64_t half_tick, int64_t step)
{
    for (size_t i = base->count; i > 0; i--) {
        const struct answer *before = answer_at(base, i - 1);
        if (before->answered < sent) {
            base->proved = clock_later(base->proved, before->sent);
            break;
        }
    }
    int64_t since_before = base->since;
    while (base->count > 0 && answer_at(base, 0)->answered < base->proved - half_tick) {
        base->since = clock_later(base->since, answer_at(base, 0)->sent);
        drop_oldest(base);
    }
    if (base->since > since_before) {
        base->interval = answered - base->renewed;
        base->renewed = answered;
    }
    base->last = clock_later(base->last, sent);
    keep_answer(base, (struct answer){.sent = sent, .answered = answered}, step);
}

int64_t lease_base_provable_after(const struct lease_base *base, int64_t now, int64_t half_tick)
{
    return (base->count > 0 ? base->answers[base->first].answered : now) + half_tick;
}

bool lease_base_is_steady(const struct lease_base *base, int64_t now, int64_t interval)
{
    return base->interval <= interval && now - base->renewed <= interval;
}
