/* SPDX-License-Identifier: Apache-2.0 */
/* Lines for the caller's logger. */
#include "base/log.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

void log_text(const curator_logger *logger, curator_log_level level, const char *line)
{
    curator_log_level wanted = logger->level == CURATOR_LOG_DEFAULT ? CURATOR_LOG_INFO : logger->level;
    if (logger->log != NULL && level <= wanted) {
        logger->log(level, line, logger->context);
    }
}

void log_line(const curator_logger *logger, curator_log_level level, const char *format, ...)
{
    if (logger->log == NULL) {
        return;
    }
    char line[LOG_LINE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    log_text(logger, level, line);
}
