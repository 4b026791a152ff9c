/* SPDX-License-Identifier: Apache-2.0 */
/* Checks and copies the caller's options. */
#include "framework/framework_options.h"

#include "base/error.h"
#include "base/gzip.h"
#include "client/client.h"
#include "client/retry_policy.h"
#include "framework/acl.h"
#include "framework/namespace.h"
#include "framework/node_size.h"
#include "zk/request_size.h"

#include <curator/curator.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_SESSION_TIMEOUT_MS 60000
#define SHORTEST_SESSION_TIMEOUT_MS 10
#define DEFAULT_CONNECTION_TIMEOUT_MS 15000
#define DEFAULT_RETRY_BASE_MS 1000
#define DEFAULT_RETRIES 3

static curator_status check_numbers(const curator_framework_options *options)
{
    if (options->session_timeout_ms < 0 || options->session_timeout_ms > INT_MAX) {
        return fail(CURATOR_INVALID_ARGUMENT, "options.session_timeout_ms: %lld is not between 0 and %d",
                    (long long)options->session_timeout_ms, INT_MAX);
    }
    if (options->connection_timeout_ms < 0) {
        return fail(CURATOR_INVALID_ARGUMENT, "options.connection_timeout_ms is negative: %lld",
                    (long long)options->connection_timeout_ms);
    }
    if (options->enable_compression < 0 || options->enable_compression > 1) {
        return fail(CURATOR_INVALID_ARGUMENT, "options.enable_compression is neither 0 nor 1: %lld",
                    (long long)options->enable_compression);
    }
    if (options->default_data == NULL && options->default_data_size > 0) {
        return fail(CURATOR_INVALID_ARGUMENT, "options.default_data is NULL, but its size is %zu",
                    options->default_data_size);
    }
    return CURATOR_OK;
}

static curator_status check_reserved(const curator_framework_options *options)
{
    for (size_t i = 0; i < sizeof options->reserved / sizeof options->reserved[0]; i++) {
        if (options->reserved[i] != 0) {
            return fail(CURATOR_INVALID_ARGUMENT,
                        "options.reserved is not zero: the options were not initialised as a whole, or use one that "
                        "this library, version %s, does not have",
                        curator_version());
        }
    }
    return CURATOR_OK;
}

static curator_status check_auth(const curator_framework_options *options)
{
    if ((options->auth_scheme == NULL) != (options->auth_credentials == NULL)) {
        return fail(CURATOR_INVALID_ARGUMENT, "options.auth_scheme and options.auth_credentials go together");
    }
    if (options->auth_scheme == NULL) {
        return CURATOR_OK;
    }
    size_t size = request_size_auth(strlen(options->auth_scheme), strlen(options->auth_credentials));
    if (size > REQUEST_MAX_BYTES) {
        return fail(CURATOR_INVALID_ARGUMENT,
                    "options.auth_credentials are too long: their request has %zu bytes, a server accepts %d", size,
                    REQUEST_MAX_BYTES);
    }
    return CURATOR_OK;
}

static curator_status check_acl(const struct ACL_vector *acl)
{
    if (acl == NULL) {
        return CURATOR_OK;
    }
    if (acl->count <= 0 || acl->data == NULL) {
        return fail(CURATOR_INVALID_ARGUMENT, "options.acl is empty: nobody could use the nodes");
    }
    for (int32_t i = 0; i < acl->count; i++) {
        if (acl->data[i].id.scheme == NULL || acl->data[i].id.id == NULL) {
            return fail(CURATOR_INVALID_ARGUMENT, "options.acl: entry %d has no scheme or no id", (int)i);
        }
    }
    return CURATOR_OK;
}

static curator_status check_options(const curator_framework_options *options)
{
    curator_status status = check_reserved(options);
    status = status == CURATOR_OK ? check_numbers(options) : status;
    status = status == CURATOR_OK ? check_auth(options) : status;
    status = status == CURATOR_OK ? check_acl(options->acl) : status;
    if (status == CURATOR_OK && options->retry_policy != NULL) {
        status = retry_policy_validate(options->retry_policy);
    }
    return status == CURATOR_OK ? namespace_validate(options->name_space) : status;
}

/* Fails if even the shortest lock path would be too long beside these options. */
static curator_status check_option_sizes(const curator_framework_options *options, size_t default_data_size,
                                         const struct connect_string *servers)
{
    struct node_size size = node_size_below(servers, options->name_space);
    size.path = strlen("/x");
    size.data = default_data_size;
    size.acl = request_size_acl(options->acl != NULL ? options->acl : &ZOO_OPEN_ACL_UNSAFE);
    return node_size_check(&size, "a lock node's size");
}

/* The ZooKeeper client computes two thirds of it in an int. The server has limits of its own anyway. */
static int64_t within_client_range(int64_t session_timeout_ms)
{
    int64_t least = session_timeout_ms > SHORTEST_SESSION_TIMEOUT_MS ? session_timeout_ms : SHORTEST_SESSION_TIMEOUT_MS;
    return least < INT_MAX / 2 ? least : INT_MAX / 2;
}

static bool copy_text(char **copy, const char *text)
{
    *copy = text != NULL ? strdup(text) : NULL;
    return text == NULL || *copy != NULL;
}

static bool copy_data(struct framework_options *copy, const curator_framework_options *options)
{
    copy->compresses = options->enable_compression != 0;
    copy->has_default_data = options->default_data != NULL;
    copy->default_data_size = options->default_data_size;
    if (copy->has_default_data && copy->compresses) {
        copy->default_data = gzip_compress(options->default_data, options->default_data_size, &copy->default_data_size);
        return copy->default_data != NULL;
    }
    if (options->default_data_size == 0) {
        return true;
    }
    copy->default_data = malloc(options->default_data_size);
    if (copy->default_data != NULL) {
        memcpy(copy->default_data, options->default_data, options->default_data_size);
    }
    return copy->default_data != NULL;
}

static bool copy_options(struct framework_options *copy, struct client_settings *settings,
                         const curator_framework_options *options)
{
    const char *name_space = options->name_space != NULL && options->name_space[0] != '\0' ? options->name_space : NULL;
    return (options->acl == NULL || acl_copy(options->acl, &copy->acl)) && copy_text(&copy->name_space, name_space) &&
           copy_data(copy, options) && copy_text(&settings->auth_scheme, options->auth_scheme) &&
           copy_text(&settings->auth_credentials, options->auth_credentials);
}

curator_status framework_options_read(struct framework_options *copy, struct client_settings *settings,
                                      const curator_framework_options *options)
{
    curator_status status = check_options(options);
    if (status == CURATOR_OK) {
        status = connect_string_parse(options->connect_string, &settings->servers);
    }
    if (status != CURATOR_OK) {
        return status;
    }
    settings->session_timeout_ms =
        options->session_timeout_ms > 0 ? within_client_range(options->session_timeout_ms) : DEFAULT_SESSION_TIMEOUT_MS;
    settings->connection_timeout_ms =
        options->connection_timeout_ms > 0 ? options->connection_timeout_ms : DEFAULT_CONNECTION_TIMEOUT_MS;
    settings->retry_policy = options->retry_policy != NULL
                                 ? *options->retry_policy
                                 : curator_retry_exponential_backoff(DEFAULT_RETRY_BASE_MS, DEFAULT_RETRIES);
    settings->logger = options->logger;
    settings->tracer = options->tracer;
    settings->wants_host_address = options->default_data == NULL;
    if (!copy_options(copy, settings, options)) {
        return fail(CURATOR_NO_MEMORY, "no memory");
    }
    return check_option_sizes(options, copy->default_data_size, settings->servers);
}

void framework_options_free(struct framework_options *options)
{
    free(options->name_space);
    free(options->default_data);
    acl_free(&options->acl);
}
