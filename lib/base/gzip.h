/* SPDX-License-Identifier: Apache-2.0 */
/* Data in gzip's format, as Curator's GzipCompressionProvider writes it. Without memory for it nothing is done. */
#ifndef CURATOR_BASE_GZIP_H
#define CURATOR_BASE_GZIP_H

#include <stdbool.h>
#include <stddef.h>

/* What small data grows by at most, when they are compressed. */
#define GZIP_MAX_GROWTH 24

/* To be freed. NULL: out of memory. */
void *gzip_compress(const void *data, size_t size, size_t *compressed_size);

/*
 * Whether data are the compressed form of others: by format, length and checksum, so that nothing is inflated. No other
 * data of that length have this checksum but by intention.
 */
bool gzip_is_of(const void *compressed, size_t compressed_size, const void *data, size_t size);

/*
 * Inflates as much as there is room for, whatever the data claim to be: *size bytes. False: these data are not
 * compressed. Compressed data that were cut, like those for whose inflated form there is no room, give what they begin
 * with; whole ones that are damaged are taken for not compressed.
 */
bool gzip_inflate(const void *compressed, size_t compressed_size, bool cut, void *data, size_t room, size_t *size);

#endif
