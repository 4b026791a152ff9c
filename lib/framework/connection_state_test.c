/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of which connection state follows from which event. */
#include "framework/connection_state.h"

#include <criterion/criterion.h>

Test(connection_state, the_first_connection_is_connected_and_every_later_one_reconnected)
{
    cr_assert_eq(connection_state_after(CURATOR_CONNECTING, false, SESSION_CONNECTED), CURATOR_CONNECTED);
    cr_assert_eq(connection_state_after(CURATOR_SUSPENDED, true, SESSION_CONNECTED), CURATOR_RECONNECTED);
    cr_assert_eq(connection_state_after(CURATOR_LOST, true, SESSION_CONNECTED), CURATOR_RECONNECTED);
}

Test(connection_state, a_connection_that_goes_is_suspended_once)
{
    cr_assert_eq(connection_state_after(CURATOR_CONNECTED, true, SESSION_DISCONNECTED), CURATOR_SUSPENDED);
    cr_assert_eq(connection_state_after(CURATOR_RECONNECTED, true, SESSION_DISCONNECTED), CURATOR_SUSPENDED);
    cr_assert_eq(connection_state_after(CURATOR_SUSPENDED, true, SESSION_DISCONNECTED), CURATOR_SUSPENDED);
    cr_assert_eq(connection_state_after(CURATOR_LOST, true, SESSION_DISCONNECTED), CURATOR_LOST);
}

Test(connection_state, a_session_that_dies_is_lost_whatever_was_before)
{
    cr_assert_eq(connection_state_after(CURATOR_SUSPENDED, true, SESSION_DIED), CURATOR_LOST);
    cr_assert_eq(connection_state_after(CURATOR_CONNECTED, true, SESSION_DIED), CURATOR_LOST);
    cr_assert_eq(connection_state_after(CURATOR_LOST, true, SESSION_DIED), CURATOR_LOST);
}

Test(connection_state, what_never_was_connected_can_neither_be_suspended_nor_lost)
{
    cr_assert_eq(connection_state_after(CURATOR_CONNECTING, false, SESSION_DISCONNECTED), CURATOR_CONNECTING);
    cr_assert_eq(connection_state_after(CURATOR_CONNECTING, false, SESSION_DIED), CURATOR_CONNECTING);
}

Test(connection_state, the_same_connection_again_changes_nothing)
{
    cr_assert_eq(connection_state_after(CURATOR_CONNECTED, true, SESSION_CONNECTED), CURATOR_CONNECTED);
    cr_assert_eq(connection_state_after(CURATOR_RECONNECTED, true, SESSION_CONNECTED), CURATOR_RECONNECTED);
}

struct story {
    curator_connection_state told[8];
    size_t count;
};

static void note(curator_framework *framework, curator_connection_state state, void *context)
{
    (void)framework;
    struct story *story = context;
    story->told[story->count++] = state;
}

Test(connection_state, listeners_are_told_every_change_in_order)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    struct callbacks callbacks;
    struct connection_state state;
    struct story one = {.count = 0}, two = {.count = 0};
    cr_assert_eq(callbacks_start(&callbacks, &mutex), 0);
    connection_state_init(&state, NULL, &callbacks);
    cr_assert(connection_state_add(&state, note, &one));
    cr_assert(connection_state_add(&state, note, &two));

    static const enum session_event events[] = {SESSION_CONNECTED, SESSION_DISCONNECTED, SESSION_DISCONNECTED,
                                                SESSION_DIED, SESSION_CONNECTED};
    pthread_mutex_lock(&mutex);
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        connection_state_event(&state, events[i]);
    }
    pthread_mutex_unlock(&mutex);
    callbacks_stop(&callbacks); /* delivers what is queued */

    static const curator_connection_state expected[] = {CURATOR_CONNECTED, CURATOR_SUSPENDED, CURATOR_LOST,
                                                        CURATOR_RECONNECTED};
    for (const struct story *story = &one; story != NULL; story = story == &one ? &two : NULL) {
        cr_assert_eq(story->count, sizeof expected / sizeof *expected);
        cr_assert_arr_eq(story->told, expected, sizeof expected);
    }
    connection_state_free(&state);
}
