/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of tokens: separated by spaces, everything but plain characters as %hh, an empty token as a lone %. */
#include "peer.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t output = PTHREAD_MUTEX_INITIALIZER; /* guards standard output */

void *allocate(size_t size)
{
    void *memory = calloc(1, size);
    if (memory == NULL) {
        abort();
    }
    return memory;
}

double monotonic_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static struct token decode(const char *text, size_t size)
{
    struct token token = {.bytes = allocate(size + 1)};
    for (size_t i = 0; i < size; i++) {
        if (text[i] != '%') {
            token.bytes[token.size++] = text[i];
        } else if (i + 2 < size) {
            char digits[3] = {text[i + 1], text[i + 2], 0};
            token.bytes[token.size++] = (char)strtol(digits, NULL, 16);
            i += 2;
        }
    }
    return token;
}

struct request *request_parse(const char *line)
{
    struct request *request = allocate(sizeof(*request));
    struct token *tokens = allocate((strlen(line) + 1) * sizeof(*tokens));
    size_t count = 0;
    while (*line != '\0') {
        size_t size = strcspn(line, " \n");
        if (size > 0) {
            tokens[count++] = decode(line, size);
        }
        line += size;
        line += strspn(line, " \n");
    }
    request->arguments = tokens;
    request->count = count;
    if (count < 3) {
        request_free(request);
        return NULL;
    }
    request->id = tokens[0].bytes;
    request->thread = tokens[1].bytes;
    request->verb = tokens[2].bytes;
    return request;
}

void request_free(struct request *request)
{
    for (size_t i = 0; i < request->count; i++) {
        free(request->arguments[i].bytes);
    }
    free(request->arguments);
    free(request);
}

const char *argument(const struct request *request, size_t index)
{
    if (index + 3 >= request->count) {
        fprintf(stderr, "peer: %s wants an argument more\n", request->verb);
        exit(2);
    }
    return request->arguments[index + 3].bytes;
}

static void put(struct line *line, char byte)
{
    if (line->size + 2 > line->capacity) {
        line->capacity = line->capacity * 2 + 128;
        line->text = realloc(line->text, line->capacity);
        if (line->text == NULL) {
            abort();
        }
    }
    line->text[line->size++] = byte;
    line->text[line->size] = '\0';
}

void line_add(struct line *line, const char *text)
{
    static const char digits[] = "0123456789abcdef";
    if (line->size > 0) {
        put(line, ' ');
    }
    if (*text == '\0') {
        put(line, '%');
    }
    for (; *text != '\0'; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte > ' ' && byte < 0x7f && byte != '%') {
            put(line, *text);
        } else {
            put(line, '%');
            put(line, digits[byte >> 4]);
            put(line, digits[byte & 15]);
        }
    }
}

void line_add_number(struct line *line, int64_t number)
{
    char text[32];
    snprintf(text, sizeof(text), "%lld", (long long)number);
    line_add(line, text);
}

void line_add_ms(struct line *line, double milliseconds)
{
    char text[64];
    snprintf(text, sizeof(text), "%.3f", milliseconds);
    line_add(line, text);
}

void line_append(struct line *line, struct line *more)
{
    if (more->size > 0) {
        put(line, ' ');
    }
    for (size_t i = 0; i < more->size; i++) {
        put(line, more->text[i]);
    }
    free(more->text);
    *more = (struct line){0};
}

void line_send(struct line *line)
{
    put(line, '\n');
    pthread_mutex_lock(&output);
    fwrite(line->text, 1, line->size, stdout);
    fflush(stdout);
    pthread_mutex_unlock(&output);
    free(line->text);
    *line = (struct line){0};
}

void line_after_all_sent(void)
{
    pthread_mutex_lock(&output);
    pthread_mutex_unlock(&output);
}
