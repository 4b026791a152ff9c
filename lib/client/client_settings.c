/* SPDX-License-Identifier: Apache-2.0 */
/* What a client is opened with. */
#include "client/client_settings.h"

#include <stdlib.h>

void client_settings_free(struct client_settings *settings)
{
    connect_string_free(settings->servers);
    free(settings->auth_scheme);
    free(settings->auth_credentials);
    *settings = (struct client_settings){0};
}
