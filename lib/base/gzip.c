/* SPDX-License-Identifier: Apache-2.0 */
/* Data in gzip's format. */
#include "base/gzip.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define WINDOW_BITS (15 + 16) /* 16: with gzip's header and trailer */
#define MEMORY_LEVEL 8        /* zlib's default */
#define HEADER_SIZE 10
#define TRAILER_SIZE 8 /* checksum and length of the data */

static bool begins_as_gzip(const unsigned char *bytes, size_t size)
{
    return size >= HEADER_SIZE && bytes[0] == 0x1f && bytes[1] == 0x8b && bytes[2] == Z_DEFLATED;
}

static uint32_t number_at(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

void *gzip_compress(const void *data, size_t size, size_t *compressed_size)
{
    z_stream stream = {.next_in = (z_const Bytef *)data, .avail_in = (uInt)size};
    if (size > UINT_MAX / 2 || deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, WINDOW_BITS, MEMORY_LEVEL,
                                            Z_DEFAULT_STRATEGY) != Z_OK) {
        return NULL;
    }
    uLong room = deflateBound(&stream, (uLong)size);
    unsigned char *compressed = malloc(room);
    stream.next_out = compressed;
    stream.avail_out = (uInt)room;
    bool whole = compressed != NULL && deflate(&stream, Z_FINISH) == Z_STREAM_END;
    *compressed_size = stream.total_out;
    deflateEnd(&stream);
    if (!whole) {
        free(compressed);
        return NULL;
    }
    return compressed;
}

bool gzip_is_of(const void *compressed, size_t compressed_size, const void *data, size_t size)
{
    const unsigned char *bytes = compressed;
    if (compressed_size < HEADER_SIZE + TRAILER_SIZE || !begins_as_gzip(bytes, compressed_size)) {
        return false;
    }
    const unsigned char *trailer = bytes + compressed_size - TRAILER_SIZE;
    return number_at(trailer) == crc32(crc32(0, NULL, 0), data, (uInt)size) && number_at(trailer + 4) == size;
}

bool gzip_inflate(const void *compressed, size_t compressed_size, bool cut, void *data, size_t room, size_t *size)
{
    z_stream stream = {.next_in = (z_const Bytef *)compressed,
                       .avail_in = (uInt)compressed_size,
                       .next_out = (Bytef *)data,
                       .avail_out = (uInt)room};
    if (compressed_size > UINT_MAX || room > UINT_MAX || !begins_as_gzip(compressed, compressed_size) ||
        inflateInit2(&stream, WINDOW_BITS) != Z_OK) {
        return false;
    }
    int rc = inflate(&stream, Z_SYNC_FLUSH);
    bool whole = rc == Z_STREAM_END && stream.avail_in == 0;
    bool begun = (rc == Z_OK || rc == Z_BUF_ERROR) && (stream.avail_out == 0 || (cut && stream.total_out > 0));
    if (whole || begun) {
        *size = stream.total_out;
    }
    inflateEnd(&stream);
    return whole || begun;
}
