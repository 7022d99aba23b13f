// SPDX-License-Identifier: MIT
/// A small picture in memory and a few shapes painted on it with soft edges: for the frames of
/// movies. Places are in pixels, y down, the middle of the first pixel is (0.5, 0.5).
#ifndef CAROM_DRAW_RASTER_H
#define CAROM_DRAW_RASTER_H

#include <stdbool.h>

typedef struct carom_raster {
  int width, height;
  unsigned char *pixels; // rows of red, green, blue
} carom_raster;

/// Red, green, blue in one number, as 0x3f6fa8; `cover` from 0 to 1.
typedef struct carom_paint {
  unsigned colour;
  double cover;
} carom_paint;

bool carom_raster_create(carom_raster *it, int width, int height); // false: out of memory
void carom_raster_free(carom_raster *it);
void carom_raster_clear(carom_raster *it, unsigned colour);
void carom_raster_disc(carom_raster *it, double x, double y, double radius, carom_paint paint);
void carom_raster_ring(carom_raster *it, double x, double y, double radius, double width,
                       carom_paint paint);
/// A line with round ends.
void carom_raster_line(carom_raster *it, const double a[2], const double b[2], double width,
                       carom_paint paint);
/// The inside of a closed outline of `count` corners, by the even-odd rule.
void carom_raster_polygon(carom_raster *it, int count, const double (*corners)[2],
                          carom_paint paint);
/// A line of text (UTF-8) in letters of `size` pixels; (x, y) is its upper left corner.
void carom_raster_text(carom_raster *it, double x, double y, double size, const char *text,
                       carom_paint paint);
double carom_raster_text_width(double size, const char *text);

#endif
