/* SPDX-License-Identifier: Apache-2.0 */
/* Exchanging the servers of a framework. */
#include "base/error.h"
#include "framework/framework.h"

#include <string.h>

/* Every path depends on it. */
static curator_status check_same_chroot(const curator_framework *framework, const struct connect_string *servers,
                                        const char *caller)
{
    const char *before = framework_chroot(framework);
    before = before != NULL ? before : "/";
    const char *after = servers->chroot != NULL ? servers->chroot : "/";
    if (strcmp(before, after) == 0) {
        return CURATOR_OK;
    }
    return fail(CURATOR_INVALID_ARGUMENT,
                "%s: the chroot %.200s is not the one that the framework was opened with, %.200s", caller, after,
                before);
}

curator_status curator_framework_set_servers(curator_framework *framework, const char *connect_string)
{
    struct connect_string *servers = NULL;
    curator_status status = framework_check(framework, __func__);
    if (status != CURATOR_OK) {
        return status;
    }
    status = connect_string_parse(connect_string, &servers);
    if (status != CURATOR_OK) {
        return fail_in(__func__, status);
    }
    status = check_same_chroot(framework, servers, __func__);
    if (status == CURATOR_OK) {
        status = framework_enter(framework, framework, __func__);
    }
    if (status != CURATOR_OK) {
        connect_string_free(servers);
        return status;
    }
    framework_log(framework, CURATOR_LOG_INFO, "the servers are now %.300s", connect_string);
    connection_set_servers(&framework->client.connection, servers);
    framework_unlock(framework);
    return CURATOR_OK;
}
