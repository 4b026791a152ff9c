/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the way of a log line. */
#include "zk/zk_log.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct last {
    int count;
    curator_log_level level;
    char message[200];
};

static struct server_notes notes = SERVER_NOTES_INIT;

static void keep(curator_log_level level, const char *message, void *context)
{
    struct last *last = context;
    last->count++;
    last->level = level;
    strncpy(last->message, message, sizeof last->message - 1);
}

Test(zk_log, takes_the_zookeeper_clients_lines_to_the_logger_of_their_session)
{
    struct last one = {.count = 0}, two = {.count = 0};
    curator_logger first = {.log = keep, .context = &one}, second = {.log = keep, .context = &two};
    struct zk_log_sink first_sink = {.logger = &first, .notes = &notes};
    struct zk_log_sink second_sink = {.logger = &second, .notes = &notes};
    struct zk_log *first_slot = zk_log_take(&first_sink), *second_slot = zk_log_take(&second_sink);
    zk_log_callback(first_slot)("12:00:(0x1):ZOO_WARN@f@1: connection lost\n");
    cr_assert_eq(one.count, 1);
    cr_assert_eq(two.count, 0);
    cr_assert_eq(one.level, CURATOR_LOG_INFO);
    cr_assert_str_eq(one.message, "zookeeper: connection lost");
    zk_log_mute(first_slot);
    zk_log_callback(first_slot)("ZOO_ERROR@of a dead session");
    zk_log_give_back(first_slot);
    zk_log_callback(first_slot)("ZOO_ERROR@late");
    cr_assert_eq(one.count, 1);
    zk_log_give_back(second_slot);
}

static void log_attempts(const struct zk_log *slot, int count)
{
    for (int i = 0; i < count; i++) {
        zk_log_callback(slot)(
            "ZOO_ERROR@f@1: Socket 10.0.0.1:2181 zk retcode=-4, errno=111(Connection refused): server "
            "refused to accept the client");
        zk_log_callback(slot)(
            "ZOO_WARN@g@2: Delaying connection after exhaustively trying all servers [10.0.0.1:2181]");
    }
}

Test(zk_log, attempts_to_connect_make_one_warning_whichever_session_makes_them)
{
    struct last last = {.count = 0};
    curator_logger logger = {.log = keep, .context = &last, .level = CURATOR_LOG_WARN};
    struct zk_log_sink sink = {.logger = &logger, .notes = &notes};
    struct zk_log *one = zk_log_take(&sink), *other = zk_log_take(&sink);
    log_attempts(one, 100);
    log_attempts(other, 100);
    cr_assert_eq(last.count, 1);
    cr_assert_str_eq(last.message,
                     "connection to 10.0.0.1:2181 failed: server refused to accept the client (Connection refused)");
    sink.attempts.logged_at = 1; /* long ago */
    log_attempts(other, 1);
    cr_assert_eq(last.count, 2);
    cr_assert_not_null(strstr(last.message, "; 200 attempts at all servers in "), "%s", last.message);
    zk_log_give_back(one);
    zk_log_give_back(other);
}

Test(zk_log, what_is_counted_is_there_for_debugging)
{
    struct last last = {.count = 0};
    curator_logger logger = {.log = keep, .context = &last, .level = CURATOR_LOG_DEBUG};
    struct zk_log_sink sink = {.logger = &logger, .notes = &notes};
    struct zk_log *slot = zk_log_take(&sink);
    log_attempts(slot, 10);
    cr_assert_eq(last.count, 20);
    cr_assert_eq(last.level, CURATOR_LOG_DEBUG);
    for (int i = 0; i < 3; i++) {
        zk_log_callback(slot)("ZOO_ERROR@h@3: out of something");
        cr_assert_eq(last.level, i == 0 ? CURATOR_LOG_WARN : CURATOR_LOG_DEBUG);
        cr_assert_str_eq(last.message, "zookeeper: out of something");
    }
    zk_log_give_back(slot);
}

Test(zk_log, without_a_free_slot_or_a_logger_a_session_is_silent)
{
    struct last last = {.count = 0};
    curator_logger none = {.log = NULL}, logger = {.log = keep, .context = &last};
    struct zk_log_sink without = {.logger = &none, .notes = &notes}, sink = {.logger = &logger, .notes = &notes};
    zk_log_callback(zk_log_take(&without))("ZOO_ERROR@x");
    for (int i = 0; i < 15; i++) {
        zk_log_take(&sink);
    }
    zk_log_callback(zk_log_take(&sink))("ZOO_ERROR@x");
    cr_assert_eq(last.count, 0);
}

Test(zk_log, sessions_without_a_logger_leave_slots_to_those_with_one_and_note_their_servers_too)
{
    struct last last = {.count = 0};
    curator_logger none = {.log = NULL}, logger = {.log = keep, .context = &last};
    struct zk_log_sink without = {.logger = &none, .notes = &notes};
    struct zk_log_sink sinks[8];
    zk_log_callback(zk_log_take(&without))("initiated connection to server 10.0.0.1:2181");
    cr_assert_eq(notes.count, 1);
    for (int i = 0; i < 16; i++) {
        zk_log_take(&without);
    }
    for (int i = 0; i < 8; i++) {
        sinks[i] = (struct zk_log_sink){.logger = &logger, .notes = &notes};
        zk_log_callback(zk_log_take(&sinks[i]))("ZOO_ERROR@x");
        cr_assert_eq(last.count, i + 1);
    }
}

Test(zk_log, a_child_process_has_all_slots)
{
    struct last last = {.count = 0};
    curator_logger logger = {.log = keep, .context = &last};
    struct zk_log_sink sink = {.logger = &logger, .notes = &notes};
    for (int i = 0; i < 16; i++) {
        zk_log_take(&sink);
    }
    pid_t child = fork();
    if (child == 0) {
        zk_log_callback(zk_log_take(&sink))("ZOO_ERROR@x");
        /* no leak checker looks into this child */
        execl(last.count == 1 ? "/bin/true" : "/bin/false", "child", (char *)NULL);
        _exit(127);
    }
    int status = -1;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
