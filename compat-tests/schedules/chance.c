/* SPDX-License-Identifier: Apache-2.0 */
/* A run by chance: in which order things happen, and what goes wrong, is drawn. */
#include "schedule.h"

#include "draw.h"
#include "faults.h"
#include "rivals.h"
#include "task.h"

#include <string.h>

enum step {
    FORWARD,
    FORWARD_GHOST,
    APPLY,
    ANSWER_ONE,
    RECEIVE,
    CONNECT,
    REFUSE,
    RIVAL_COMES,
    RIVAL_LEAVES,
    DOWNGRADE,
    TIME,
    STALL_ENDS,
    STEPS
};

static struct {
    unsigned weights[STEPS];
    unsigned total;
    enum fault possible[3];
    size_t world_rate;   /* likewise: the world moves although a thread could run */
    size_t preempt_rate; /* likewise: a thread is interrupted when it unlocks; 0: never */
} chance;

static bool preempted(void)
{
    return draw_once_in(chance.preempt_rate);
}

static void draw_chance(void)
{
    memset(&chance, 0, sizeof chance);
    for (int i = 0; i < STEPS; i++) {
        chance.weights[i] = 1U << draw_below(5);
        chance.total += chance.weights[i];
    }
    for (size_t i = 0; i < sizeof chance.possible / sizeof chance.possible[0]; i++) {
        chance.possible[i] = (enum fault)draw_below(FAULTS);
    }
    chance.world_rate = (size_t)2 << draw_below(5);
    chance.preempt_rate = draw_once_in(2) ? 0 : 2 + draw_below(30);
    rivals_begin(draw_once_in(3));
    task_preempted = chance.preempt_rate > 0 ? preempted : NULL;
}

static struct plan draw_plan(void)
{
    static const int64_t timeouts[] = {4000, 10000, 30000};
    struct plan plan = {.kind = draw_once_in(4) ? (draw_once_in(2) ? WRITER : READER) : MUTEX,
                        .session_timeout_ms = timeouts[draw_below(3)],
                        .rounds = 1 + (int)draw_below(3),
                        .timeout_ms = -1};
    if (draw_once_in(3)) {
        plan.timeout_ms = draw_once_in(4) ? 0 : draw_between(1, 2 * plan.session_timeout_ms);
    }
    plan.forever = plan.timeout_ms < 0 || draw_once_in(2);
    return plan;
}

static bool connect_somewhere(zhandle_t *handle)
{
    int64_t oldest = handle->last_zxid > run.setup_zxid ? handle->last_zxid : run.setup_zxid;
    int64_t applied = draw_once_in(2) ? ensemble.zxid : draw_between(oldest, ensemble.zxid);
    bool connected = handle_connect(handle, applied);
    if (connected) {
        run_trace("handle %d connects to a server that has applied %lld of %lld: %s", handle->number,
                  (long long)handle->applied, (long long)ensemble.zxid, handle->failing ? "expired" : "ok");
    }
    return connected;
}

static bool is_stalled(const zhandle_t *handle)
{
    return handle->to_client_stalled || handle->to_server_stalled || handle->leader_cut;
}

/* A step in time, never past what a thread waits for. */
static bool time_passes(const zhandle_t *handle)
{
    bool jumps = handle != NULL && is_stalled(handle) ? draw_once_in(2) : draw_once_in(12);
    int64_t next = task_next_deadline();
    int64_t step = jumps ? next - time_now() : draw_between(1, draw_once_in(2) ? MS / 20 : 2 * MS);
    if (next != FOREVER && step > next - time_now()) {
        step = next - time_now();
    }
    if (step > 0 && (next != FOREVER || !jumps)) {
        time_advance(step);
        ensemble_expire_sessions();
        if (jumps) {
            run_trace("time passes");
        }
    }
    return true;
}

static bool play(enum step step, zhandle_t *handle)
{
    switch (step) {
    case RIVAL_COMES:
        return run.phase == ACQUIRING && run_own_node() == NULL && rival_comes();
    case RIVAL_LEAVES:
        return draw_once_in(4) && rival_leaves();
    case DOWNGRADE:
        return run.plan.kind != MUTEX && rival_downgrades();
    case TIME:
        return time_passes(handle);
    default:
        break;
    }
    if (handle == NULL || fault_is_noticed(handle)) {
        return handle != NULL;
    }
    switch (step) {
    case FORWARD:
        return handle_forward(handle);
    case FORWARD_GHOST:
        return handle_forward_ghost(handle);
    case APPLY:
        return handle_apply(handle);
    case ANSWER_ONE:
        return handle_answer(handle);
    case RECEIVE:
        return handle_receive(handle);
    case CONNECT:
        return connect_somewhere(handle);
    case REFUSE:
        return draw_once_in(8) && handle_refuse(handle, draw_once_in(2) ? ZCONNECTIONLOSS : ZOPERATIONTIMEOUT);
    case STALL_ENDS:
        if (draw_once_in(4)) {
            handle->to_client_stalled = handle->to_server_stalled = handle->leader_cut = false;
        }
        return false;
    default:
        return false;
    }
}

static enum step draw_step(void)
{
    unsigned left = (unsigned)draw_below(chance.total);
    int step = 0;
    while (left >= chance.weights[step]) {
        left -= chance.weights[step++];
    }
    return (enum step)step;
}

/* The newest one more often than one that is being closed. */
static zhandle_t *some_handle(void)
{
    if (handle_count == 0) {
        return NULL;
    }
    zhandle_t *handle = &handles[draw_once_in(4) ? draw_below(handle_count) : handle_count - 1];
    return handle->open && !handle->closing ? handle : NULL;
}

static void one_step(void)
{
    zhandle_t *handle = some_handle();
    bool runnable = task_any_runnable();
    if (runnable && !draw_once_in(chance.world_rate)) {
        task_run(draw());
        return;
    }
    enum step step = draw_step();
    if (!(runnable && step == TIME)) { /* time passes only while all threads wait */
        play(step, handle);
    }
}

/* Several things at once, of which nobody has heard yet. */
static void much_happens(void)
{
    size_t count = 1 + draw_below(4);
    for (size_t i = 0; i < count; i++) {
        zhandle_t *handle = some_handle();
        if (draw_once_in(2)) {
            rival_leaves();
        } else if (handle != NULL && (run.phase == ACQUIRING || (run.phase == HOLDING && draw_once_in(4)))) {
            fault_happens(chance.possible[draw_below(sizeof chance.possible / sizeof chance.possible[0])], handle);
        }
    }
}

/* From quiet waiting to the next: what happens, and how it is heard of. */
static void episode(void)
{
    int64_t steps = draw_between(5, 200);
    if (!draw_once_in(4)) {
        run_settle();
    }
    much_happens();
    for (int64_t i = 0; i < steps && run.phase <= RELEASING && run.failure[0] == '\0'; i++) {
        one_step();
    }
}

bool run_seed(uint64_t seed, bool traced)
{
    run.traced = traced;
    draw_seed(~seed);
    struct plan plan = draw_plan();
    run_begin(&plan, seed);
    draw_chance();
    if (!run_well_until(ACQUIRING)) {
        return false;
    }
    if (!draw_once_in(8)) {
        rival_comes();
    }
    ensemble.unreadable = draw_once_in(8);
    size_t episodes = 1 + draw_below(5);
    for (size_t i = 0; i < episodes && run.phase <= RELEASING && run.failure[0] == '\0'; i++) {
        episode();
    }
    return run_to_end();
}
