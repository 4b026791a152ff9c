/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"
#include "connection.h"
#include "message.h"

int command_run(int argc, char **argv)
{
    struct common_options options;
    common_options_init(&options);
    static const struct option long_options[] = {COMMON_LONG_OPTIONS, {NULL, 0, NULL, 0}};
    for (int option; (option = getopt_long(argc, argv, COMMON_SHORT_OPTIONS, long_options, NULL)) != -1;) {
        int status = common_option(&options, option, argv);
        if (status != GO_ON) {
            return status;
        }
    }
    return wrong_usage("a lock path is missing");
}
