/* SPDX-License-Identifier: Apache-2.0 */
/* Random UUIDs, by which a client finds its own node again. */
#include "base/uuid.h"

#include <errno.h>
#include <stddef.h>
#include <sys/random.h>
#include <sys/types.h>

bool uuid_random(char uuid[UUID_LENGTH + 1])
{
    unsigned char bytes[16];
    ssize_t got;
    do {
        got = getrandom(bytes, sizeof bytes, GRND_NONBLOCK); /* early at boot it would block past any deadline */
    } while (got < 0 && errno == EINTR);
    if (got != (ssize_t)sizeof bytes) {
        return false;
    }
    bytes[6] = (unsigned char)((bytes[6] & 0x0f) | 0x40); /* version 4: random */
    bytes[8] = (unsigned char)((bytes[8] & 0x3f) | 0x80); /* the variant of RFC 4122 */

    static const char digits[] = "0123456789abcdef";
    char *end = uuid;
    for (size_t i = 0; i < sizeof bytes; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) {
            *end++ = '-';
        }
        *end++ = digits[bytes[i] >> 4];
        *end++ = digits[bytes[i] & 0x0f];
    }
    *end = '\0';
    return true;
}
