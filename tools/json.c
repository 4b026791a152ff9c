/* SPDX-License-Identifier: Apache-2.0 */
#include "json.h"

#include "text.h"

#include <inttypes.h>
#include <string.h>

void json_print_string(FILE *out, const char *text, size_t size)
{
    putc('"', out);
    for (size_t i = 0; i < size;) {
        size_t length = text_character(text + i, size - i);
        if (length == 0) {
            fputs("\xef\xbf\xbd", out);
        } else if (text_is_control(text + i, length)) {
            fprintf(out, "\\u%04" PRIx32, text_code(text + i, length));
        } else {
            if (text[i] == '"' || text[i] == '\\') {
                putc('\\', out);
            }
            fwrite(text + i, 1, length, out);
        }
        i += length > 0 ? length : 1;
    }
    putc('"', out);
}

static void print_contender(FILE *out, const struct queue *queue, size_t index)
{
    const curator_contender *contender = queue->contenders->contenders[index];
    fputs("{\"path\": ", out);
    json_print_string(out, queue->path, strlen(queue->path));
    fprintf(out, ", \"position\": %zu, \"state\": \"%s\", \"behind\": ", index + 1,
            contender->holds ? "holds" : "waits");
    if (contender->holds) {
        fputs("null", out);
    } else {
        fprintf(out, "%zu", queue_behind(queue, index) + 1);
    }
    fprintf(out, ", \"kind\": \"%s\", \"data\": ", queue_kind_name(contender->kind));
    if (contender->readable) {
        json_print_string(out, contender->data, contender->data_size);
    } else {
        fputs("null", out);
    }
    int64_t age_ms = queue_age_ms(contender);
    fprintf(out, ", \"age\": %" PRId64 ".%03d, \"session\": \"0x%" PRIx64 "\", \"token\": %" PRId64 ", \"node\": ",
            age_ms / 1000, (int)(age_ms % 1000), (uint64_t)contender->session_id, contender->token);
    json_print_string(out, contender->path, strlen(contender->path));
    putc('}', out);
}

void json_print(FILE *out, const struct queue *queues, size_t count)
{
    const char *separator = "";
    putc('[', out);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < queues[i].contenders->count; j++) {
            fputs(separator, out);
            print_contender(out, &queues[i], j);
            separator = ",\n ";
        }
    }
    fputs("]\n", out);
}
