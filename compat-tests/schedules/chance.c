/* SPDX-License-Identifier: Apache-2.0 */
/* A run by chance: in which order things happen, and what goes wrong, is drawn. */
#include "schedule.h"

#include "draw.h"
#include "task.h"

#include <string.h>

#define MAX_RIVALS 30

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

enum fault {
    BREAK,
    STALL_TO_SERVER,
    STALL_TO_CLIENT,
    CUT_FROM_LEADER,
    DELETE_OWN,
    CHANGE_OWN,
    REPLACE_OWN,
    DELETE_OTHER,
    CHANGE_OTHER,
    REPLACE_OTHER,
    CLOSE_SESSION,
    PAUSE,
    MACHINE_SLEEPS,
    WAIT_IN_SILENCE,
    FAULTS
};

static struct {
    unsigned weights[STEPS];
    unsigned total;
    enum fault possible[3];
    size_t world_rate;   /* likewise: the world moves although a thread could run */
    size_t preempt_rate; /* likewise: a thread is interrupted when it unlocks; 0: never */
    int64_t stalled_since;
    int rivals;
    bool siblings;
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
    chance.siblings = draw_once_in(3);
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

/* Nodes of others: any, the first more often than the rest. */
static struct node *some_rival(void)
{
    struct node *rivals[MAX_NODES];
    size_t count = 0;
    for (struct node *node = ensemble.nodes; node < ensemble.nodes + ensemble.node_count; node++) {
        if (!node->of_library && node_is_child(node, LOCK_PATH) && node->deleted == 0) {
            rivals[count++] = node;
        }
    }
    if (count == 0) {
        return NULL;
    }
    return draw_once_in(2) ? rivals[0] : rivals[draw_below(count)];
}

static bool rival_comes(void)
{
    if (chance.rivals >= MAX_RIVALS || ensemble.node_count + 16 > MAX_NODES || some_rival() != NULL) {
        return false;
    }
    int count = 1 + (int)draw_below(3);
    for (int i = 0; i < count; i++) {
        const struct node *node = rival_create(chance.siblings && draw_once_in(2));
        chance.rivals++;
        run_trace("%s comes, of session %llx", strrchr(node->path, '-') + 1, (unsigned long long)node->owner);
    }
    return true;
}

static bool rival_leaves(void)
{
    struct node *rival = some_rival();
    if (rival != NULL) {
        run_trace("%s leaves", strrchr(rival->path, '-') + 1);
        ensemble_delete(rival->path);
    }
    return rival != NULL;
}

/* A writer that holds takes the read lock: its reader's node has the writer's number. */
static bool rival_downgrades(void)
{
    struct node *rival = some_rival();
    char *kind = rival != NULL ? strstr(rival->path, "__WRIT__") : NULL;
    if (kind == NULL || rival->owner == 0 || ensemble.node_count + 16 > MAX_NODES) {
        return false;
    }
    for (const struct node *node = ensemble.nodes; node < ensemble.nodes + ensemble.node_count; node++) {
        if (node != rival && node_is_child(node, LOCK_PATH) && node->deleted == 0 &&
            strcmp(node->path + strlen(node->path) - 10, kind + strlen("__WRIT__")) <= 0) {
            return false; /* it does not hold yet, or reads already */
        }
    }
    char path[PATH_SIZE];
    strcpy(path, rival->path);
    memcpy(path + (kind - rival->path), "__READ__", strlen("__READ__"));
    struct node *created;
    ensemble_create(path, ZOO_EPHEMERAL, rival->owner, "", 0, &created);
    run_trace("%s downgrades", kind);
    return true;
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

static bool break_connection(zhandle_t *handle)
{
    static const int codes[] = {ZCONNECTIONLOSS, ZOPERATIONTIMEOUT, ZRUNTIMEINCONSISTENCY};
    bool broken = handle_disconnect(handle, codes[draw_below(3)]);
    if (broken) {
        run_trace("handle %d loses its connection", handle->number);
    }
    return broken;
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

/* The ZooKeeper client gives a silent connection up. */
static bool give_up(zhandle_t *handle)
{
    bool silent = handle->connected && (handle->to_client_stalled || handle->to_server_stalled) &&
                  time_now() - chance.stalled_since >= handle->timeout_ms * MS / 3 * 2;
    if (silent) {
        run_trace("handle %d gives its connection up", handle->number);
        handle_disconnect(handle, ZOPERATIONTIMEOUT);
    }
    return silent;
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
    if (handle == NULL || give_up(handle)) {
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

static void stand_still(bool machine_sleeps)
{
    int64_t length = draw_between(1, 2 * run.plan.session_timeout_ms) * MS;
    run_trace("the %s for %lld ms", machine_sleeps ? "machine sleeps" : "process stands still",
              (long long)(length / MS));
    if (machine_sleeps) {
        time_sleep_machine(length);
    } else {
        time_advance(length);
        run.paused += length;
    }
    ensemble_expire_sessions();
}

static bool operate(enum fault fault, struct node *node)
{
    static const char *const verbs[] = {
        [DELETE_OWN] = "deletes",   [CHANGE_OWN] = "changes",   [REPLACE_OWN] = "replaces",
        [DELETE_OTHER] = "deletes", [CHANGE_OTHER] = "changes", [REPLACE_OTHER] = "replaces"};
    if (node == NULL || ensemble.node_count + 16 > MAX_NODES) {
        return false;
    }
    run_trace("an operator %s %s", verbs[fault], node->path);
    if (fault == DELETE_OWN || fault == DELETE_OTHER) {
        return ensemble_delete(node->path) == ZOK;
    }
    if (fault == CHANGE_OWN || fault == CHANGE_OTHER) {
        return ensemble_set(node->path, "changed", 7) == ZOK;
    }
    return ensemble_replace(node) == ZOK;
}

static bool close_session(const zhandle_t *handle)
{
    struct server_session *session = ensemble_session(handle->id.client_id);
    if (session == NULL || session->ending != ALIVE) {
        return false;
    }
    run_trace("an operator closes the session of handle %d", handle->number);
    ensemble_end_session(session, CLOSED_BY_OPERATOR);
    return true;
}

/* The connection lasts, but one way of it is silent, or the server's to the leader. */
static bool stall(enum fault fault, zhandle_t *handle)
{
    run_trace("handle %d: silence %s", handle->number,
              fault == STALL_TO_SERVER   ? "to the server"
              : fault == STALL_TO_CLIENT ? "to the client"
                                         : "between server and leader");
    chance.stalled_since = time_now();
    handle->to_server_stalled = handle->to_server_stalled || fault == STALL_TO_SERVER;
    handle->to_client_stalled = handle->to_client_stalled || fault == STALL_TO_CLIENT;
    handle->leader_cut = handle->leader_cut || fault == CUT_FROM_LEADER;
    return handle->connected;
}

static bool wait_in_silence(zhandle_t *handle)
{
    stall((enum fault)draw_between(STALL_TO_SERVER, CUT_FROM_LEADER), handle);
    int64_t until = time_now() + draw_between(1, 2 * run.plan.session_timeout_ms) * MS;
    while (time_now() < until && run.phase == ACQUIRING && task_next_deadline() <= until) {
        run_threads();
        int64_t next = task_next_deadline();
        if (next == FOREVER) {
            break;
        }
        time_advance(next > time_now() ? next - time_now() : 0);
        ensemble_expire_sessions();
        give_up(handle);
    }
    return true;
}

static bool go_wrong(enum fault fault, zhandle_t *handle)
{
    switch (fault) {
    case BREAK:
        return break_connection(handle);
    case STALL_TO_SERVER:
    case STALL_TO_CLIENT:
    case CUT_FROM_LEADER:
        return stall(fault, handle);
    case WAIT_IN_SILENCE:
        return wait_in_silence(handle);
    case DELETE_OWN:
    case CHANGE_OWN:
    case REPLACE_OWN:
        return operate(fault, run_own_node());
    case DELETE_OTHER:
    case CHANGE_OTHER:
    case REPLACE_OTHER:
        return operate(fault, some_rival());
    case CLOSE_SESSION:
        return close_session(handle);
    case PAUSE:
    case MACHINE_SLEEPS:
        if (task_is_preempted(run.user)) {
            return false; /* in whose call the lease may have been looked at already: no recipe can help that */
        }
        stand_still(fault == MACHINE_SLEEPS);
        return true;
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
            go_wrong(chance.possible[draw_below(sizeof chance.possible / sizeof chance.possible[0])], handle);
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
