/* SPDX-License-Identifier: Apache-2.0 */
/* The caller's logger: the library itself never prints. */
#ifndef CURATOR_LOG_H
#define CURATOR_LOG_H

#include <curator/api.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum curator_log_level {
    CURATOR_LOG_DEFAULT = 0, /* CURATOR_LOG_INFO */
    CURATOR_LOG_ERROR = 1,
    CURATOR_LOG_WARN = 2,
    CURATOR_LOG_INFO = 3,
    CURATOR_LOG_DEBUG = 4
} curator_log_level;

/*
 * Called with one line of text without a newline, on a thread that the framework has for it, one line after the other,
 * in the order in which they were logged, and with no library lock held. It may call the library, except
 * curator_framework_close() of its own framework (CURATOR_WOULD_DEADLOCK). A slow one delays nothing but the lines
 * behind it and the close, before whose return all lines are delivered. When 1024 wait for it, further ones are
 * dropped, and one line says how many. The message is valid during the call.
 */
typedef void (*curator_log_fn)(curator_log_level level, const char *message, void *context);

/* A plain value. With log == NULL nothing is logged. Messages of a level above `level` are not passed on. */
typedef struct curator_logger {
    curator_log_fn log;
    void *context;
    curator_log_level level;
} curator_logger;

#ifdef __cplusplus
}
#endif

#endif
