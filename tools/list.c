/* SPDX-License-Identifier: Apache-2.0 */
/* curator-lock list: who holds, and who waits. */
#include "commands.h"
#include "connection.h"
#include "exit_status.h"
#include "json.h"
#include "message.h"
#include "table.h"
#include "watch.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { OPTION_FORMAT = OPTION_OF_COMMAND, OPTION_WATCH };

#define CLEAR_SCREEN "\x1b[H\x1b[2J"

struct list {
    struct common_options common;
    bool json;
    bool watch;
    bool screen; /* drawn anew in a terminal */
};

static const struct option long_options[] = {
    COMMON_LONG_OPTIONS,
    {"format", required_argument, NULL, OPTION_FORMAT},
    {"watch", no_argument, NULL, OPTION_WATCH},
    {NULL, 0, NULL, 0},
};

static int take_arguments(struct list *list, int argc, char **argv)
{
    int status = GO_ON;
    for (int option; status == GO_ON && (option = read_option(argc, argv, COMMON_SHORT_OPTIONS, long_options)) != -1;) {
        if (option == OPTION_FORMAT) {
            status = take_format(optarg, &list->json);
        } else if (option == OPTION_WATCH) {
            list->watch = true;
        } else {
            status = common_option(&list->common, option, argv);
        }
    }
    if (status == GO_ON && optind == argc) {
        return wrong_usage("list wants a lock path");
    }
    return status;
}

static struct table_size table_size(const struct list *list)
{
    struct winsize window;
    if (!list->screen || ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0) {
        return (struct table_size){0};
    }
    /* The last line stays empty, so that nothing scrolls. */
    return (struct table_size){.columns = window.ws_col, .rows = window.ws_row > 1 ? window.ws_row - 1U : 0};
}

/* In one piece, so that a screen does not flicker. */
static bool draw(const struct queue *queues, size_t count, void *context)
{
    const struct list *list = context;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) {
        return false;
    }
    fputs(list->screen ? CLEAR_SCREEN : "", out);
    if (list->json) {
        json_print(out, queues, count);
    } else {
        table_print(out, queues, count, table_size(list));
        fputs(list->watch && !list->screen ? "\n" : "", out);
    }
    bool drawn = fclose(out) == 0 && fwrite(text, 1, size, stdout) == size && fflush(stdout) == 0;
    free(text);
    return drawn;
}

static int list_once(struct list *list, struct queue *queues, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        curator_status status = queue_read(&queues[i]);
        if (status != CURATOR_OK) {
            return failure(status);
        }
    }
    if (!draw(queues, count, list)) {
        complain("standard output cannot be written");
        return EXIT_SYSTEM;
    }
    return EXIT_DONE;
}

static int list_queues(struct list *list, curator_framework *framework, int sizes, char **paths, size_t count)
{
    struct queue *queues = calloc(count, sizeof *queues);
    if (queues == NULL) {
        complain("no memory");
        return EXIT_SYSTEM;
    }
    curator_status opened = CURATOR_OK;
    for (size_t i = 0; i < count && opened == CURATOR_OK; i++) {
        opened = queue_open(&queues[i], framework, paths[i]);
    }
    int status = opened != CURATOR_OK ? failure(opened) : EXIT_DONE;
    if (status == EXIT_DONE) {
        status = connection_await(framework, &list->common, INT64_MAX);
    }
    if (status == EXIT_DONE && list->watch) {
        const struct watch watch = {.queues = queues, .count = count, .draw = draw, .context = list, .sizes = sizes};
        status = watch_queues(framework, &list->common, &watch);
    } else if (status == EXIT_DONE) {
        status = list_once(list, queues, count);
    }
    for (size_t i = 0; i < count; i++) {
        queue_close(&queues[i]);
    }
    free(queues);
    return status;
}

int command_list(int argc, char **argv)
{
    struct list list = {0};
    common_options_init(&list.common);
    int status = take_arguments(&list, argc, argv);
    if (status == GO_ON) {
        list.screen = list.watch && !list.json && isatty(STDOUT_FILENO);
        int sizes = list.watch ? watch_prepare() : 0;
        curator_framework *framework = NULL;
        status = sizes < 0 ? EXIT_SYSTEM : connection_open(&framework, &list.common);
        if (status == EXIT_DONE) {
            status = list_queues(&list, framework, sizes, argv + optind, (size_t)(argc - optind));
            connection_close(framework);
        }
    }
    common_options_free(&list.common);
    return status;
}
