/* SPDX-License-Identifier: Apache-2.0 */
#include "connection.h"

#include "exit_status.h"
#include "message.h"

#include <stdlib.h>
#include <string.h>

static bool was_made;

int exit_status_of(curator_status status)
{
    switch (status) {
    case CURATOR_OK:
        return EXIT_DONE;
    case CURATOR_TIMED_OUT:
        return EXIT_NOT_OBTAINED;
    case CURATOR_CONNECTION_LOSS:
    case CURATOR_SESSION_EXPIRED:
        return EXIT_NO_SERVER;
    case CURATOR_LOCK_LOST:
        return EXIT_LOST;
    case CURATOR_INVALID_ARGUMENT:
        return EXIT_USAGE;
    case CURATOR_NO_AUTH:
    case CURATOR_ERROR: /* an answer of the server that no retry changes */
        return EXIT_REFUSED;
    default:
        return EXIT_SYSTEM;
    }
}

int failure(curator_status status)
{
    if (status != CURATOR_CLOSED) { /* by us, for a reason that is reported where it was done */
        complain("%s", curator_last_error());
    }
    return exit_status_of(status);
}

static void log_line(curator_log_level level, const char *message, void *context)
{
    (void)level;
    (void)context;
    complain("%s", message);
}

/* Without -v our own lines say what matters to the user. */
static curator_logger logger(void)
{
    if (message_verbosity() < VERBOSE) {
        return (curator_logger){0};
    }
    curator_log_level level = message_verbosity() < DEBUG ? CURATOR_LOG_INFO : CURATOR_LOG_DEBUG;
    return (curator_logger){.log = log_line, .level = level};
}

int connection_open(curator_framework **framework, const struct common_options *options)
{
    char *identity = NULL; /* the host's address, Curator's default, often is 127.0.1.1 on Debian */
    curator_status status = options->data == NULL ? curator_process_identity(&identity) : CURATOR_OK;
    if (status != CURATOR_OK) {
        return failure(status);
    }
    const char *data = options->data != NULL ? options->data : identity;
    status = curator_framework_open(framework, &(curator_framework_options){
                                                   .connect_string = options->servers,
                                                   .session_timeout_ms = options->session_timeout_ms,
                                                   .connection_timeout_ms = options->connection_timeout_ms,
                                                   .name_space = options->name_space,
                                                   .auth_scheme = options->auth_scheme,
                                                   .auth_credentials = options->auth_credentials,
                                                   .default_data = data,
                                                   .default_data_size = strlen(data),
                                                   .enable_compression = options->compress ? 1 : 0,
                                                   .logger = logger(),
                                               });
    free(identity);
    if (status == CURATOR_ERROR) { /* here a thread, and not the server's answer */
        complain("%s", curator_last_error());
        return EXIT_SYSTEM;
    }
    return status == CURATOR_OK ? EXIT_DONE : failure(status);
}

int connection_await(curator_framework *framework, const struct common_options *options, int64_t limit_ms)
{
    int64_t timeout = options->connection_timeout_ms < limit_ms ? options->connection_timeout_ms : limit_ms;
    curator_status status = curator_framework_await_connected(framework, timeout);
    if (status == CURATOR_TIMED_OUT) {
        complain("%s", curator_last_error());
        return EXIT_NO_SERVER;
    }
    was_made = status == CURATOR_OK;
    return was_made ? EXIT_DONE : failure(status);
}

bool connection_was_made(void)
{
    return was_made;
}

void connection_close(curator_framework *framework)
{
    if (was_made && curator_framework_close(framework) == CURATOR_CONNECTION_LOSS) {
        inform("%s", curator_last_error());
    }
}
