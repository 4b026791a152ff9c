/* SPDX-License-Identifier: Apache-2.0 */
#include "exit_status.h"
#include "lock.h"
#include "message.h"

#include <stdlib.h>

#define DEFAULT_GRACE_MS 5000
#define MAX_STATUS 255

void lock_options_init(struct lock_options *options)
{
    *options =
        (struct lock_options){.wait_ms = NO_LIMIT, .conflict_status = EXIT_NOT_OBTAINED, .grace_ms = DEFAULT_GRACE_MS};
    common_options_init(&options->common);
}

void lock_options_free(struct lock_options *options)
{
    common_options_free(&options->common);
}

const char *lock_mode_name(enum lock_mode mode)
{
    static const char *const names[] = {"exclusive", "shared", "write"};
    return names[mode];
}

static int take_conflict_status(const char *text, int *status)
{
    char *end;
    long value = strtol(text, &end, 10);
    if (end == text || *end != '\0' || value < 0 || value > MAX_STATUS || *text < '0' || *text > '9') {
        return wrong_usage("-E wants an exit status from 0 to %d, not '%s'", MAX_STATUS, text);
    }
    *status = (int)value;
    return GO_ON;
}

int lock_option(struct lock_options *options, int option, char **argv)
{
    switch (option) {
    case 'x':
        options->mode = MODE_EXCLUSIVE;
        return GO_ON;
    case 's':
        options->mode = MODE_SHARED;
        return GO_ON;
    case OPTION_WRITE:
        options->mode = MODE_WRITE;
        return GO_ON;
    case 'n':
        options->wait_ms = 0;
        return GO_ON;
    case 'w':
        return take_duration("--wait", optarg, &options->wait_ms);
    case 'E':
        return take_conflict_status(optarg, &options->conflict_status);
    case OPTION_REVOCABLE:
        options->revocable = true;
        return GO_ON;
    default:
        return common_option(&options->common, option, argv);
    }
}
