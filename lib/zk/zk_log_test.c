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
    struct zk_log *first_slot = zk_log_take(&first, &notes), *second_slot = zk_log_take(&second, &notes);
    zk_log_callback(first_slot)("12:00:(0x1):ZOO_WARN@f@1: connection lost\n");
    cr_assert_eq(one.count, 1);
    cr_assert_eq(two.count, 0);
    cr_assert_eq(one.level, CURATOR_LOG_WARN);
    cr_assert_str_eq(one.message, "zookeeper: 12:00:(0x1):ZOO_WARN@f@1: connection lost");
    zk_log_give_back(first_slot);
    zk_log_callback(first_slot)("ZOO_ERROR@late");
    cr_assert_eq(one.count, 1);
    zk_log_give_back(second_slot);
}

Test(zk_log, without_a_free_slot_or_a_logger_a_session_is_silent)
{
    struct last last = {.count = 0};
    curator_logger none = {.log = NULL}, logger = {.log = keep, .context = &last};
    zk_log_callback(zk_log_take(&none, &notes))("ZOO_ERROR@x");
    for (int i = 0; i < 15; i++) {
        zk_log_take(&logger, &notes);
    }
    zk_log_callback(zk_log_take(&logger, &notes))("ZOO_ERROR@x");
    cr_assert_eq(last.count, 0);
}

Test(zk_log, sessions_without_a_logger_leave_slots_to_those_with_one_and_note_their_servers_too)
{
    struct last last = {.count = 0};
    curator_logger none = {.log = NULL}, logger = {.log = keep, .context = &last};
    zk_log_callback(zk_log_take(&none, &notes))("initiated connection to server 10.0.0.1:2181");
    cr_assert_eq(notes.count, 1);
    for (int i = 0; i < 16; i++) {
        zk_log_take(&none, &notes);
    }
    for (int i = 1; i <= 8; i++) {
        zk_log_callback(zk_log_take(&logger, &notes))("ZOO_ERROR@x");
        cr_assert_eq(last.count, i);
    }
}

Test(zk_log, a_child_process_has_all_slots)
{
    struct last last = {.count = 0};
    curator_logger logger = {.log = keep, .context = &last};
    for (int i = 0; i < 16; i++) {
        zk_log_take(&logger, &notes);
    }
    pid_t child = fork();
    if (child == 0) {
        zk_log_callback(zk_log_take(&logger, &notes))("ZOO_ERROR@x");
        /* no leak checker looks into this child */
        execl(last.count == 1 ? "/bin/true" : "/bin/false", "child", (char *)NULL);
        _exit(127);
    }
    int status = -1;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
