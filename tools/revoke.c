/* SPDX-License-Identifier: Apache-2.0 */
/* curator-lock revoke: asks holders to release. They decide; nothing is taken from them. */
#include "commands.h"
#include "connection.h"
#include "exit_status.h"
#include "message.h"
#include "queue.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_HOLDER = OPTION_OF_COMMAND, OPTION_ALL };

struct revoke {
    struct common_options common;
    const char *path; /* of the lock */
    const char *node; /* the only one to ask; NULL: it is not that */
    bool all;         /* those that wait, too */
};

static const struct option long_options[] = {
    COMMON_LONG_OPTIONS,
    {"holder", required_argument, NULL, OPTION_HOLDER},
    {"all", required_argument, NULL, OPTION_ALL},
    {NULL, 0, NULL, 0},
};

static int take_path(struct revoke *revoke, int option)
{
    if (revoke->path != NULL) {
        return wrong_usage("revoke wants one of NODE, --holder PATH and --all PATH");
    }
    revoke->path = optarg;
    revoke->all = option == OPTION_ALL;
    return GO_ON;
}

static int take_arguments(struct revoke *revoke, int argc, char **argv)
{
    int status = GO_ON;
    for (int option; status == GO_ON && (option = read_option(argc, argv, COMMON_SHORT_OPTIONS, long_options)) != -1;) {
        status = option == OPTION_HOLDER || option == OPTION_ALL ? take_path(revoke, option)
                                                                 : common_option(&revoke->common, option, argv);
    }
    if (status == GO_ON && argc - optind != (revoke->path == NULL ? 1 : 0)) {
        return wrong_usage("revoke wants one of NODE, --holder PATH and --all PATH");
    }
    revoke->node = revoke->path == NULL ? argv[optind] : NULL;
    return status;
}

static bool is_meant(const struct revoke *revoke, const curator_contender *contender)
{
    if (revoke->node != NULL) {
        return strcmp(contender->path, revoke->node) == 0;
    }
    return revoke->all || contender->holds;
}

/* The first failure counts; the others are asked all the same. */
static int ask(const struct revoke *revoke, curator_framework *framework, const curator_contenders *contenders)
{
    int result = EXIT_DONE;
    bool found = false;
    for (size_t i = 0; i < contenders->count; i++) {
        const curator_contender *contender = contenders->contenders[i];
        if (!is_meant(revoke, contender)) {
            continue;
        }
        found = true;
        if (contender->session_id == 0) { /* what is written to it would overwrite somebody's data for good */
            complain("%s belongs to no session: it is no contender's node", contender->path);
            result = result == EXIT_DONE ? EXIT_NOT_OBTAINED : result;
            continue;
        }
        curator_status status = curator_revoke(framework, contender->path);
        inform("asked %s, %.*s", contender->path, (int)contender->data_size, (const char *)contender->data);
        int failed = status == CURATOR_OK ? EXIT_DONE : failure(status);
        result = result == EXIT_DONE ? failed : result;
    }
    if (!found && revoke->node != NULL) {
        complain("there is no node %s: its owner has released, or it never was", revoke->node);
    } else if (!found) {
        complain("nobody holds %s", revoke->path);
    }
    return found ? result : EXIT_NOT_OBTAINED;
}

static int revoke_in(const struct revoke *revoke, curator_framework *framework, const char *path)
{
    struct queue queue;
    int result = queue_open_and_read(&queue, framework, &revoke->common, path);
    if (result == EXIT_DONE) {
        result = ask(revoke, framework, queue.contenders);
    }
    queue_close(&queue);
    return result;
}

/* The node's lock is looked at first: nothing but a contender's node is ever written to. */
static int revoke_node(const struct revoke *revoke, curator_framework *framework)
{
    const char *slash = strrchr(revoke->node, '/');
    if (revoke->node[0] != '/' || slash == revoke->node || slash[1] == '\0') {
        return wrong_usage("revoke wants the full path of a node, as list shows it, not '%s'", revoke->node);
    }
    char *path = strndup(revoke->node, (size_t)(slash - revoke->node));
    if (path == NULL) {
        complain("no memory");
        return EXIT_SYSTEM;
    }
    int result = revoke_in(revoke, framework, path);
    free(path);
    return result;
}

int command_revoke(int argc, char **argv)
{
    struct revoke revoke = {0};
    common_options_init(&revoke.common);
    int status = take_arguments(&revoke, argc, argv);
    if (status == GO_ON) {
        curator_framework *framework;
        status = connection_open(&framework, &revoke.common);
        if (status == EXIT_DONE) {
            status = revoke.node != NULL ? revoke_node(&revoke, framework) : revoke_in(&revoke, framework, revoke.path);
            connection_close(framework);
        }
    }
    common_options_free(&revoke.common);
    return status;
}
