/* SPDX-License-Identifier: Apache-2.0 */
/* Checks and copies the caller's options. */
#ifndef CURATOR_FRAMEWORK_FRAMEWORK_OPTIONS_H
#define CURATOR_FRAMEWORK_FRAMEWORK_OPTIONS_H

#include "framework/framework.h"

/* Fills the framework's own members and the client's settings; what was filled before a failure is freed as usual. */
curator_status framework_options_read(curator_framework *framework, struct client_settings *settings,
                                      const curator_framework_options *options);

void framework_options_free(curator_framework *framework);

#endif
