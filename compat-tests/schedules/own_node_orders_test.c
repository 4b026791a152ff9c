/* SPDX-License-Identifier: Apache-2.0 */
/* Orders in which our own node goes, or is made again, that a server would play once in a million times. */
#include "order.h"

#include "draw.h"
#include "task.h"

#include <criterion/criterion.h>

#define LONG_LIST 60

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
    zhandle_t *handle = begin_to_watch();
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
