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
 * Called with one line of text without a newline, from any thread, also from the ZooKeeper client's own; several
 * threads may call at once. It must return soon and must not call back into the library. The message is valid during
 * the call.
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
