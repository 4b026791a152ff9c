/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Draws with one path a lock: each release is a vertical stroke.
 */
#include "picture.h"
#include <stdio.h>

#define WIDTH 800
#define LEFT 70
#define TOP 100
#define BOTTOM 380
#define PLOT (WIDTH - LEFT - 30)
#define NAIVE_COLOUR "#c2410c"
#define QUEUE_COLOUR "#1d4ed8"

static long most(const struct picture *picture)
{
    long most = 1;
    for (int i = 0; i <= picture->waiters; i++) {
        most = picture->naive[i] > most ? picture->naive[i] : most;
        most = picture->queue[i] > most ? picture->queue[i] : most;
    }
    return most;
}

static void draw_bars(FILE *svg, const struct picture *picture, const long *counts, double shift, const char *colour)
{
    double step = (double)PLOT / (picture->waiters + 1);
    double unit = (double)(BOTTOM - TOP) / (double)most(picture);
    long sum = 0;
    fprintf(svg, "<path stroke=\"%s\" stroke-width=\"%.2f\" d=\"", colour, step * 0.4);
    for (int i = 0; i <= picture->waiters; i++) {
        fprintf(svg, "M%.1f %d v%.1f ", LEFT + (i + shift) * step, BOTTOM, -unit * (double)counts[i]);
        sum += counts[i];
    }
    fprintf(svg, "\"/>\n<text x=\"%d\" y=\"%d\" fill=\"%s\" font-weight=\"bold\">%s: %ld in all</text>\n",
            counts == picture->naive ? LEFT : LEFT + PLOT / 2, TOP - 34, colour,
            counts == picture->naive ? "naive lock, all watch one node" : "queue (one goes to the releaser)", sum);
}

static void draw_scales(FILE *svg, const struct picture *picture)
{
    long high = most(picture);
    for (long count = 0; count <= high; count += (high + 4) / 5) {
        double y = BOTTOM - (double)(BOTTOM - TOP) * (double)count / (double)high;
        fprintf(svg, "<path d=\"M%d %.1f h%d\" stroke=\"#d1d5db\"/>\n", LEFT, y, PLOT);
        fprintf(svg, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%ld</text>\n", LEFT - 10, y + 4, count);
    }
    for (int i = 0; i <= picture->waiters; i += (picture->waiters + 9) / 10) {
        fprintf(svg, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d</text>\n",
                LEFT + (i + 0.5) * PLOT / (picture->waiters + 1), BOTTOM + 20, picture->waiters - i);
    }
    fprintf(svg,
            "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">clients that wait at the moment of the release</text>\n",
            LEFT + PLOT / 2, BOTTOM + 44);
}

bool picture_draw(const struct picture *picture, const char *file)
{
    FILE *svg = fopen(file, "w");
    if (svg == NULL) {
        return false;
    }
    fprintf(svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
            "font-family=\"DejaVu Sans, Verdana, sans-serif\" font-size=\"13\" fill=\"#1f2937\">\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n"
            "<text x=\"%d\" y=\"38\" font-size=\"22\" font-weight=\"bold\">Watch notifications at each release "
            "of a lock</text>\n",
            WIDTH, BOTTOM + 60, WIDTH, BOTTOM + 60, WIDTH, BOTTOM + 60, LEFT);
    draw_scales(svg, picture);
    draw_bars(svg, picture, picture->naive, 0.3, NAIVE_COLOUR);
    draw_bars(svg, picture, picture->queue, 0.7, QUEUE_COLOUR);
    fprintf(svg, "</svg>\n");
    bool written = ferror(svg) == 0;
    return fclose(svg) == 0 && written;
}
