/* SPDX-License-Identifier: Apache-2.0 */
/* Lines for the caller's logger. */
#include "base/log.h"

#include "base/clock.h"
#include "base/log_limit.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

bool log_wanted(const curator_logger *logger, curator_log_level level)
{
    curator_log_level wanted = logger->level == CURATOR_LOG_DEFAULT ? CURATOR_LOG_INFO : logger->level;
    return logger->log != NULL && level <= wanted;
}

void log_text(const curator_logger *logger, curator_log_level level, const char *line)
{
    if (log_wanted(logger, level)) {
        logger->log(level, line, logger->context);
    }
}

void log_line(const curator_logger *logger, curator_log_level level, const char *format, ...)
{
    if (!log_wanted(logger, level)) {
        return;
    }
    char line[LOG_LINE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    log_text(logger, level, line);
}

bool log_limited(const curator_logger *logger, curator_log_level level, struct log_limit *limit, const char *line,
                 const char *counted)
{
    int64_t milliseconds;
    unsigned long times = log_wanted(logger, level) ? log_limit_count(limit, clock_now(), &milliseconds) : 0;
    if (times == 1) {
        log_text(logger, level, line);
    } else if (times > 1) {
        long long seconds = (long long)(milliseconds + 500) / 1000;
        log_line(logger, level, "%.*s; %lu %s in %lld s", LOG_LINE_SIZE - 64, line, times, counted, seconds);
    }
    return times > 0;
}
