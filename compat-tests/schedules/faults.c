/* SPDX-License-Identifier: Apache-2.0 */
#include "faults.h"

#include "draw.h"
#include "rivals.h"
#include "task.h"

static int64_t stalled_since;

static bool break_connection(zhandle_t *handle)
{
    static const int codes[] = {ZCONNECTIONLOSS, ZOPERATIONTIMEOUT, ZRUNTIMEINCONSISTENCY};
    bool broken = handle_disconnect(handle, codes[draw_below(3)]);
    if (broken) {
        run_trace("handle %d loses its connection", handle->number);
    }
    return broken;
}

bool fault_is_noticed(zhandle_t *handle)
{
    bool silent = handle->connected && (handle->to_client_stalled || handle->to_server_stalled) &&
                  time_now() - stalled_since >= handle->timeout_ms * MS / 3 * 2;
    if (silent) {
        run_trace("handle %d gives its connection up", handle->number);
        handle_disconnect(handle, ZOPERATIONTIMEOUT);
    }
    return silent;
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
    stalled_since = time_now();
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
        fault_is_noticed(handle);
    }
    return true;
}

bool fault_happens(enum fault fault, zhandle_t *handle)
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
