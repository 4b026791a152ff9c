/* SPDX-License-Identifier: Apache-2.0 */
/* One run: the user's thread, what it checks, and the course of things if all goes well. */
#include "schedule.h"

#include "draw.h"
#include "oracle.h"
#include "task.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONNECTION_TIMEOUT_MS 4000
#define CLEAN_UP_MS 50
#define OWN_NODE_MS 20 /* docs/protocol.md: a node made again under our name within this time is not noticed */
#define SETTLE_TIMEOUTS 3
#define WELL_TIMEOUTS 30 /* session timeouts within which everything has to end if all goes well */

struct run run;

void run_trace(const char *format, ...)
{
    if (run.traced) {
        va_list arguments;
        va_start(arguments, format);
        printf("%10.3f ms  ", (double)(time_now() - INT64_C(1000000) * MS) / (double)MS);
        vprintf(format, arguments);
        printf("\n");
        va_end(arguments);
    }
}

void run_fail(const char *format, ...)
{
    if (run.failure[0] == '\0') {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(run.failure, sizeof run.failure, format, arguments);
        va_end(arguments);
        run_trace("WRONG: %s", run.failure);
    }
}

zhandle_t *run_handle(void)
{
    for (size_t i = handle_count; i > 0; i--) {
        if (handles[i - 1].open && !handles[i - 1].closing) {
            return &handles[i - 1];
        }
    }
    return NULL;
}

struct node *run_own_node(void)
{
    for (size_t i = ensemble.node_count; i > 0; i--) {
        struct node *node = &ensemble.nodes[i - 1];
        if (node->of_library && oracle_is_contender(node)) {
            return node->deleted == 0 ? node : NULL;
        }
    }
    return NULL;
}

struct node *rival_create(bool of_our_session)
{
    static const char *const names[] = {[MUTEX] = "lock-", [WRITER] = "__WRIT__", [READER] = "__READ__"};
    const zhandle_t *handle = run_handle();
    struct node *node = NULL;
    char path[PATH_SIZE];
    enum lock_kind kind = run.plan.kind == MUTEX ? MUTEX : draw_once_in(2) ? READER : WRITER;
    snprintf(path, sizeof path, LOCK_PATH "/_c_00000000-0000-4000-8000-%012zu-%s", ensemble.node_count, names[kind]);
    bool ours = of_our_session && handle != NULL && handle->id.client_id != 0 &&
                ensemble_session(handle->id.client_id)->ending == ALIVE;
    int64_t owner = ours ? handle->id.client_id : 1 + (int64_t)ensemble.node_count;
    ensemble_create(path, ZOO_EPHEMERAL_SEQUENTIAL, owner, "", 0, &node);
    return node;
}

/* The user's thread. */

static void pass(int64_t nanoseconds)
{
    task_wait((struct wait){.until = time_now() + nanoseconds});
}

/* Whoever plays the run can take over here. */
static void enter(enum phase phase)
{
    run.phase = phase;
    task_wait((struct wait){0});
}

static void settle(const char *when)
{
    run.unsettled = false;
    enter(SETTLING);
    pass(SETTLE_TIMEOUTS * run.plan.session_timeout_ms * MS);
    oracle_check_nothing_left(when);
}

static void check_time(int64_t began)
{
    int64_t limit = run.plan.timeout_ms > 0 ? run.plan.timeout_ms : CONNECTION_TIMEOUT_MS;
    int64_t took = time_now() - began - run.paused;
    if (run.plan.timeout_ms >= 0 && took > (limit + CLEAN_UP_MS) * MS) {
        run_fail("acquire_for(%lld) took %lld ms", (long long)run.plan.timeout_ms, (long long)(took / MS));
    }
}

static void release(void)
{
    const struct node *own = oracle_node_of_token();
    enter(RELEASING);
    bool at_once = draw_once_in(3);
    curator_status status = at_once ? curator_mutex_release_for(run.mutex, 0) : curator_mutex_release(run.mutex);
    run_trace("release%s: %s", at_once ? " at once" : "", curator_status_string(status));
    if (at_once && status == CURATOR_RELEASE_PENDING && draw_once_in(2)) {
        run.unsettled = true; /* the next acquire goes out behind the delete */
        return;
    }
    if (status == CURATOR_OK && own->deleted == 0) {
        run_fail("released, but its node stands");
    } else if (status != CURATOR_OK) {
        settle("release");
    }
}

static void acquire_and_release(void)
{
    run.paused = 0;
    enter(ACQUIRING);
    int64_t began = time_now();
    run.status = run.plan.timeout_ms < 0 ? curator_mutex_acquire(run.mutex)
                                         : curator_mutex_acquire_for(run.mutex, run.plan.timeout_ms);
    if (run.status != CURATOR_OK) {
        run_trace("acquire: %s", curator_last_error());
        check_time(began);
        settle("acquire");
        return;
    }
    oracle_check_grant();
    check_time(began);
    run_trace("acquire: CURATOR_OK");
    run.granted++;
    enter(HOLDING);
    pass(draw_between(0, 60) * MS);
    oracle_check_hold();
    release();
}

static void create_lock(curator_read_write_lock **both)
{
    if (run.plan.kind == MUTEX) {
        curator_mutex_create(&run.mutex, run.framework, LOCK_PATH);
        return;
    }
    curator_read_write_lock_create(both, run.framework, LOCK_PATH);
    run.mutex = run.plan.kind == WRITER ? curator_read_write_lock_write(*both) : curator_read_write_lock_read(*both);
}

static void *use_lock(void *context)
{
    (void)context;
    const curator_retry_policy policy =
        run.plan.forever ? curator_retry_forever(10) : curator_retry_exponential_backoff(20, 3);
    const curator_framework_options options = {.connect_string = "127.0.0.1:2181",
                                               .session_timeout_ms = run.plan.session_timeout_ms,
                                               .connection_timeout_ms = CONNECTION_TIMEOUT_MS,
                                               .retry_policy = &policy,
                                               .default_data = ""};
    curator_read_write_lock *both = NULL;
    if (curator_framework_open(&run.framework, &options) != CURATOR_OK ||
        curator_framework_await_connected(run.framework, CONNECTION_TIMEOUT_MS) != CURATOR_OK) {
        run_fail("no connection: %s", curator_last_error());
        return NULL;
    }
    create_lock(&both);
    for (int i = 0; i < run.plan.rounds; i++) {
        acquire_and_release();
    }
    if (run.unsettled) {
        settle("a release that was not waited for");
    }
    enter(CLOSING);
    if (both != NULL) {
        curator_read_write_lock_destroy(both);
    } else {
        curator_mutex_destroy(run.mutex);
    }
    curator_framework_close(run.framework);
    return NULL;
}

void run_begin(const struct plan *plan, uint64_t seed)
{
    bool traced = run.traced;
    run = (struct run){.plan = *plan, .traced = traced};
    draw_seed(seed);
    tasks_reset();
    handles_reset();
    ensemble_reset();
    struct node *node;
    ensemble_create(LOCK_PATH, ZOO_PERSISTENT, 0, "", 0, &node);
    run.setup_zxid = ensemble.zxid;
    task_preempted = NULL;
    run.stop_at = NO_PHASE;
    run_trace("a %s, acquired %d times, for %lld ms; session timeout %lld ms",
              run.plan.kind == MUTEX ? "mutex" : "side of a read-write lock", run.plan.rounds,
              (long long)run.plan.timeout_ms, (long long)run.plan.session_timeout_ms);
    run.user = task_start(use_lock, NULL);
}

/* If all goes well. */

void run_threads(void)
{
    while (run.phase != run.stop_at && task_run(draw())) {
    }
}

static bool work(zhandle_t *handle)
{
    handle->to_server_stalled = handle->to_client_stalled = handle->leader_cut = false;
    return handle->open && (handle_connect(handle, ensemble.zxid) || handle_forward(handle) || handle_apply(handle) ||
                            handle_answer(handle) || handle_receive(handle));
}

void run_settle(void)
{
    bool busy = true;
    while (busy) {
        run_threads();
        busy = false;
        for (size_t i = 0; i < handle_count && run.phase != run.stop_at; i++) {
            busy = work(&handles[i]) || busy;
        }
    }
}

/* The first in the queue. */
static struct node *first_rival(void)
{
    struct node *first = NULL;
    for (struct node *node = ensemble.nodes; node < ensemble.nodes + ensemble.node_count; node++) {
        if (!node->of_library && oracle_is_contender(node) && node->deleted == 0 &&
            (first == NULL ||
             strcmp(node->path + strlen(node->path) - 10, first->path + strlen(first->path) - 10) < 0)) {
            first = node;
        }
    }
    return first;
}

static bool is_over(void)
{
    return task_finished(run.user) || run.failure[0] != '\0';
}

/* One thing after the other; rivals leave, and time passes to what is due next. */
static void go_well(void)
{
    run_settle();
    if (is_over() || run.phase == run.stop_at) {
        return;
    }
    struct node *rival = run.phase == ACQUIRING ? first_rival() : NULL;
    int64_t next = task_next_deadline();
    if (rival != NULL) {
        run_trace("%s leaves", oracle_lock_name(rival));
        ensemble_delete(rival->path);
    } else if (next == FOREVER) {
        run_fail("nobody will ever wake it");
    } else {
        time_advance(next > time_now() ? next - time_now() : 0);
        ensemble_expire_sessions();
    }
}

bool run_well_until(enum phase phase)
{
    int64_t limit = time_now() + WELL_TIMEOUTS * run.plan.session_timeout_ms * MS;
    run.stop_at = phase;
    while (run.phase != phase && !is_over()) {
        if (time_now() > limit) {
            run_fail("all goes well, but nothing happens");
        }
        go_well();
    }
    run.stop_at = NO_PHASE;
    return run.failure[0] == '\0';
}

bool run_to_end(void)
{
    int64_t limit = time_now() + WELL_TIMEOUTS * run.plan.session_timeout_ms * MS;
    while (!is_over()) {
        if (time_now() > limit) {
            run_fail("all goes well, but nothing happens");
        }
        go_well();
    }
    if (run.failure[0] == '\0') {
        oracle_check_nothing_left("the end");
    }
    return run.failure[0] == '\0';
}
