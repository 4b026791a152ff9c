/* SPDX-License-Identifier: Apache-2.0 */
/* Lines for the caller's logger. */
#ifndef CURATOR_BASE_LOG_H
#define CURATOR_BASE_LOG_H

#include <curator/log.h>

#include <stdbool.h>

#define LOG_LINE_SIZE 1024 /* a longer line is cut */

struct log_limit;

bool log_wanted(const curator_logger *logger, curator_log_level level);

/* These do nothing if the logger does not want that level. */
void log_line(const curator_logger *logger, curator_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void log_text(const curator_logger *logger, curator_log_level level, const char *line);

/* Of a kind of line that may come often; what is counted: "times". False: not logged now, only counted. */
bool log_limited(const curator_logger *logger, curator_log_level level, struct log_limit *limit, const char *line,
                 const char *counted);

#endif
