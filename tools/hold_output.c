/* SPDX-License-Identifier: Apache-2.0 */
#include "hold_output.h"

#include "json.h"
#include "message.h"
#include "notify.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define FIRST_LOOK_MS 100 /* nearly all output is written by then */

static void print_member(FILE *out, const char *name, const char *text)
{
    fprintf(out, "\"%s\": ", name);
    json_print_string(out, text, strlen(text));
    fputs(", ", out);
}

static void print_hold(FILE *out, const struct lock *lock, bool json)
{
    if (json) {
        putc('{', out);
        print_member(out, "path", lock->options->path);
        print_member(out, "node", lock->node);
        print_member(out, "mode", lock_mode_name(lock->options->mode));
        fprintf(out, "\"token\": %" PRId64 ", \"session\": \"0x%" PRIx64 "\"}\n", lock->token, (uint64_t)lock->session);
    } else {
        fprintf(out, "%s %" PRId64 "\n", lock->node, lock->token);
    }
}

bool hold_output_start(struct hold_output *output, const struct lock *lock, bool json)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out != NULL) {
        print_hold(out, lock, json);
    }
    bool complete = out != NULL && fclose(out) == 0;
    output->written = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    bool started = complete && output->written >= 0 && writer_start(&output->writer, STDOUT_FILENO, output->written);
    if (started) {
        writer_put(&output->writer, text);
    } else {
        complain("no memory, descriptor or thread for the output: %s", strerrordesc_np(errno));
    }
    free(text);
    return started;
}

bool hold_output_look(struct hold_output *output)
{
    enum writer_state state = writer_await(&output->writer, output->looked_at ? 0 : FIRST_LOOK_MS);
    output->looked_at = true;
    if (state == WRITER_DONE && !output->ready) {
        output->ready = true;
        output->written = -1;
        notify("READY=1");
    }
    return state != WRITER_FAILED;
}

void hold_output_end(struct hold_output *output)
{
    writer_end(&output->writer, 0);
}
