/* SPDX-License-Identifier: Apache-2.0 */
/** \file
 * Where the library's log lines go: to a function of the caller.
 *
 * The library never prints. It hands its lines, and those of ZooKeeper's C client (marked `zookeeper: `, one level
 * lower than that claims), to the function of ::curator_framework_options::logger. Attempts to connect that fail are
 * logged at once and then counted, so an outage brings a few lines at CURATOR_LOG_WARN. docs/operations.md explains
 * each line.
 *
 * \code
 * #include <curator/curator.h>
 * #include <syslog.h>
 *
 * static void to_syslog(curator_log_level level, const char *message, void *context)
 * {
 *     (void)context;
 *     static const int priorities[] = {LOG_INFO, LOG_ERR, LOG_WARNING, LOG_INFO, LOG_DEBUG};
 *     syslog(priorities[level], "curator: %s", message);
 * }
 *
 * const curator_logger syslog_logger = {.log = to_syslog, .level = CURATOR_LOG_WARN};
 * \endcode
 */
#ifndef CURATOR_LOG_H
#define CURATOR_LOG_H

#include <curator/api.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How serious a line is. Lines of a level above the logger's are not passed on. */
typedef enum curator_log_level {
    CURATOR_LOG_DEFAULT = 0, /**< As a logger's level: CURATOR_LOG_INFO. */
    CURATOR_LOG_ERROR = 1,   /**< Something failed, and somebody has to look. */
    CURATOR_LOG_WARN = 2,    /**< Something went wrong that the library copes with. */
    CURATOR_LOG_INFO = 3,    /**< Connections and sessions that come and go. */
    CURATOR_LOG_DEBUG = 4    /**< Each acquire and release, and all lines of ZooKeeper's C client. */
} curator_log_level;

/**
 * The function that takes the lines.
 *
 * It runs on a thread that each framework with a logger or a tracer has for both: one line after the other, in the
 * order in which they were logged, with no library lock held. It may call the library, except curator_framework_close()
 * of its own framework (CURATOR_WOULD_DEADLOCK).
 *
 * A slow one delays the lines behind it and the close, nothing else: no call, no callback. At most 1024 lines wait for
 * it. Further ones are dropped, and one CURATOR_LOG_ERROR line in their place says how many. A line may be older than
 * the call by the time that the lines before it took.
 *
 * \param level   the level of the line
 * \param message one line without a newline, at most 1023 bytes; valid during the call
 * \param context the logger's
 */
typedef void (*curator_log_fn)(curator_log_level level, const char *message, void *context);

/**
 * A logger: a plain value, for ::curator_framework_options::logger.
 *
 * Function and context must live until curator_framework_close() has returned (or curator_framework_open(), if that
 * failed). By then every line has been delivered, and none comes later. A child process logs nothing through its
 * parent's framework.
 */
typedef struct curator_logger {
    curator_log_fn log;      /**< NULL: nothing is logged. */
    void *context;           /**< What the function is called with. */
    curator_log_level level; /**< Lines above this level are not passed on. */
} curator_logger;

#ifdef __cplusplus
}
#endif

#endif
