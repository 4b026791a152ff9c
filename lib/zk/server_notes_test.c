/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of what is known of a server that cannot be used. The lines are those of real releases. */
#include "zk/server_notes.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define PREFIX "2026-11-22 02:16:39,054:23628(0x7f87cef426c0):"

static struct server_notes notes = SERVER_NOTES_INIT;

static void assert_known(const char *address, uint16_t port, const char *expected)
{
    char text[128];
    bool known = server_notes_text(&notes, address, port, text, sizeof text);
    cr_assert_eq(known, expected[0] != '\0');
    cr_assert_str_eq(text, expected);
}

Test(server_notes, a_refused_connection_is_known_for_its_address_and_port_only)
{
    server_notes_take(&notes, PREFIX "ZOO_ERROR@check_events@2985: Socket 10.0.0.1:2181 zk retcode=-4, "
                                     "errno=111(Connection refused): server refused to accept the client");
    assert_known("10.0.0.1", 2181, "connection refused");
    assert_known("10.0.0.1", 2182, "");
    assert_known("10.0.0.11", 2181, "");
}

Test(server_notes, brackets_of_other_releases_and_ipv6_addresses_are_read)
{
    server_notes_take(&notes, "Socket [10.0.0.1:2181] zk retcode=-4, errno=111(Connection refused): x\n");
    server_notes_take(&notes, "Socket ::1:2181 zk retcode=-4, errno=113(No route to host): x");
    server_notes_take(&notes, "Socket [fe80::2]:2181 zk retcode=-4, errno=111(Connection refused): x");
    server_notes_take(&notes, "Initiated connection to server [fe80::3]:2181");
    assert_known("10.0.0.1", 2181, "connection refused");
    assert_known("::1", 2181, "No route to host");
    assert_known("fe80::2", 2181, "connection refused");
    assert_known("fe80::2", 2182, "");
    assert_known("fe80::3", 2181, "it accepted the connection and has not answered the request for a session yet");
}

Test(server_notes, an_unanswered_connection_is_told_from_an_unanswered_request)
{
    const char *timed_out = "Socket 10.0.0.1:2181 zk retcode=-7, errno=110(Connection timed out): connection to "
                            "10.0.0.1:2181 timed out (exceeded timeout by 1ms)";
    server_notes_take(&notes, timed_out);
    assert_known("10.0.0.1", 2181, "no answer");
    server_notes_take(&notes, PREFIX "ZOO_INFO@check_events@2992: initiated connection to server 10.0.0.1:2181");
    server_notes_take(&notes, timed_out);
    assert_known("10.0.0.1", 2181, "it accepted the connection and did not answer the request for a session");
}

Test(server_notes, a_try_going_on_does_not_hide_why_the_last_one_failed)
{
    server_notes_take(&notes, "Initiated connection to server 10.0.0.1:2181");
    assert_known("10.0.0.1", 2181, "it accepted the connection and has not answered the request for a session yet");
    server_notes_take(&notes, "Socket 10.0.0.1:2181 zk retcode=-4, errno=112(Host is down): failed while receiving");
    server_notes_take(&notes, "initiated connection to server 10.0.0.1:2181");
    assert_known("10.0.0.1", 2181, "it closed the connection and did not answer the request for a session");
}

Test(server_notes, an_accepted_session_ends_what_was_noted)
{
    server_notes_take(&notes, "Socket 10.0.0.1:2181 zk retcode=-4, errno=111(Connection refused): x");
    server_notes_clear(&notes);
    assert_known("10.0.0.1", 2181, "");
}

Test(server_notes, other_lines_say_nothing)
{
    static const char *const lines[] = {"",
                                        "Socket ",
                                        "Socket 10.0.0.1:2181",
                                        "Socket 10.0.0.1:2181 zk retcode=-4",
                                        "initiated connection to server ",
                                        "Socket  zk retcode=-4, errno=111(x): x",
                                        "errno=111 Socket 10.0.0.1:2181"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        server_notes_take(&notes, lines[i]);
    }
    cr_assert_eq(notes.count, 0);
    char line[200] = "initiated connection to server ";
    memset(line + strlen(line), '1', 100);
    server_notes_take(&notes, line);
    cr_assert_eq(notes.count, 0, "an address that is too long");
}

Test(server_notes, of_many_servers_the_newest_are_kept)
{
    for (int i = 0; i < 2 * MAX_SERVER_NOTES; i++) {
        char line[100];
        snprintf(line, sizeof line, "Socket 10.0.0.%d:1 zk retcode=-4, errno=111(Connection refused): x", i);
        server_notes_take(&notes, line);
    }
    assert_known("10.0.0.0", 1, "");
    assert_known("10.0.0.31", 1, "connection refused");
}
