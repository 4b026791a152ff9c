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

struct history {
    curator_connection_state told[64];
    size_t count;
};

static void note(curator_framework *framework, curator_connection_state state, void *context)
{
    (void)framework;
    struct history *history = context;
    history->told[history->count++] = state;
}

Test(connection_state, listeners_are_told_every_change_in_order)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    struct callbacks callbacks;
    struct connection_state state;
    struct history one = {.count = 0}, two = {.count = 0};
    cr_assert_eq(callbacks_start(&callbacks, &mutex, NULL), 0);
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
    for (const struct history *history = &one; history != NULL; history = history == &one ? &two : NULL) {
        cr_assert_eq(history->count, sizeof expected / sizeof *expected);
        cr_assert_arr_eq(history->told, expected, sizeof expected);
    }
    connection_state_free(&state);
}

/* Follows the events with a listener that is told nothing meanwhile, then all that is left. */
static struct history told_after(const enum session_event *events, size_t count)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    struct callbacks callbacks;
    struct connection_state state;
    struct history history = {.count = 0};
    cr_assert_eq(callbacks_start(&callbacks, &mutex, NULL), 0);
    connection_state_init(&state, NULL, &callbacks);
    cr_assert(connection_state_add(&state, note, &history));
    pthread_mutex_lock(&mutex);
    for (size_t i = 0; i < count; i++) {
        connection_state_event(&state, events[i]);
    }
    pthread_mutex_unlock(&mutex);
    callbacks_stop(&callbacks);
    connection_state_free(&state);
    return history;
}

Test(connection_state, a_listener_that_is_far_behind_is_told_of_the_loss)
{
    enum session_event events[64] = {SESSION_CONNECTED};
    size_t count = 1;
    for (int i = 0; i < 9; i++) {
        events[count++] = SESSION_DISCONNECTED;
        events[count++] = SESSION_CONNECTED;
    }
    events[count++] = SESSION_DISCONNECTED;
    events[count++] = SESSION_DIED;
    events[count++] = SESSION_CONNECTED;
    const struct history history = told_after(events, count);
    cr_assert_leq(history.count, PENDING_STATES);
    cr_assert_eq(history.told[history.count - 3], CURATOR_SUSPENDED);
    cr_assert_eq(history.told[history.count - 2], CURATOR_LOST);
    cr_assert_eq(history.told[history.count - 1], CURATOR_RECONNECTED);
    for (size_t i = 1; i < history.count; i++) {
        cr_assert_neq(history.told[i], history.told[i - 1]);
    }
}

Test(connection_state, of_many_losses_one_is_told_and_the_newest_state)
{
    enum session_event events[64] = {SESSION_CONNECTED};
    size_t count = 1;
    for (int i = 0; i < 20; i++) {
        events[count++] = SESSION_DIED;
        events[count++] = SESSION_CONNECTED;
    }
    const struct history history = told_after(events, count);
    cr_assert_leq(history.count, PENDING_STATES);
    for (size_t i = 0; i < history.count; i++) {
        cr_assert_eq(history.told[i], i == 0 ? CURATOR_CONNECTED : i % 2 == 1 ? CURATOR_LOST : CURATOR_RECONNECTED);
    }
    cr_assert_eq(history.told[history.count - 1], CURATOR_RECONNECTED);
}

Test(connection_state, a_listener_is_told_what_comes_after_it_was_added)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    struct callbacks callbacks;
    struct connection_state state;
    struct history old = {.count = 0}, late = {.count = 0};
    cr_assert_eq(callbacks_start(&callbacks, &mutex, NULL), 0);
    connection_state_init(&state, NULL, &callbacks);
    cr_assert(connection_state_add(&state, note, &old));
    pthread_mutex_lock(&mutex);
    connection_state_event(&state, SESSION_CONNECTED);
    connection_state_event(&state, SESSION_DIED);
    cr_assert(connection_state_add(&state, note, &late));
    connection_state_event(&state, SESSION_CONNECTED);
    pthread_mutex_unlock(&mutex);
    callbacks_stop(&callbacks);
    cr_assert_eq(old.count, 3);
    cr_assert_eq(late.count, 1);
    cr_assert_eq(late.told[0], CURATOR_RECONNECTED);
    connection_state_free(&state);
}

Test(connection_state, has_a_name_of_its_own_for_each_state)
{
    static const char *const names[] = {"CONNECTING", "CONNECTED", "SUSPENDED", "RECONNECTED", "LOST"};
    for (int state = CURATOR_CONNECTING; state <= CURATOR_LOST; state++) {
        cr_assert_str_eq(curator_connection_state_string((curator_connection_state)state), names[state]);
    }
    int beyond = CURATOR_LOST + 1;
    cr_assert_str_eq(curator_connection_state_string((curator_connection_state)beyond),
                     "unknown curator_connection_state");
}
