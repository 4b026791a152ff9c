/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of lines for the caller's logger. */
#include "base/log.h"

#include "base/log_limit.h"

#include <criterion/criterion.h>
#include <string.h>

static void keep(curator_log_level level, const char *message, void *context)
{
    (void)level;
    strcpy(context, message);
}

Test(log, a_line_above_the_wanted_level_is_not_passed_on)
{
    char last[LOG_LINE_SIZE] = "";
    curator_logger logger = {.log = keep, .context = last};
    log_line(&logger, CURATOR_LOG_DEBUG, "%d", 1);
    cr_assert_str_empty(last); /* the default is INFO */
    logger.level = CURATOR_LOG_DEBUG;
    log_line(&logger, CURATOR_LOG_DEBUG, "%d", 2);
    cr_assert_str_eq(last, "2");
}

Test(log, a_line_that_comes_often_is_logged_once_at_first)
{
    char last[LOG_LINE_SIZE] = "";
    curator_logger logger = {.log = keep, .context = last};
    struct log_limit limit = {0};
    cr_assert_not(log_limited(&logger, CURATOR_LOG_DEBUG, &limit, "not wanted, and not counted", "times"));
    cr_assert(log_limited(&logger, CURATOR_LOG_WARN, &limit, "often", "times"));
    cr_assert_str_eq(last, "often");
    cr_assert_not(log_limited(&logger, CURATOR_LOG_WARN, &limit, "often again", "times"));
    cr_assert_str_eq(last, "often");
    limit.logged_at = 1; /* long ago */
    cr_assert(log_limited(&logger, CURATOR_LOG_WARN, &limit, "often", "times"));
    cr_assert_eq(strncmp(last, "often; 2 times in ", strlen("often; 2 times in ")), 0, "%s", last);
}
