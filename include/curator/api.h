/* SPDX-License-Identifier: Apache-2.0 */
/** \file
 * The mark of an exported name, and the version of the headers. Every other header includes it.
 */
#ifndef CURATOR_API_H
#define CURATOR_API_H

/** Marks a function that the shared library exports. */
#define CURATOR_API __attribute__((visibility("default")))

/* The only place of the library's version: CMake reads it from here. */

/** First number of the version of these headers; also the version of the shared object. */
#define CURATOR_VERSION_MAJOR 0

/** Second number of the version of these headers. Until 1.0 another one may have another interface. */
#define CURATOR_VERSION_MINOR 1

/** Third number of the version of these headers: corrections only. */
#define CURATOR_VERSION_PATCH 0

#endif
