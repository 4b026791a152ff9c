/* SPDX-License-Identifier: Apache-2.0 */
/* Orders in which the predecessor goes, changes or is listed, that a server would play once in a million times. */
#include "order.h"

#include "draw.h"
#include "task.h"

#include <criterion/criterion.h>

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
    zhandle_t *handle = begin_to_watch();
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
