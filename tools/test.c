/* SPDX-License-Identifier: Apache-2.0 */
/* curator-lock test: whether somebody holds the lock. */
#include "commands.h"
#include "connection.h"
#include "exit_status.h"
#include "message.h"
#include "queue.h"

#include <stddef.h>

static int test_queue(curator_framework *framework, const struct common_options *options, const char *path)
{
    struct queue queue;
    int result = queue_open_and_read(&queue, framework, options, path);
    if (result == EXIT_DONE && queue.contenders->count > 0) { /* the first of them holds */
        const curator_contender *holder = queue.contenders->contenders[0];
        inform("%s is held by %s, %.*s", path, holder->path, (int)holder->data_size, (const char *)holder->data);
        result = EXIT_NOT_OBTAINED;
    }
    queue_close(&queue);
    return result;
}

static const struct option long_options[] = {COMMON_LONG_OPTIONS, {NULL, 0, NULL, 0}};

int command_test(int argc, char **argv)
{
    struct common_options options;
    common_options_init(&options);
    int status = GO_ON;
    for (int option; status == GO_ON && (option = read_option(argc, argv, COMMON_SHORT_OPTIONS, long_options)) != -1;) {
        status = common_option(&options, option, argv);
    }
    if (status == GO_ON && argc - optind != 1) {
        status = wrong_usage("test wants one lock path");
    }
    if (status == GO_ON) {
        curator_framework *framework;
        status = connection_open(&framework, &options);
        if (status == EXIT_DONE) {
            status = test_queue(framework, &options, argv[optind]);
            connection_close(framework);
        }
    }
    common_options_free(&options);
    return status;
}
