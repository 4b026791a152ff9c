/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The picture of the herd effect: for each release a bar for either lock, as high as the notifications it caused.
 */
#ifndef PICTURE_H
#define PICTURE_H

#include <stdbool.h>

struct picture {
    int waiters;       /* at the first release; at each later one it is one less, at the last none */
    const long *naive; /* waiters + 1 releases */
    const long *queue;
};

/* Writes it as SVG. */
bool picture_draw(const struct picture *picture, const char *file);

#endif
