/* SPDX-License-Identifier: Apache-2.0 */
#include "text.h"

static const struct form {
    unsigned char mask, lead;
    uint32_t least; /* below it a shorter form exists */
} forms[] = {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};

uint32_t text_code(const char *text, size_t size)
{
    uint32_t code = (unsigned char)*text & (unsigned char)~forms[size - 1].mask;
    for (size_t i = 1; i < size; i++) {
        code = code << 6 | ((unsigned char)text[i] & 0x3fU);
    }
    return code;
}

size_t text_character(const char *text, size_t size)
{
    for (size_t length = 1; length <= sizeof forms / sizeof *forms && length <= size; length++) {
        const struct form *form = &forms[length - 1];
        if (((unsigned char)*text & form->mask) != form->lead) {
            continue;
        }
        for (size_t i = 1; i < length; i++) {
            if (((unsigned char)text[i] & 0xc0U) != 0x80) {
                return 0;
            }
        }
        uint32_t code = text_code(text, length);
        bool surrogate = code >= 0xd800 && code <= 0xdfff;
        return code >= form->least && code <= 0x10ffff && !surrogate ? length : 0;
    }
    return 0;
}

bool text_is_control(const char *character, size_t size)
{
    uint32_t code = text_code(character, size);
    bool marks_direction =
        (code >= 0x200e && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
    return code < ' ' || (code >= 0x7f && code < 0xa0) || marks_direction;
}
