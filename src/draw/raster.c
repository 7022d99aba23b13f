// SPDX-License-Identifier: MIT
#include "draw/raster.h"

#include "draw/font.h"

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

static void mix_pixel(carom_raster *it, int x, int y, carom_paint paint, double part) {
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

static int clamp_pixel(double value, int most) {
  if (!(value > 0.0)) return 0;
  return value < most ? (int)value : most;
}

static area area_around(const carom_raster *it, double x0, double y0, double x1, double y1) {
  return (area){clamp_pixel(x0 - 1.0, it->width), clamp_pixel(x1 + 2.0, it->width),
                clamp_pixel(y0 - 1.0, it->height), clamp_pixel(y1 + 2.0, it->height)};
}

// how much of a pixel lies inside, from its distance to the edge
static double part_inside(double distance) {
  double part = 0.5 - distance;
  return part <= 0.0 ? 0.0 : part < 1.0 ? part : 1.0;
}

void carom_raster_disc(carom_raster *it, double x, double y, double radius, carom_paint paint) {
  area a = area_around(it, x - radius, y - radius, x + radius, y + radius);
  for (int j = a.top; j < a.bottom; j++)
    for (int i = a.left; i < a.right; i++)
      mix_pixel(it, i, j, paint, part_inside(hypot(i + 0.5 - x, j + 0.5 - y) - radius));
}

void carom_raster_ring(carom_raster *it, double x, double y, double radius, double width,
                       carom_paint paint) {
  double reach = radius + width;
  area a = area_around(it, x - reach, y - reach, x + reach, y + reach);
  for (int j = a.top; j < a.bottom; j++)
    for (int i = a.left; i < a.right; i++)
      mix_pixel(it, i, j, paint,
                part_inside(fabs(hypot(i + 0.5 - x, j + 0.5 - y) - radius) - 0.5 * width));
}

void carom_raster_line(carom_raster *it, const double a[2], const double b[2], double width,
                       carom_paint paint) {
  double dx = b[0] - a[0], dy = b[1] - a[1], square = dx * dx + dy * dy, half = 0.5 * width;
  area box = area_around(it, fmin(a[0], b[0]) - half, fmin(a[1], b[1]) - half,
                         fmax(a[0], b[0]) + half, fmax(a[1], b[1]) + half);
  for (int j = box.top; j < box.bottom; j++)
    for (int i = box.left; i < box.right; i++) {
      double x = i + 0.5 - a[0], y = j + 0.5 - a[1];
      double along = square > 0.0 ? (x * dx + y * dy) / square : 0.0;
      along = along < 0.0 ? 0.0 : along > 1.0 ? 1.0 : along;
      double off_x = x - along * dx, off_y = y - along * dy, off2 = off_x * off_x + off_y * off_y;
      if (off2 >= (half + 0.5) * (half + 0.5)) continue;
      mix_pixel(it, i, j, paint, part_inside(sqrt(off2) - half));
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
  area a = area_around(it, x0, y0, x1, y1);
  for (int j = a.top; j < a.bottom; j++)
    for (int i = a.left; i < a.right; i++) {
      int hits = 0;
      for (int f = 0; f < FINE * FINE; f++)
        hits += is_inside(count, corners, i + (f % FINE + 0.5) / FINE,
                          j + ((int)(f / FINE) + 0.5) / FINE);
      if (hits > 0) mix_pixel(it, i, j, paint, hits / (double)(FINE * FINE));
    }
}

// ---- letters ----

// the next letter of a text in UTF-8; 0 at its end
static unsigned next_letter(const char **text) {
  const unsigned char *at = (const unsigned char *)*text;
  int more = at[0] >= 0xf0 ? 3 : at[0] >= 0xe0 ? 2 : at[0] >= 0xc0 ? 1 : 0;
  unsigned letter = more ? at[0] & (0x3fU >> more) : at[0];
  if (!letter) return 0;
  for (int k = 1; k <= more && (at[k] & 0xc0U) == 0x80; k++, ++*text)
    letter = letter << 6 | (at[k] & 0x3fU);
  ++*text;
  return letter;
}

static const carom_glyph *glyph_of(unsigned letter) {
  for (int k = 0; k < CAROM_FONT_COUNT; k++)
    if (CAROM_FONT[k].letter == letter) return &CAROM_FONT[k];
  return glyph_of('?');
}

double carom_raster_text_width(double size, const char *text) {
  double width = 0.0;
  for (unsigned letter; (letter = next_letter(&text));)
    width += glyph_of(letter)->advance * size / CAROM_FONT_SIZE;
  return width;
}

// how much ink a glyph has at a pixel of its own
static double shade_at(const carom_glyph *glyph, size_t length, int x, int y) {
  if (x < 0 || x >= glyph->advance || y < 0 || y >= CAROM_FONT_LINE) return 0.0;
  size_t at = (size_t)(y * glyph->advance + x);
  if (at >= length) return 0.0;
  char digit = glyph->shades[at];
  return (digit <= '9' ? digit - '0' : digit - 'a' + 10) / 15.0;
}

// the mean over a pixel of the picture, from FINE by FINE points of it
static void paint_glyph(carom_raster *it, const carom_glyph *glyph, double x, double y, double zoom,
                        carom_paint paint) {
  size_t length = strlen(glyph->shades);
  area a = area_around(it, x, y, x + glyph->advance * zoom, y + CAROM_FONT_LINE * zoom);
  for (int j = a.top; j < a.bottom; j++)
    for (int i = a.left; i < a.right; i++) {
      double ink = 0.0;
      for (int f = 0; f < FINE * FINE; f++) {
        double u = (i + (f % FINE + 0.5) / FINE - x) / zoom;
        double v = (j + ((int)(f / FINE) + 0.5) / FINE - y) / zoom;
        ink += shade_at(glyph, length, (int)floor(u), (int)floor(v));
      }
      if (ink > 0.0) mix_pixel(it, i, j, paint, ink / (FINE * FINE));
    }
}

void carom_raster_text(carom_raster *it, double x, double y, double size, const char *text,
                       carom_paint paint) {
  double zoom = size / CAROM_FONT_SIZE;
  for (unsigned letter; (letter = next_letter(&text));) {
    const carom_glyph *glyph = glyph_of(letter);
    paint_glyph(it, glyph, x, y, zoom, paint);
    x += glyph->advance * zoom;
  }
}
