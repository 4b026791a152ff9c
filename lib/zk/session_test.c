/* SPDX-License-Identifier: Apache-2.0 */
#include "zk/session.h"

#include <criterion/criterion.h>

Test(session, is_connected_and_disconnected_again_and_again_until_it_is_over)
{
    struct session session = {.state = STATE_OPENING};
    session_set_state(&session, STATE_CONNECTING);
    for (int i = 0; i < 3; i++) {
        session_set_state(&session, STATE_CONNECTED);
        cr_assert(session_usable(&session));
        session_set_state(&session, STATE_DISCONNECTED);
        cr_assert_not(session_usable(&session));
    }
    session_set_state(&session, STATE_OVER);
    cr_assert(session_over_on_server(&session));
}

Test(session, whose_handle_breaks_while_it_is_drained_may_be_closed_later)
{
    struct session session = {.state = STATE_CONNECTED};
    session_set_teardown(&session, TEARDOWN_PENDING);
    cr_assert(session_is_dead(&session));
    cr_assert(session_is_connected(&session), "for the server it lives");
    session_set_teardown(&session, TEARDOWN_CLOSING);
    session_set_teardown(&session, TEARDOWN_PENDING);
    session_set_teardown(&session, TEARDOWN_EXPIRING);
    session_set_teardown(&session, TEARDOWN_PENDING);
    session_set_teardown(&session, TEARDOWN_CLOSING);
    session_set_teardown(&session, TEARDOWN_CLOSED);
}

Test(session, that_is_over_never_connects)
{
    cr_assert_not(session_state_may_follow(STATE_OVER, STATE_CONNECTED));
}

Test(session, that_is_dead_never_lives_again)
{
    cr_assert_not(session_teardown_may_follow(TEARDOWN_PENDING, TEARDOWN_NONE));
}
