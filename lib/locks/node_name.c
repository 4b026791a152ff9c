/* SPDX-License-Identifier: Apache-2.0 */
/* What the names of lock nodes say: the order that they queue in. */
#include "locks/node_name.h"

#include <stddef.h>
#include <string.h>

/* What follows the last occurrence of lock_name; NULL without one. */
static const char *after_last(const char *name, const char *lock_name)
{
    size_t length = strlen(name);
    size_t lock_length = strlen(lock_name);
    if (lock_length > length) {
        return NULL;
    }
    for (size_t start = length - lock_length + 1; start-- > 0;) {
        if (memcmp(name + start, lock_name, lock_length) == 0) {
            return name + start + lock_length;
        }
    }
    return NULL;
}

const char *node_name_sort_key(const char *name, const char *lock_name)
{
    const char *key = after_last(name, lock_name);
    return key != NULL ? key : name;
}

/* Puts the lead bytes of U+E000 to U+FFFF (EE, EF) behind those of the characters that UTF-16 writes as surrogates. */
static int utf16_rank(unsigned char byte)
{
    if (byte < 0xee) {
        return byte;
    }
    return byte < 0xf0 ? byte + 0x10 : byte - 2;
}

int node_name_compare(const char *left, const char *right)
{
    while (*left == *right && *left != '\0') {
        left++;
        right++;
    }
    return utf16_rank((unsigned char)*left) - utf16_rank((unsigned char)*right);
}

bool node_name_sequence_wrapped(const char *name, const char *lock_name)
{
    const char *sequence = after_last(name, lock_name);
    if (sequence == NULL || sequence[0] != '-') {
        return false;
    }
    size_t digits = strspn(sequence + 1, "0123456789");
    return digits > 0 && sequence[1 + digits] == '\0';
}
