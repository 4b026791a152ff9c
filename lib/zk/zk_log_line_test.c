/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of what a log line of the ZooKeeper client says. */
#include "zk/zk_log_line.h"

#include <criterion/criterion.h>
#include <string.h>

#define PLACE(level) "2026-01-02 03:04:05,678:123(0x7f12):ZOO_" level "@a_function@12: "

static struct zk_log_line parse(const char *message, enum zk_log_kind kind, curator_log_level level)
{
    struct zk_log_line line = zk_log_line_parse(message);
    cr_assert_eq(line.kind, kind, "%s: %d", message, (int)line.kind);
    cr_assert_eq(line.level, level, "%s: %d", message, (int)line.level);
    return line;
}

Test(zk_log_line, is_one_level_below_what_the_client_claims_and_without_its_time_and_process)
{
    cr_assert_str_eq(parse(PLACE("ERROR") "bad", ZK_LOG_OTHER, CURATOR_LOG_WARN).text, "bad");
    cr_assert_str_eq(parse(PLACE("WARN") "odd", ZK_LOG_OTHER, CURATOR_LOG_INFO).text, "odd");
    cr_assert_str_eq(parse(PLACE("INFO") "good", ZK_LOG_OTHER, CURATOR_LOG_DEBUG).text, "good");
    cr_assert_str_eq(parse(PLACE("DEBUG") "a: b", ZK_LOG_OTHER, CURATOR_LOG_DEBUG).text, "a: b");
}

Test(zk_log_line, of_a_form_that_is_not_known_is_kept_whole)
{
    cr_assert_str_eq(parse("anything", ZK_LOG_OTHER, CURATOR_LOG_DEBUG).text, "anything");
    cr_assert_str_eq(parse("ZOO_ERROR@cut", ZK_LOG_OTHER, CURATOR_LOG_WARN).text, "cut");
    cr_assert_str_eq(parse("", ZK_LOG_OTHER, CURATOR_LOG_DEBUG).text, "");
}

Test(zk_log_line, names_its_place)
{
    unsigned place = zk_log_line_parse(PLACE("WARN") "one").source;
    cr_assert_eq(place, zk_log_line_parse(PLACE("WARN") "other").source);
    cr_assert_neq(place, zk_log_line_parse("ZOO_WARN@a_function@13: one").source);
}

static void says(const char *message, enum zk_log_kind kind, const char *expected)
{
    char buffer[200];
    struct zk_log_line line = parse(message, kind, kind == ZK_LOG_BREAK ? CURATOR_LOG_WARN : CURATOR_LOG_DEBUG);
    zk_log_line_connection(&line, buffer, sizeof buffer);
    cr_assert_str_eq(buffer, expected);
}

Test(zk_log_line, tells_attempts_from_breaks_and_says_which_server)
{
    says(PLACE("ERROR") "Socket 10.0.0.1:2181 zk retcode=-4, errno=111(Connection refused): server refused to accept "
                        "the client",
         ZK_LOG_ATTEMPT,
         "connection to 10.0.0.1:2181 failed: server refused to accept the client (Connection refused)");
    says(PLACE("ERROR") "Socket [::1]:2181 zk retcode=-7, errno=110(Connection timed out): connection to [::1]:2181 "
                        "timed out (exceeded timeout by 3ms)",
         ZK_LOG_ATTEMPT, "connection to [::1]:2181 failed: timed out (exceeded timeout by 3ms)");
    says(
        PLACE("ERROR") "Socket 10.0.0.1:2181 zk retcode=-4, errno=0(Success): failed while receiving a server response",
        ZK_LOG_BREAK, "connection to 10.0.0.1:2181 failed: failed while receiving a server response");
    says(PLACE("ERROR") "Socket of another form", ZK_LOG_BREAK, "connection failed: Socket of another form");
    says(PLACE("ERROR") "Socket a errno=1(b", ZK_LOG_BREAK, "connection failed: Socket a errno=1(b");
}

Test(zk_log_line, of_routine_is_for_debugging)
{
    parse(PLACE("WARN") "Delaying connection after exhaustively trying all servers [a:1]", ZK_LOG_ROUTINE,
          CURATOR_LOG_DEBUG);
    parse(
        PLACE("ERROR") "Socket 10.0.0.1:2181 zk retcode=-112, errno=116(Stale file handle): sessionId=0x1 has expired.",
        ZK_LOG_ROUTINE, CURATOR_LOG_DEBUG);
}
