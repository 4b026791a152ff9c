/* SPDX-License-Identifier: Apache-2.0 */
/* A failure is a status for the caller and a sentence kept for the failing thread. */
#include "base/error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { SENTENCE_SIZE = 1024 };

static const char cut_mark[] = "...";

static _Thread_local char last_sentence[SENTENCE_SIZE];

/* Bytes of the UTF-8 character at text; 0: it is none. */
static size_t character_length(const unsigned char *byte)
{
    if (byte[0] < 0x80) {
        return 1;
    }
    size_t length = byte[0] < 0xe0 ? 2 : byte[0] < 0xf0 ? 3 : 4;
    bool overlong = byte[0] < 0xc2 || (byte[0] == 0xe0 && byte[1] < 0xa0) || (byte[0] == 0xf0 && byte[1] < 0x90);
    bool no_character = byte[0] > 0xf4 || (byte[0] == 0xed && byte[1] > 0x9f) || (byte[0] == 0xf4 && byte[1] > 0x8f);
    if (overlong || no_character) {
        return 0;
    }
    for (size_t i = 1; i < length; i++) {
        if ((byte[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    return length;
}

/* Bytes at text that are not shown as they are: a control character, a line separator, a byte of no character; or 0. */
static size_t harmful_length(const char *text)
{
    const unsigned char *byte = (const unsigned char *)text;
    size_t length = character_length(byte);
    if (length == 0) {
        return 1;
    }
    bool control = byte[0] < 0x20 || byte[0] == 0x7f || (byte[0] == 0xc2 && byte[1] <= 0x9f);
    bool separator = byte[0] == 0xe2 && byte[1] == 0x80 && (byte[2] == 0xa8 || byte[2] == 0xa9);
    return control || separator ? length : 0;
}

static void cut(size_t length)
{
    size_t end = length < SENTENCE_SIZE - sizeof cut_mark ? length : SENTENCE_SIZE - sizeof cut_mark;
    while (end > 0 && ((unsigned char)last_sentence[end] & 0xc0) == 0x80) {
        end--;
    }
    memcpy(last_sentence + end, cut_mark, sizeof cut_mark);
}

/* Keeps the text with its harmful bytes as \xNN, so that a name from outside cannot forge lines of a log. */
static void keep(const char *text, bool complete)
{
    size_t length = 0;
    while (*text != '\0') {
        size_t harmful = harmful_length(text);
        size_t whole = harmful > 0 ? 0 : character_length((const unsigned char *)text);
        size_t room = harmful > 0 ? 4 * harmful : whole;
        if (length + room >= SENTENCE_SIZE) {
            complete = false;
            break;
        }
        for (; whole > 0; whole--) {
            last_sentence[length++] = *text++;
        }
        for (; harmful > 0; harmful--) {
            (void)snprintf(last_sentence + length, 5, "\\x%02x", (unsigned)(unsigned char)*text++);
            length += 4;
        }
    }
    if (complete) {
        last_sentence[length] = '\0';
    } else {
        last_sentence[length] = *text;
        cut(length);
    }
}

/* What was cut in the middle of a character ends before it. */
static void drop_half_character(char *text)
{
    size_t end = strlen(text);
    for (size_t i = 1; i <= 3 && i <= end; i++) {
        unsigned char byte = (unsigned char)text[end - i];
        if (byte >= 0xc2 && character_length((const unsigned char *)&text[end - i]) == 0) {
            text[end - i] = '\0';
        }
        if ((byte & 0xc0) != 0x80) {
            return;
        }
    }
}

curator_status fail(curator_status status, const char *format, ...)
{
    char sentence[SENTENCE_SIZE] = ""; /* not last_sentence: it may be among the arguments */
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    bool complete = length >= 0 && (size_t)length < sizeof sentence;
    if (!complete) {
        drop_half_character(sentence);
    }
    keep(sentence, complete);
    return status;
}

curator_status fail_in(const char *caller, curator_status status)
{
    return fail(status, "%s: %s", caller, last_sentence);
}

const char *curator_last_error(void)
{
    return last_sentence;
}

const char *curator_status_string(curator_status status)
{
    switch (status) {
    case CURATOR_OK:
        return "CURATOR_OK";
    case CURATOR_TIMED_OUT:
        return "CURATOR_TIMED_OUT";
    case CURATOR_INTERRUPTED:
        return "CURATOR_INTERRUPTED";
    case CURATOR_NOT_OWNER:
        return "CURATOR_NOT_OWNER";
    case CURATOR_LOCK_LOST:
        return "CURATOR_LOCK_LOST";
    case CURATOR_RELEASE_PENDING:
        return "CURATOR_RELEASE_PENDING";
    case CURATOR_WOULD_DEADLOCK:
        return "CURATOR_WOULD_DEADLOCK";
    case CURATOR_CONNECTION_LOSS:
        return "CURATOR_CONNECTION_LOSS";
    case CURATOR_SESSION_EXPIRED:
        return "CURATOR_SESSION_EXPIRED";
    case CURATOR_NO_AUTH:
        return "CURATOR_NO_AUTH";
    case CURATOR_INVALID_ARGUMENT:
        return "CURATOR_INVALID_ARGUMENT";
    case CURATOR_NO_MEMORY:
        return "CURATOR_NO_MEMORY";
    case CURATOR_CLOSED:
        return "CURATOR_CLOSED";
    case CURATOR_FORKED:
        return "CURATOR_FORKED";
    case CURATOR_ERROR:
        return "CURATOR_ERROR";
    }
    return "unknown curator_status";
}
