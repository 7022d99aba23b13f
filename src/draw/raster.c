// SPDX-License-Identifier: MIT
#include "draw/raster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FINE = 4 }; // rows and columns of points that a pixel is tested with

bool carom_raster_create(carom_raster *it, int width, int height) {
  *it = (carom_raster){.width = width, .height = height};
  it->pixels = malloc((size_t)width * (size_t)height * 3);
  return it->pixels != NULL;
}

void carom_raster_free(carom_raster *it) { free(it->pixels); }

static void mix(carom_raster *it, int x, int y, carom_paint paint, double part) {
  unsigned char *pixel = it->pixels + 3 * ((size_t)y * (size_t)it->width + (size_t)x);
  double cover = paint.cover * part;
  for (int c = 0; c < 3; c++) {
    double wanted = (double)((paint.colour >> (16 - 8 * c)) & 255U);
    pixel[c] = (unsigned char)(pixel[c] + cover * (wanted - pixel[c]) + 0.5);
  }
}

void carom_raster_clear(carom_raster *it, unsigned colour) {
  for (size_t k = 0; k < (size_t)it->width * (size_t)it->height; k++)
    for (int c = 0; c < 3; c++)
      it->pixels[3 * k + (size_t)c] = (unsigned char)(colour >> (16 - 8 * c));
}

/// Pixels that a shape may touch.
typedef struct area {
  int left, right, top, bottom; // right, bottom: one past
} area;

static int clamp(double value, int most) {
  if (!(value > 0.0)) return 0;
  return value < most ? (int)value : most;
}

static area around(const carom_raster *it, double x0, double y0, double x1, double y1) {
  return (area){clamp(x0 - 1.0, it->width), clamp(x1 + 2.0, it->width), clamp(y0 - 1.0, it->height),
                clamp(y1 + 2.0, it->height)};
}

// how much of a pixel lies inside, from its distance to the edge
static double part_inside(double distance) {
  double part = 0.5 - distance;
  return part <= 0.0 ? 0.0 : part < 1.0 ? part : 1.0;
}

void carom_raster_disc(carom_raster *it, double x, double y, double radius, carom_paint paint) {
  area a = around(it, x - radius, y - radius, x + radius, y + radius);
  for (int j = a.top; j < a.bottom; j++)
    for (int i = a.left; i < a.right; i++)
      mix(it, i, j, paint, part_inside(hypot(i + 0.5 - x, j + 0.5 - y) - radius));
}

void carom_raster_ring(carom_raster *it, double x, double y, double radius, double width,
                       carom_paint paint) {
  double reach = radius + width;
  area a = around(it, x - reach, y - reach, x + reach, y + reach);
  for (int j = a.top; j < a.bottom; j++)
    for (int i = a.left; i < a.right; i++)
      mix(it, i, j, paint,
          part_inside(fabs(hypot(i + 0.5 - x, j + 0.5 - y) - radius) - 0.5 * width));
}

void carom_raster_line(carom_raster *it, const double a[2], const double b[2], double width,
                       carom_paint paint) {
  double dx = b[0] - a[0], dy = b[1] - a[1], square = dx * dx + dy * dy, half = 0.5 * width;
  area box = around(it, fmin(a[0], b[0]) - half, fmin(a[1], b[1]) - half, fmax(a[0], b[0]) + half,
                    fmax(a[1], b[1]) + half);
  for (int j = box.top; j < box.bottom; j++)
    for (int i = box.left; i < box.right; i++) {
      double x = i + 0.5 - a[0], y = j + 0.5 - a[1];
      double along = square > 0.0 ? (x * dx + y * dy) / square : 0.0;
      along = along < 0.0 ? 0.0 : along > 1.0 ? 1.0 : along;
      double off_x = x - along * dx, off_y = y - along * dy, off2 = off_x * off_x + off_y * off_y;
      if (off2 >= (half + 0.5) * (half + 0.5)) continue;
      mix(it, i, j, paint, part_inside(sqrt(off2) - half));
    }
}

static bool is_inside(int count, const double (*corners)[2], double x, double y) {
  bool inside = false;
  for (int k = 0, last = count - 1; k < count; last = k++) {
    const double *p = corners[k], *q = corners[last];
    if ((p[1] > y) != (q[1] > y) && x < (q[0] - p[0]) * (y - p[1]) / (q[1] - p[1]) + p[0])
      inside = !inside;
  }
  return inside;
}

void carom_raster_polygon(carom_raster *it, int count, const double (*corners)[2],
                          carom_paint paint) {
  double x0 = INFINITY, y0 = INFINITY, x1 = -INFINITY, y1 = -INFINITY;
  for (int k = 0; k < count; k++) {
    x0 = fmin(x0, corners[k][0]), x1 = fmax(x1, corners[k][0]);
    y0 = fmin(y0, corners[k][1]), y1 = fmax(y1, corners[k][1]);
  }
  area a = around(it, x0, y0, x1, y1);
  for (int j = a.top; j < a.bottom; j++)
    for (int i = a.left; i < a.right; i++) {
      int hits = 0;
      for (int f = 0; f < FINE * FINE; f++)
        hits += is_inside(count, corners, i + (f % FINE + 0.5) / FINE,
                          j + ((int)(f / FINE) + 0.5) / FINE);
      if (hits > 0) mix(it, i, j, paint, hits / (double)(FINE * FINE));
    }
}

/// Five columns of seven dots, the lowest bit at the top.
typedef struct glyph {
  char letter;
  unsigned char columns[5];
} glyph;

static const glyph GLYPHS[] = {
    {'0', {0x3e, 0x51, 0x49, 0x45, 0x3e}}, {'1', {0x00, 0x42, 0x7f, 0x40, 0x00}},
    {'2', {0x42, 0x61, 0x51, 0x49, 0x46}}, {'3', {0x21, 0x41, 0x45, 0x4b, 0x31}},
    {'4', {0x18, 0x14, 0x12, 0x7f, 0x10}}, {'5', {0x27, 0x45, 0x45, 0x45, 0x39}},
    {'6', {0x3c, 0x4a, 0x49, 0x49, 0x30}}, {'7', {0x01, 0x71, 0x09, 0x05, 0x03}},
    {'8', {0x36, 0x49, 0x49, 0x49, 0x36}}, {'9', {0x06, 0x49, 0x49, 0x29, 0x1e}},
    {'.', {0x00, 0x60, 0x60, 0x00, 0x00}}, {'-', {0x08, 0x08, 0x08, 0x08, 0x08}},
    {'=', {0x14, 0x14, 0x14, 0x14, 0x14}}, {'t', {0x04, 0x3f, 0x44, 0x40, 0x20}},
    {'e', {0x38, 0x54, 0x54, 0x54, 0x18}}, {'+', {0x08, 0x08, 0x3e, 0x08, 0x08}}};

void carom_raster_text(carom_raster *it, double x, double y, double size, const char *text,
                       carom_paint paint) {
  double dot = size / 7.0;
  for (; *text; text++) {
    for (size_t g = 0; g < sizeof GLYPHS / sizeof *GLYPHS; g++) {
      if (GLYPHS[g].letter != *text) continue;
      for (int c = 0; c < 5; c++)
        for (int r = 0; r < 7; r++) {
          if (!(GLYPHS[g].columns[c] >> r & 1)) continue;
          double left = x + c * dot, top = y + r * dot;
          const double box[4][2] = {
              {left, top}, {left + dot, top}, {left + dot, top + dot}, {left, top + dot}};
          carom_raster_polygon(it, 4, box, paint);
        }
    }
    x += 6.0 * dot;
  }
}
