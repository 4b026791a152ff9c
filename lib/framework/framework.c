/* SPDX-License-Identifier: Apache-2.0 */
/* The framework object: what the recipes use of it. */
#include "framework/framework.h"

#include "base/cancellation.h"
#include "base/error.h"
#include "base/fork.h"
#include "base/gzip.h"
#include "base/log.h"
#include "framework/namespace.h"
#include "zk/request_size.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How long after the opening of the client an acquire waits for the look-up of this host's own address. Without the
 * address its node has no data. */
#define HOST_ADDRESS_MS 2000

curator_status framework_check(const curator_framework *framework, const char *caller)
{
    if (framework == NULL) {
        return fail(CURATOR_INVALID_ARGUMENT, "%s: the framework is NULL", caller);
    }
    if (framework->client.fork_generation != fork_generation()) {
        return fail(CURATOR_FORKED,
                    "%s: the framework belongs to the parent process; after fork() a child opens its own", caller);
    }
    return CURATOR_OK;
}

static _Thread_local int cancellation_before; /* a thread is in one framework at a time */

void framework_lock(curator_framework *framework)
{
    int before = cancellation_off();
    pthread_mutex_lock(&framework->client.mutex);
    cancellation_before = before;
}

void framework_unlock(curator_framework *framework)
{
    int before = cancellation_before;
    pthread_mutex_unlock(&framework->client.mutex);
    cancellation_restore(before);
}

curator_status framework_enter(curator_framework *framework, const void *argument, const char *caller)
{
    curator_status status = framework_check(framework, caller);
    if (status != CURATOR_OK) {
        return status;
    }
    if (argument == NULL) {
        return fail(CURATOR_INVALID_ARGUMENT, "%s: an argument is NULL", caller);
    }
    framework_lock(framework);
    if (framework->closed) {
        framework_unlock(framework);
        return fail(CURATOR_CLOSED, "%s: the framework is closed", caller);
    }
    return CURATOR_OK;
}

void framework_ref(curator_framework *framework)
{
    framework->references++;
}

void framework_unref_and_unlock(curator_framework *framework)
{
    bool last = --framework->references == 0;
    framework_unlock(framework);
    if (last) {
        connection_state_free(&framework->connection);
        client_free(&framework->client);
        log_queue_free(&framework->log_queue); /* after what may log */
        framework_options_free(&framework->options);
        free(framework->host_data[0].data);
        free(framework->host_data[1].data);
        live_object_remove(&framework->live);
        free(framework);
    }
}

void framework_log(const curator_framework *framework, curator_log_level level, const char *format, ...)
{
    char line[LOG_LINE_SIZE];
    va_list arguments;
    if (!log_wanted(&framework->client.settings.logger, level)) {
        return;
    }
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    log_text(&framework->client.settings.logger, level, line);
}

void framework_wake_calls(curator_framework *framework)
{
    wakers_signal_all(&framework->client.wakers);
}

const curator_tracer *framework_tracer(const curator_framework *framework)
{
    return &framework->client.settings.tracer;
}

void framework_timer_schedule(curator_framework *framework, struct timer *timer, int64_t due)
{
    timer_schedule(&framework->client.timers, timer, due);
}

void framework_timer_cancel(curator_framework *framework, struct timer *timer)
{
    timer_cancel(&framework->client.timers, timer);
}

int64_t framework_connection_timeout_ms(const curator_framework *framework)
{
    return framework->client.settings.connection_timeout_ms;
}

curator_status framework_call_begin(curator_framework *framework, struct call *call, const void *owner,
                                    const char *caller, const char *path, int64_t deadline)
{
    return call_begin(call, &framework->client, owner, caller, path, deadline);
}

void framework_interrupt_calls(curator_framework *framework, const void *owner)
{
    call_interrupt_all(&framework->client, owner);
}

void framework_end_calls(curator_framework *framework, const void *owner)
{
    call_close_all(&framework->client, owner);
    while (call_any(&framework->client, owner)) {
        pthread_cond_wait(&framework->client.quiet, &framework->client.mutex);
    }
}

char *framework_full_path(const curator_framework *framework, const char *path)
{
    return namespace_fix(framework->options.name_space, path);
}

const char *framework_user_path(const curator_framework *framework, const char *full_path)
{
    return namespace_unfix(framework->options.name_space, full_path);
}

const char *framework_chroot(const curator_framework *framework)
{
    return framework->client.settings.servers->chroot;
}

const struct ACL_vector *framework_acl(const curator_framework *framework)
{
    return framework->options.acl.count > 0 ? &framework->options.acl : &ZOO_OPEN_ACL_UNSAFE;
}

struct node_size framework_node_size(const curator_framework *framework)
{
    const struct framework_options *options = &framework->options;
    struct node_size size = node_size_below(framework->client.settings.servers, options->name_space);
    size.acl = request_size_acl(framework_acl(framework));
    size_t address = sizeof framework->client.host_address - 1 + (options->compresses ? GZIP_MAX_GROWTH : 0);
    size.data = options->has_default_data ? options->default_data_size : address;
    return size;
}

/* This host's own address is looked up in the background. */
static curator_status await_host_address(struct client *client, struct call *call)
{
    int64_t until = clock_after(client->started, HOST_ADDRESS_MS);
    call->waiting_for = "this host's own address";
    while (!client->host_address_known && clock_now() < until) {
        curator_status status = call_wait(call, until);
        if (status != CURATOR_OK) {
            return status;
        }
    }
    return CURATOR_OK;
}

/* Kept, since the caller uses it for as long as the framework lives. */
static curator_status compress_host_address(curator_framework *framework, const struct call *call, const void **data,
                                            size_t *size)
{
    size_t known = framework->client.host_address_known ? 1 : 0;
    if (framework->host_data[known].data == NULL) {
        framework->host_data[known].data = gzip_compress(*data, *size, &framework->host_data[known].size);
    }
    *data = framework->host_data[known].data;
    *size = framework->host_data[known].size;
    return *data != NULL ? CURATOR_OK : call_fail(call, CURATOR_NO_MEMORY, "no memory to compress the data");
}

curator_status framework_default_data(curator_framework *framework, struct call *call, const void **data, size_t *size)
{
    if (framework->options.has_default_data) {
        *data = framework->options.default_data;
        *size = framework->options.default_data_size;
        return CURATOR_OK;
    }
    curator_status status = await_host_address(&framework->client, call);
    *data = framework->client.host_address;
    *size = strlen(framework->client.host_address);
    return status == CURATOR_OK && framework->options.compresses ? compress_host_address(framework, call, data, size)
                                                                 : status;
}
