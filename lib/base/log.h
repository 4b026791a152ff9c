/* SPDX-License-Identifier: Apache-2.0 */
/* Lines for the caller's logger. */
#ifndef CURATOR_BASE_LOG_H
#define CURATOR_BASE_LOG_H

#include <curator/log.h>

#define LOG_LINE_SIZE 1024 /* a longer line is cut */

/* Both do nothing if the logger does not want that level. */
void log_line(const curator_logger *logger, curator_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void log_text(const curator_logger *logger, curator_log_level level, const char *line);

#endif
