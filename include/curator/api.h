/* SPDX-License-Identifier: Apache-2.0 */
/* What every public header shares: the mark of an exported name. */
#ifndef CURATOR_API_H
#define CURATOR_API_H

#define CURATOR_API __attribute__((visibility("default")))

#endif
