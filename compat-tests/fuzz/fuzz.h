/* SPDX-License-Identifier: Apache-2.0 */
/* What the fuzz targets share: properties that end the program when they do not hold, and pieces of an input. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define holds(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);                             \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

#define MAX_PIECES 8

/* The input's text up to each line feed, each in a block of its own, so that reading past its end is noticed. */
struct pieces {
    size_t count;
    char *text[MAX_PIECES];
};

static inline struct pieces pieces_of(const uint8_t *data, size_t size)
{
    struct pieces pieces = {0};
    while (pieces.count < MAX_PIECES) {
        const uint8_t *end = memchr(data, '\n', size);
        size_t length = end != NULL ? (size_t)(end - data) : size;
        char *copy = malloc(length + 1);
        holds(copy != NULL);
        if (length > 0) {
            memcpy(copy, data, length);
        }
        copy[length] = '\0'; /* a NUL before ends the text there */
        pieces.text[pieces.count++] = copy;
        if (end == NULL) {
            break;
        }
        data = end + 1;
        size -= length + 1;
    }
    return pieces;
}

static inline void pieces_free(struct pieces *pieces)
{
    for (size_t i = 0; i < pieces->count; i++) {
        free(pieces->text[i]);
    }
}

/* Decodes UTF-8 into UTF-16, in another way than the library does. -1: it is not valid. At most strlen(text) units. */
static inline int utf16_of(const char *text, uint16_t *units)
{
    int count = 0;
    for (const uint8_t *at = (const uint8_t *)text; *at != 0;) {
        uint32_t character;
        if (at[0] < 0x80) {
            character = *at++;
        } else if (at[0] >> 5 == 6 && at[1] >> 6 == 2) {
            character = (at[0] & 0x1fU) << 6 | (at[1] & 0x3fU);
            if (character < 0x80) {
                return -1;
            }
            at += 2;
        } else if (at[0] >> 4 == 14 && at[1] >> 6 == 2 && at[2] >> 6 == 2) {
            character = (at[0] & 0xfU) << 12 | (at[1] & 0x3fU) << 6 | (at[2] & 0x3fU);
            if (character < 0x800 || (character >> 11) == 0x1b) {
                return -1;
            }
            at += 3;
        } else if (at[0] >> 3 == 30 && at[1] >> 6 == 2 && at[2] >> 6 == 2 && at[3] >> 6 == 2) {
            character = (at[0] & 7U) << 18 | (at[1] & 0x3fU) << 12 | (at[2] & 0x3fU) << 6 | (at[3] & 0x3fU);
            if (character < 0x10000 || character > 0x10ffff) {
                return -1;
            }
            at += 4;
        } else {
            return -1;
        }
        if (character > 0xffff) {
            units[count++] = (uint16_t)(0xd800 + ((character - 0x10000) >> 10));
            character = 0xdc00 + ((character - 0x10000) & 0x3ff);
        }
        units[count++] = (uint16_t)character;
    }
    return count;
}

#endif
