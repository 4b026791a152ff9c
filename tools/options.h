/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options that every command has. A command puts COMMON_SHORT_OPTIONS and COMMON_LONG_OPTIONS in front of its own,
 * calls read_option(), and hands what it does not know itself to common_option().
 */
#ifndef CURATOR_LOCK_OPTIONS_H
#define CURATOR_LOCK_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>

/* Options end at the first word that is none, and a missing value is told from an unknown option. */
#define COMMON_SHORT_OPTIONS "+:z:vqh"

enum {
    OPTION_SESSION_TIMEOUT = 256,
    OPTION_CONNECTION_TIMEOUT,
    OPTION_NAME_SPACE,
    OPTION_DATA,
    OPTION_AUTH_FILE,
    OPTION_COMPRESS,
    OPTION_VERSION,
    OPTION_OF_COMMAND, /* the first that a command may use for a long option without a letter */
};

/* clang-format off */
#define COMMON_LONG_OPTIONS                                                                                            \
    {"servers", required_argument, NULL, 'z'},                                                                         \
    {"session-timeout", required_argument, NULL, OPTION_SESSION_TIMEOUT},                                              \
    {"connection-timeout", required_argument, NULL, OPTION_CONNECTION_TIMEOUT},                                        \
    {"name-space", required_argument, NULL, OPTION_NAME_SPACE},                                                        \
    {"data", required_argument, NULL, OPTION_DATA},                                                                    \
    {"auth-file", required_argument, NULL, OPTION_AUTH_FILE},                                                          \
    {"compress", no_argument, NULL, OPTION_COMPRESS},                                                                  \
    {"verbose", no_argument, NULL, 'v'},                                                                               \
    {"quiet", no_argument, NULL, 'q'},                                                                                 \
    {"help", no_argument, NULL, 'h'},                                                                                  \
    {"version", no_argument, NULL, OPTION_VERSION}
/* clang-format on */

struct common_options {
    const char *servers;
    int64_t session_timeout_ms;
    int64_t connection_timeout_ms;
    const char *name_space; /* NULL: none */
    const char *data;       /* NULL: the command's default */
    char *auth_scheme;      /* NULL: no credentials */
    const char *auth_credentials;
    bool compress;
    int verbosity;
};

/* What a command does after an option. */
#define GO_ON (-1)

/* getopt_long(), for the one thread that there is while options are read. */
int read_option(int argc, char **argv, const char *letters, const struct option *long_options);

/* The defaults, and what the environment says. */
void common_options_init(struct common_options *options);
void common_options_free(struct common_options *options);

/*
 * Takes what getopt_long() answered. GO_ON, or the status to exit with: after --help and --version, and after a wrong
 * option, which has been reported.
 */
int common_option(struct common_options *options, int option, char **argv);

/* Takes a duration; says which option it was for when it is none. GO_ON or EXIT_USAGE. */
int take_duration(const char *option, const char *text, int64_t *milliseconds);

/* Takes what --format was given, in the same way. */
int take_format(const char *text, bool *json);

#endif
