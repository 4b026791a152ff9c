/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include "auth_file.h"
#include "duration.h"
#include "exit_status.h"
#include "help.h"
#include "message.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_SERVERS "127.0.0.1:2181"
#define DEFAULT_TIMEOUT_MS 15000

int read_option(int argc, char **argv, const char *letters, const struct option *long_options)
{
    return getopt_long(argc, argv, letters, long_options, NULL); // NOLINT(concurrency-mt-unsafe): before all threads
}

void common_options_init(struct common_options *options)
{
    const char *servers = getenv("CURATOR_SERVERS"); // NOLINT(concurrency-mt-unsafe): there are no threads yet
    *options = (struct common_options){
        .servers = servers != NULL && *servers != '\0' ? servers : DEFAULT_SERVERS,
        .session_timeout_ms = DEFAULT_TIMEOUT_MS,
        .connection_timeout_ms = DEFAULT_TIMEOUT_MS,
    };
}

void common_options_free(struct common_options *options)
{
    auth_free(options->auth_scheme);
    options->auth_scheme = NULL;
}

int take_duration(const char *option, const char *text, int64_t *milliseconds)
{
    if (parse_duration(text, milliseconds)) {
        return GO_ON;
    }
    return wrong_usage("%s wants a duration such as 500ms, 1.5s, 2m or 1h, up to 24 days, not '%s'", option, text);
}

int take_format(const char *text, bool *json)
{
    *json = strcmp(text, "json") == 0;
    return *json || strcmp(text, "table") == 0 ? GO_ON : wrong_usage("--format wants table or json, not '%s'", text);
}

static int take_timeout(const char *option, const char *text, int64_t *milliseconds)
{
    int status = take_duration(option, text, milliseconds);
    return status == GO_ON && *milliseconds == 0 ? wrong_usage("%s wants more than 0", option) : status;
}

static int take_auth_file(struct common_options *options, const char *path)
{
    auth_free(options->auth_scheme);
    return auth_file_read(path, &options->auth_scheme, &options->auth_credentials) ? GO_ON : EXIT_USAGE;
}

static int wrong_option(char **argv, int option)
{
    /* What getopt_long() has stopped at: the letter in optopt, or the word before optind. */
    const char *what = option == ':' ? "needs a value" : "is no option here, or takes no value";
    if (optopt > 0 && optopt < OPTION_SESSION_TIMEOUT && argv[optind - 1][1] != '-') {
        return wrong_usage("-%c %s", optopt, what);
    }
    return wrong_usage("%s %s", argv[optind - 1], what);
}

int common_option(struct common_options *options, int option, char **argv)
{
    switch (option) {
    case 'z':
        options->servers = optarg;
        return GO_ON;
    case 'v':
        message_set_verbosity(++options->verbosity);
        return GO_ON;
    case 'q':
        message_set_verbosity(options->verbosity = QUIET);
        return GO_ON;
    case OPTION_SESSION_TIMEOUT:
        return take_timeout("--session-timeout", optarg, &options->session_timeout_ms);
    case OPTION_CONNECTION_TIMEOUT:
        return take_timeout("--connection-timeout", optarg, &options->connection_timeout_ms);
    case OPTION_NAME_SPACE:
        options->name_space = optarg;
        return GO_ON;
    case OPTION_DATA:
        options->data = optarg;
        return GO_ON;
    case OPTION_AUTH_FILE:
        return take_auth_file(options, optarg);
    case OPTION_COMPRESS:
        options->compress = true;
        return GO_ON;
    case 'h':
        return print_help();
    case OPTION_VERSION:
        return print_version();
    default:
        return wrong_option(argv, option);
    }
}
