/* SPDX-License-Identifier: Apache-2.0 */
/* ZooKeeper's rules for paths, as Java checks them before it sends anything. */
#include "base/path.h"

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN_LENGTH = 200 }; /* of a path in a sentence: with every byte as \xNN the reason still fits */

/* Decodes one character of UTF-8 and returns its length in bytes; 0 if it is invalid. */
static size_t decode(const char *text, uint32_t *character)
{
    const unsigned char *byte = (const unsigned char *)text;
    if (byte[0] < 0x80) {
        *character = byte[0];
        return 1;
    }
    size_t length = byte[0] >= 0xf0 ? 4 : byte[0] >= 0xe0 ? 3 : 2;
    if (byte[0] < 0xc0 || byte[0] > 0xf7) {
        return 0;
    }
    uint32_t decoded = byte[0] & (0x7fU >> length);
    for (size_t i = 1; i < length; i++) {
        if ((byte[i] & 0xc0) != 0x80) {
            return 0;
        }
        decoded = decoded << 6 | (byte[i] & 0x3fU);
    }
    static const uint32_t smallest[] = {[2] = 0x80, [3] = 0x800, [4] = 0x10000};
    if (decoded < smallest[length] || decoded > 0x10ffff || (decoded >= 0xd800 && decoded <= 0xdfff)) {
        return 0;
    }
    *character = decoded;
    return length;
}

static size_t utf16_units(uint32_t character)
{
    return character > 0xffff ? 2 : 1;
}

/* Java's ranges, which leave out their own ends, so that U+001F, U+007F, U+009F, U+F8FF, U+FFF0 and U+FFFF pass. */
static bool is_refused_by_java(uint32_t unit)
{
    return (unit > 0x0000 && unit < 0x001f) || (unit > 0x007f && unit < 0x009f) || (unit > 0xd800 && unit < 0xf8ff) ||
           (unit > 0xfff0 && unit < 0xffff);
}

/* Shows at most length bytes of the path. */
static curator_status path_refuse(const char *path, size_t length, const char *reason)
{
    size_t shown = length < SHOWN_LENGTH ? length : SHOWN_LENGTH;
    while (shown > 0 && shown < length && ((unsigned char)path[shown] & 0xc0) == 0x80) {
        shown--;
    }
    return fail(CURATOR_INVALID_ARGUMENT, "path \"%.*s%s\" is not valid: %s", (int)shown, path,
                path[shown] == '\0' ? "" : "...", reason);
}

static curator_status refuse_at(const char *path, const char *rule, size_t position)
{
    char reason[64];
    (void)snprintf(reason, sizeof reason, "%s at %zu", rule, position);
    return path_refuse(path, strlen(path), reason);
}

static curator_status refuse_character(const char *path, uint32_t character, size_t position)
{
    char rule[40];
    (void)snprintf(rule, sizeof rule, "invalid character U+%04X", (unsigned)character);
    /* Java looks at the surrogates one by one and lets U+D800 pass, which is the first half of U+10000 to U+103FF. */
    return refuse_at(path, rule, character >= 0x10000 && character <= 0x103ff ? position + 1 : position);
}

static bool ends_name(char next)
{
    return next == '\0' || next == '/';
}

/* The path is valid UTF-8, starts with a slash, and has something after it that does not end with one. */
static curator_status validate_names(const char *path)
{
    size_t position = 1;
    for (const char *here = path + 1; *here != '\0';) {
        uint32_t character = 0;
        size_t bytes = decode(here, &character);
        if (here[0] == '/' && here[-1] == '/') {
            return refuse_at(path, "empty node name", position);
        }
        if (here[0] == '.' && ends_name(here[1]) && (here[-1] == '/' || (here[-1] == '.' && here[-2] == '/'))) {
            return refuse_at(path, "relative node name", position);
        }
        if (character > 0xffff || is_refused_by_java(character)) {
            return refuse_character(path, character, position);
        }
        position += utf16_units(character);
        here += bytes;
    }
    return CURATOR_OK;
}

curator_status path_validate(const char *path)
{
    if (path == NULL) {
        return fail(CURATOR_INVALID_ARGUMENT, "path is NULL");
    }
    if (*path == '\0') {
        return path_refuse(path, 0, "it is empty");
    }
    size_t length = 0;
    size_t units = 0;
    while (path[length] != '\0') {
        uint32_t character;
        size_t bytes = decode(path + length, &character);
        if (bytes == 0) {
            char reason[64];
            (void)snprintf(reason, sizeof reason, "invalid UTF-8 (0x%02x) at byte %zu",
                           (unsigned)(unsigned char)path[length], length);
            return path_refuse(path, length, reason);
        }
        length += bytes;
        units += utf16_units(character);
    }
    if (path[0] != '/') {
        return refuse_at(path, "missing slash", 0);
    }
    if (length == 1) {
        return CURATOR_OK;
    }
    if (path[length - 1] == '/') {
        return refuse_at(path, "trailing slash", units - 1);
    }
    return validate_names(path);
}

char *path_join(const char *parent, const char *name)
{
    char *path = NULL;
    return asprintf(&path, "%s/%s", parent, name) >= 0 ? path : NULL;
}
