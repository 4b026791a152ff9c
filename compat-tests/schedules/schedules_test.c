/* SPDX-License-Identifier: Apache-2.0 */
/* The acquire loop, in orders of answers, events and faults that a server would play once in a million times. */
#include "schedule.h"

#include "draw.h"
#include "task.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int __real_clock_gettime(clockid_t id, struct timespec *time);

static double seconds(void)
{
    struct timespec now;
    __real_clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static uint64_t number_from(const char *variable, uint64_t otherwise)
{
    const char *text = getenv(variable);
    if (text == NULL || text[0] == '\0') {
        return otherwise;
    }
    char *end;
    uint64_t number = strtoull(text, &end, 10);
    cr_assert(*end == '\0', "%s is no number: %s", variable, text);
    return number;
}

#define SESSION_TIMEOUT_MS 10000
#define LONG_LIST 60

static const struct plan without_limit = {
    .timeout_ms = -1, .session_timeout_ms = SESSION_TIMEOUT_MS, .rounds = 1, .forever = true};

/* Connected; the acquire has not sent anything yet. */
static zhandle_t *begin_to_acquire(void)
{
    run_begin(&without_limit, 1);
    cr_assert(run_well_until(ACQUIRING), "%s", run.failure);
    return run_handle();
}

/* A mutex that waits behind so many others; all is quiet. */
static zhandle_t *begin_behind(int rivals, int64_t timeout_ms)
{
    struct plan plan = without_limit;
    plan.timeout_ms = timeout_ms;
    run_begin(&plan, 1);
    cr_assert(run_well_until(ACQUIRING), "%s", run.failure);
    for (int i = 0; i < rivals; i++) {
        rival_create(false);
    }
    run_settle();
    cr_assert_eq(run.phase, ACQUIRING);
    return run_handle();
}

/* The same, and of the same session as the one before it. */
static zhandle_t *begin_behind_sibling(void)
{
    zhandle_t *handle = begin_to_acquire();
    rival_create(true);
    run_settle();
    return handle;
}

static struct node *rival(int index)
{
    struct node *node = ensemble.nodes;
    while (node->of_library || strcmp(node->path, LOCK_PATH) == 0 || index-- > 0) {
        node++;
    }
    return node;
}

static void delete_node(const struct node *node)
{
    cr_assert_eq(ensemble_delete(node->path), ZOK);
}

/* All that the leader has done arrives at the client, in one piece. */
static void all_arrives(zhandle_t *handle)
{
    while (handle_forward(handle) || handle_apply(handle) || handle_answer(handle) || handle_receive(handle)) {
    }
}

/* All of that reaches the library, before the waiting thread comes to run. */
static void library_is_told(zhandle_t *handle)
{
    all_arrives(handle);
    while (handle->inbox.count > 0) {
        cr_assert(task_run_this(handle->completion_task));
    }
}

static void ends_well(void)
{
    cr_assert(run_to_end(), "%s", run.failure);
    cr_assert_eq(run.granted, 1, "%d grants", run.granted);
}

Test(order, the_predecessor_goes_and_no_list_is_asked_for)
{
    zhandle_t *handle = begin_behind(1, -1);
    int64_t list = handle->list_number;
    delete_node(rival(0));
    run_settle();
    cr_assert_eq(run.phase, HOLDING);
    cr_assert_eq(handle->list_number, list);
    ends_well();
}

Test(order, one_before_the_predecessor_goes_first_and_no_list_is_asked_for)
{
    zhandle_t *handle = begin_behind(2, -1);
    int64_t list = handle->list_number;
    delete_node(rival(0));
    delete_node(rival(1));
    all_arrives(handle);
    run_settle();
    cr_assert_eq(run.phase, HOLDING);
    cr_assert_eq(handle->list_number, list);
    ends_well();
}

Test(order, the_predecessor_is_gone_when_its_watch_is_asked_for)
{
    zhandle_t *handle = begin_to_acquire();
    rival_create(false);
    while (handle->request_count < 2) {
        run_threads();
    }
    all_arrives(handle); /* create and list */
    run_threads();       /* which asks for the watches */
    delete_node(rival(0));
    all_arrives(handle);
    run_settle();
    cr_assert_eq(run.phase, HOLDING);
    ends_well();
}

Test(order, the_predecessor_goes_right_behind_the_answer_to_its_watch)
{
    zhandle_t *handle = begin_to_acquire();
    rival_create(false);
    run_threads();
    all_arrives(handle);
    run_threads();
    while (handle_answer(handle)) {
    }
    delete_node(rival(0));
    all_arrives(handle);
    run_settle();
    cr_assert_eq(run.phase, HOLDING);
    ends_well();
}

Test(order, our_node_goes_and_then_the_predecessor)
{
    zhandle_t *handle = begin_behind(1, -1);
    const struct node *first = run_own_node();
    delete_node(first);
    delete_node(rival(0));
    all_arrives(handle);
    run_settle();
    cr_assert_neq(run_own_node(), first);
    ends_well();
}

Test(order, the_predecessor_goes_and_then_our_node)
{
    zhandle_t *handle = begin_behind(1, -1);
    const struct node *own = run_own_node();
    delete_node(rival(0));
    delete_node(own);
    all_arrives(handle);
    ends_well();
}

Test(order, our_session_ends_with_the_predecessor_of_the_same_session)
{
    for (uint64_t i = 0; i < 8; i++) { /* the two events come in either order */
        zhandle_t *handle = begin_behind_sibling();
        for (uint64_t j = 0; j < i; j++) {
            draw();
        }
        ensemble_end_session(ensemble_session(handle->id.client_id), CLOSED_BY_OPERATOR);
        handle_apply(handle);
        handle_receive(handle);
        run_threads();
        ends_well();
    }
}

Test(order, both_nodes_go_while_the_connection_is_broken)
{
    for (uint64_t i = 0; i < 8; i++) {
        zhandle_t *handle = begin_behind(1, -1);
        for (uint64_t j = 0; j < i; j++) {
            draw();
        }
        handle_disconnect(handle, ZCONNECTIONLOSS);
        run_threads();
        delete_node(run_own_node());
        delete_node(rival(0));
        handle_connect(handle, ensemble.zxid);
        all_arrives(handle);
        ends_well();
    }
}

Test(order, a_server_that_lags_after_the_reconnect_shows_the_predecessor_again)
{
    zhandle_t *handle = begin_behind(2, -1);
    int64_t before = handle->last_zxid;
    delete_node(rival(1));
    all_arrives(handle); /* told by an event, which does not move the client's zxid on */
    run_threads();
    delete_node(run_own_node());
    handle_disconnect(handle, ZCONNECTIONLOSS);
    handle_connect(handle, before);
    while (handle_answer(handle) || handle_receive(handle)) {
        run_threads();
    }
    delete_node(rival(0));
    ends_well();
}

Test(order, the_session_expires_while_the_list_is_on_its_way)
{
    zhandle_t *handle = begin_to_acquire();
    run_threads();
    handle_forward(handle);
    handle_apply(handle);
    while (handle_answer(handle)) {
    }
    time_advance(SESSION_TIMEOUT_MS * MS); /* the process stands still */
    run.paused = SESSION_TIMEOUT_MS * MS;
    ensemble_expire_sessions();
    while (handle_receive(handle)) {
    }
    run_threads();
    cr_assert_eq(run.granted, 0);
    ends_well();
}

Test(order, the_answer_to_the_create_is_lost)
{
    zhandle_t *handle = begin_to_acquire();
    run_threads();
    handle_forward(handle);
    const struct node *node = run_own_node();
    handle_disconnect(handle, ZCONNECTIONLOSS);
    run_threads();
    handle_connect(handle, node->created - 1); /* where it cannot be seen yet */
    ends_well();
    cr_assert_eq(node, run_own_node() == NULL ? node : NULL, "a second node was made");
}

Test(order, our_node_is_made_again_by_an_operator_while_the_connection_is_broken)
{
    zhandle_t *handle = begin_behind(1, -1);
    struct node *own = run_own_node();
    time_advance(50 * MS);
    handle_disconnect(handle, ZCONNECTIONLOSS);
    cr_assert_eq(ensemble_replace(own), ZOK);
    delete_node(rival(0));
    handle_connect(handle, ensemble.zxid);
    ends_well();
}

Test(order, our_node_goes_and_another_is_made_before_the_predecessor_goes)
{
    begin_behind(1, -1);
    delete_node(run_own_node());
    run_settle();
    cr_assert_not_null(run_own_node());
    ends_well();
}

Test(order, our_node_is_made_again_after_the_create_was_answered_and_the_list_lost)
{
    zhandle_t *handle = begin_to_acquire();
    run_threads();
    handle_forward(handle);
    handle_apply(handle);
    handle_answer(handle);
    handle_receive(handle);
    run_threads();
    struct node *own = run_own_node();
    handle_disconnect(handle, ZCONNECTIONLOSS);
    cr_assert_eq(ensemble_replace(own), ZOK);
    handle_connect(handle, ensemble.zxid);
    run_settle();
    cr_assert_eq(run.granted, 0);
    cr_assert_eq(ensemble_delete(own->path), ZOK); /* which would never go by itself */
    ends_well();
}

Test(order, one_of_our_session_goes_with_it_after_the_predecessor_before_we_look)
{
    for (uint64_t i = 0; i < 8; i++) {
        zhandle_t *handle = begin_to_acquire();
        rival_create(true);
        rival_create(false);
        run_threads();
        all_arrives(handle);
        run_threads(); /* asks for the watches */
        while (handle_answer(handle)) {
        }
        for (uint64_t j = 0; j < i; j++) {
            draw();
        }
        delete_node(rival(1));
        ensemble_end_session(ensemble_session(handle->id.client_id), CLOSED_BY_OPERATOR);
        handle_apply(handle);
        handle_apply(handle);
        while (handle->wire.count > 1 && handle_receive(handle)) { /* all but the last event, which may be our own */
        }
        while (handle->inbox.count > 0) {
            cr_assert(task_run_this(handle->completion_task));
        }
        run_threads();
        ends_well();
    }
}

static bool user_is_preempted(void)
{
    return task_current() == run.user;
}

/* Long enough that the library reads it without its mutex. */
Test(order, our_node_goes_while_a_long_list_is_read_that_shows_it_first)
{
    zhandle_t *handle = begin_behind(1, -1);
    for (int i = 0; i < LONG_LIST; i++) {
        rival_create(false);
    }
    cr_assert_eq(ensemble_set(rival(0)->path, "x", 1), ZOK); /* so that the list is asked for */
    delete_node(rival(0));
    library_is_told(handle);
    run_threads(); /* the list leaves */
    library_is_told(handle);
    task_preempted = user_is_preempted;
    cr_assert(task_run_this(run.user)); /* it reads the list */
    task_preempted = NULL;
    cr_assert(task_is_preempted(run.user));
    const struct node *own = run_own_node();
    delete_node(own);
    library_is_told(handle);
    run_settle();
    cr_assert_eq(run.granted, 0);
    for (int i = 0; i < LONG_LIST; i++) {
        delete_node(rival(i + 1));
    }
    ends_well();
}

Test(order, our_node_is_made_again_before_its_watch_is_set)
{
    zhandle_t *handle = begin_to_acquire();
    rival_create(false);
    while (handle->request_count < 2) {
        run_threads();
    }
    all_arrives(handle); /* create and list */
    run_threads();       /* which asks for the watches */
    struct node *own = run_own_node();
    cr_assert_eq(ensemble_replace(own), ZOK);
    all_arrives(handle);
    run_settle();
    delete_node(rival(0));
    run_settle();
    cr_assert_eq(run.granted, 0);
    cr_assert_eq(ensemble_delete(own->path), ZOK); /* which would never go by itself */
    ends_well();
}

/* The next attempt asks for its watches, if need be after a pause of the retry policy. */
static void asks_for_watches(zhandle_t *handle)
{
    all_arrives(handle);
    while (run.phase == ACQUIRING && run_own_node() == NULL) {
        int64_t next = task_next_deadline();
        if (next > time_now() && next != FOREVER) {
            time_advance(next - time_now());
        }
        run_threads();
        all_arrives(handle); /* create and list */
    }
    run_threads();
}

Test(order, our_node_goes_again_and_again_while_its_watch_is_set_and_no_retry_is_used_up)
{
    struct plan plan = without_limit;
    plan.forever = false;
    run_begin(&plan, 1);
    cr_assert(run_well_until(ACQUIRING), "%s", run.failure);
    zhandle_t *handle = run_handle();
    rival_create(false);
    run_threads();
    for (int i = 0; i < 12; i++) {
        asks_for_watches(handle);
        cr_assert_eq(run.phase, ACQUIRING, "ended after %d deletions: %s", i, curator_status_string(run.status));
        while (handle_forward(handle)) {
        }
        handle_answer(handle); /* the watch on our own node is set */
        delete_node(run_own_node());
        all_arrives(handle); /* the event, and the answer about the predecessor */
        run_threads();
    }
    ends_well();
}

Test(order, a_predecessor_that_is_made_again_is_in_the_list_that_is_on_its_way)
{
    zhandle_t *handle = begin_behind(2, -1);
    cr_assert_eq(ensemble_replace(rival(1)), ZOK);
    library_is_told(handle); /* the list is asked for */
    all_arrives(handle);     /* and answered */
    delete_node(rival(0));
    library_is_told(handle);
    run_settle();
    cr_assert_eq(run.granted, 0);
    ends_well();
}

Test(order, our_node_may_not_be_read_and_goes_before_the_predecessor)
{
    zhandle_t *handle = begin_to_acquire();
    rival_create(false);
    ensemble.unreadable = true;
    run_settle();
    time_advance(50 * MS);
    delete_node(run_own_node());
    delete_node(rival(0));
    all_arrives(handle);
    ends_well();
}

Test(order, a_silent_server_does_not_outlast_the_deadline)
{
    zhandle_t *handle = begin_behind(1, 300);
    handle->to_server_stalled = handle->to_client_stalled = true;
    while (run.phase == ACQUIRING) {
        run_threads();
        time_advance(run.phase == ACQUIRING ? task_next_deadline() - time_now() : 0);
    }
    cr_assert(run_to_end(), "%s", run.failure);
    cr_assert_eq(run.status, CURATOR_TIMED_OUT);
}

Test(chance, no_schedule_breaks_a_promise)
{
    uint64_t one = number_from("CURATOR_SEED", 0);
    if (one != 0) {
        cr_assert(run_seed(one, true), "seed %" PRIu64 ": %s", one, run.failure);
        return;
    }
    uint64_t count = number_from("CURATOR_SEEDS", 0);
    double end = seconds() + 2.5;
    uint64_t seed = 1;
    int granted = 0;
    while (count > 0 ? seed <= count : seed <= 50 || seconds() < end) {
        cr_assert(run_seed(seed, false), "%s\nSeen with CURATOR_SEED=%" PRIu64, run.failure, seed);
        granted += run.granted;
        seed++;
    }
    printf("%" PRIu64 " schedules, %d grants\n", seed - 1, granted);
}
