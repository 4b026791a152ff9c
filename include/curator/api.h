/* SPDX-License-Identifier: Apache-2.0 */
/** \file
 * The mark of an exported name. Every other header includes it.
 */
#ifndef CURATOR_API_H
#define CURATOR_API_H

/** Marks a function that the shared library exports. */
#define CURATOR_API __attribute__((visibility("default")))

#endif
