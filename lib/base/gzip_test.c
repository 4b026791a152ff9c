/* SPDX-License-Identifier: Apache-2.0 */
/* Unit tests of gzip. */
#include "base/gzip.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* What java.util.zip.GZIPOutputStream of Java 17 makes of "__REVOKE__". */
static const unsigned char java_revoke[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff, 0x8b,
                                            0x8f, 0x0f, 0x72, 0x0d, 0xf3, 0xf7, 0x76, 0x8d, 0x8f, 0x07, 0x00};
static const char revoke[] = {'_', '_', 'R', 'E', 'V', 'O', 'K', 'E', '_', '_'};

Test(gzip, what_is_compressed_inflates_to_the_same)
{
    for (size_t size = 0; size < 5000; size = size * 2 + 1) {
        char *data = malloc(size + 1), *inflated = malloc(size + 1);
        for (size_t i = 0; i < size; i++) {
            data[i] = (char)(i * i % 251);
        }
        size_t compressed_size = 0, inflated_size = 0;
        void *compressed = gzip_compress(data, size, &compressed_size);
        cr_assert(compressed != NULL && compressed_size <= size + GZIP_MAX_GROWTH);
        cr_assert(gzip_is_of(compressed, compressed_size, data, size));
        cr_assert(gzip_inflate(compressed, compressed_size, false, inflated, size + 1, &inflated_size));
        cr_assert(inflated_size == size && memcmp(data, inflated, size) == 0);
        free(compressed);
        free(inflated);
        free(data);
    }
}

Test(gzip, other_data_are_not_taken_for_compressed)
{
    char text[64];
    size_t size = 0;
    cr_assert(!gzip_inflate("", 0, false, text, sizeof text, &size));
    cr_assert(!gzip_inflate("10.0.0.1", 8, false, text, sizeof text, &size));
    cr_assert(!gzip_inflate("\x1f\x8b", 2, true, text, sizeof text, &size));
    cr_assert(!gzip_inflate("\x1f\x8b\x08\0\0\0\0\0\0\xff\xff\xff\xff\xff", 14, false, text, sizeof text, &size));
    cr_assert(!gzip_is_of(revoke, sizeof revoke, revoke, sizeof revoke));
    cr_assert(!gzip_is_of("", 0, "", 0));
}

Test(gzip, one_byte_that_is_wrong_is_noticed)
{
    size_t size = 0, inflated_size = 0;
    unsigned char *compressed = gzip_compress(revoke, sizeof revoke, &size);
    char text[64];
    cr_assert(gzip_is_of(compressed, size, revoke, sizeof revoke));
    cr_assert(!gzip_is_of(compressed, size - 1, revoke, sizeof revoke));
    cr_assert(!gzip_is_of(compressed, size, revoke, sizeof revoke - 1));
    for (size_t i = size - 8; i < size; i++) {
        compressed[i] ^= 1;
        cr_assert(!gzip_is_of(compressed, size, revoke, sizeof revoke), "byte %zu", i);
        cr_assert(!gzip_inflate(compressed, size, false, text, sizeof text, &inflated_size), "byte %zu", i);
        compressed[i] ^= 1;
    }
    free(compressed);
}

Test(gzip, what_java_wrote_is_read)
{
    char text[64];
    size_t size = 0;
    cr_assert(gzip_inflate(java_revoke, sizeof java_revoke, true, text, sizeof text, &size));
    cr_assert(size == sizeof revoke && memcmp(text, revoke, size) == 0);
}

Test(gzip, data_that_were_cut_give_their_beginning)
{
    char data[2000], text[2000];
    for (size_t i = 0; i < sizeof data; i++) {
        data[i] = (char)(i * i % 251);
    }
    size_t size = 0, inflated = 0;
    void *compressed = gzip_compress(data, sizeof data, &size);
    cr_assert(gzip_inflate(compressed, size / 2, true, text, sizeof text, &inflated));
    cr_assert(inflated > 0 && inflated < sizeof data && memcmp(data, text, inflated) == 0);
    cr_assert(!gzip_inflate(compressed, size / 2, false, text, sizeof text, &inflated));
    free(compressed);
}

/* A megabyte of zeros is a kilobyte compressed, and that another time less still. */
Test(gzip, no_more_is_inflated_than_there_is_room_for)
{
    size_t huge = 16 << 20, size = 0, inflated = 0;
    char *zeros = calloc(1, huge);
    void *compressed = gzip_compress(zeros, huge, &size);
    char text[101];
    memset(text, 'x', sizeof text);
    cr_assert(gzip_inflate(compressed, size, false, text, 100, &inflated));
    cr_assert(inflated == 100 && memcmp(text, zeros, 100) == 0 && text[100] == 'x');
    free(compressed);
    free(zeros);
}
