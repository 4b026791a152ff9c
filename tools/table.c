/* SPDX-License-Identifier: Apache-2.0 */
#include "table.h"

#include "text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#define DATA_WIDTH 40
#define NARROWEST_DATA 4

/* One line, which is cut at the width of the terminal. */
struct line {
    FILE *out;
    size_t width; /* in characters; 0: no limit */
    size_t used;
};

static void put_character(struct line *line, const char *character, size_t size)
{
    if (line->width == 0 || line->used < line->width) {
        fwrite(character, 1, size, line->out);
    }
    line->used++;
}

/* At most so many characters, and blanks up to `pad` of them. */
static void put_text(struct line *line, const char *text, size_t size, size_t most, size_t pad)
{
    size_t put = 0;
    for (size_t i = 0; i < size && put < most; put++) {
        size_t length = text_character(text + i, size - i);
        bool shown = length > 0 && !text_is_control(text + i, length);
        put_character(line, shown ? text + i : "?", shown ? length : 1);
        i += length > 0 ? length : 1;
    }
    for (; put < pad; put++) {
        put_character(line, " ", 1);
    }
}

static void put_word(struct line *line, const char *word, size_t pad)
{
    put_text(line, word, strlen(word), SIZE_MAX, pad);
    put_character(line, " ", 1);
}

static size_t characters(const char *text, size_t size)
{
    size_t count = 0;
    for (size_t i = 0; i < size; count++) {
        size_t length = text_character(text + i, size - i);
        i += length > 0 ? length : 1;
    }
    return count;
}

static void age_text(int64_t age_ms, char *text, size_t size)
{
    int64_t seconds = age_ms / 1000;
    if (seconds < 60) {
        snprintf(text, size, "%" PRId64 ".%ds", seconds, (int)(age_ms % 1000 / 100));
    } else if (seconds < INT64_C(60) * 60) {
        snprintf(text, size, "%" PRId64 "m%02ds", seconds / 60, (int)(seconds % 60));
    } else if (seconds < INT64_C(60) * 60 * 24) {
        snprintf(text, size, "%" PRId64 "h%02dm", seconds / 3600, (int)(seconds / 60 % 60));
    } else {
        snprintf(text, size, "%" PRId64 "d%02dh", seconds / 86400, (int)(seconds / 3600 % 24));
    }
}

static size_t data_width(const curator_contenders *contenders)
{
    size_t widest = NARROWEST_DATA;
    for (size_t i = 0; i < contenders->count; i++) {
        const curator_contender *contender = contenders->contenders[i];
        size_t width = characters(contender->data, contender->data_size);
        widest = width > widest ? width : widest;
    }
    return widest < DATA_WIDTH ? widest : DATA_WIDTH;
}

static void print_heading(FILE *out, size_t columns, size_t width)
{
    struct line line = {.out = out, .width = columns};
    put_word(&line, "POS", 5);
    put_word(&line, "STATE", 15);
    put_word(&line, "KIND", 5);
    put_word(&line, "DATA", width);
    put_word(&line, "AGE", 7);
    put_word(&line, "SESSION", 18);
    put_word(&line, "TOKEN", 12);
    put_text(&line, "NODE", 4, SIZE_MAX, 0);
    putc('\n', out);
}

static void print_contender(FILE *out, const struct queue *queue, size_t index, size_t columns, size_t width)
{
    const curator_contender *contender = queue->contenders->contenders[index];
    struct line line = {.out = out, .width = columns};
    char text[64];
    snprintf(text, sizeof text, "%zu", index + 1);
    put_word(&line, text, 5);
    snprintf(text, sizeof text, "waits for %zu", queue_behind(queue, index) + 1);
    put_word(&line, contender->holds ? "holds" : text, 15);
    put_word(&line, queue_kind_name(contender->kind), 5);
    if (contender->readable) {
        put_text(&line, contender->data, contender->data_size, width, width);
        put_character(&line, " ", 1);
    } else {
        put_word(&line, "?", width);
    }
    age_text(queue_age_ms(contender), text, sizeof text);
    put_word(&line, text, 7);
    snprintf(text, sizeof text, "0x%" PRIx64, (uint64_t)contender->session_id);
    put_word(&line, contender->session_id != 0 ? text : "none", 18);
    snprintf(text, sizeof text, "%" PRId64, contender->token);
    put_word(&line, text, 12);
    put_text(&line, contender->path, strlen(contender->path), SIZE_MAX, 0);
    putc('\n', out);
}

/* At most so many lines; 0: no limit. */
static void print_queue(FILE *out, const struct queue *queue, size_t columns, size_t lines)
{
    size_t count = queue->contenders->count;
    if (count == 0) {
        fputs("free\n", out);
        return;
    }
    size_t width = data_width(queue->contenders);
    size_t shown = lines == 0 || count + 1 <= lines ? count : lines > 3 ? lines - 2 : 1;
    print_heading(out, columns, width);
    for (size_t i = 0; i < shown; i++) {
        print_contender(out, queue, i, columns, width);
    }
    if (shown < count) {
        fprintf(out, "and %zu more\n", count - shown);
    }
}

void table_print(FILE *out, const struct queue *queues, size_t count, struct table_size size)
{
    size_t lines = size.rows > 0 ? size.rows / count : 0;
    for (size_t i = 0; i < count; i++) {
        if (count > 1) {
            struct line line = {.out = out, .width = size.columns};
            fputs(i > 0 ? "\n" : "", out);
            put_text(&line, queues[i].path, strlen(queues[i].path), SIZE_MAX, 0);
            fputs("\n", out);
        }
        print_queue(out, &queues[i], size.columns, lines > 3 ? lines - (count > 1 ? 2 : 1) : lines);
    }
}
