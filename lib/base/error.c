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

/* Bytes of the control character at text: two from U+0080 on, 0 if it is none. */
static size_t control_length(const char *text)
{
    const unsigned char *byte = (const unsigned char *)text;
    if ((byte[0] > 0 && byte[0] < 0x20) || byte[0] == 0x7f) {
        return 1;
    }
    return byte[0] == 0xc2 && byte[1] >= 0x80 && byte[1] <= 0x9f ? 2 : 0;
}

static void cut(size_t length)
{
    size_t end = length < SENTENCE_SIZE - sizeof cut_mark ? length : SENTENCE_SIZE - sizeof cut_mark;
    while (end > 0 && ((unsigned char)last_sentence[end] & 0xc0) == 0x80) {
        end--;
    }
    memcpy(last_sentence + end, cut_mark, sizeof cut_mark);
}

/* Keeps the text with its control characters as \xNN, so that a name from outside cannot forge lines of a log. */
static void keep(const char *text, bool complete)
{
    size_t length = 0;
    while (*text != '\0') {
        size_t control = control_length(text);
        size_t room = control > 0 ? 4 * control : 1;
        if (length + room >= SENTENCE_SIZE) {
            complete = false;
            break;
        }
        if (control == 0) {
            last_sentence[length++] = *text++;
        }
        for (; control > 0; control--) {
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

curator_status fail(curator_status status, const char *format, ...)
{
    char sentence[SENTENCE_SIZE] = ""; /* not last_sentence: it may be among the arguments */
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    keep(sentence, length >= 0 && (size_t)length < sizeof sentence);
    return status;
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
