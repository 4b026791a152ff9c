/* SPDX-License-Identifier: Apache-2.0 */
/* Text that others have written: a node's data may be anything. */
#ifndef CURATOR_LOCK_TEXT_H
#define CURATOR_LOCK_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How many bytes a character of UTF-8 has that begins here; 0: what is here is none. */
size_t text_character(const char *text, size_t size);

/* The number of the character that these bytes are. */
uint32_t text_code(const char *text, size_t size);

/* Whether a terminal would do something else than to show it. */
bool text_is_control(const char *character, size_t size);

#endif
