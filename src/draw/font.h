// SPDX-License-Identifier: MIT
/// Letters of movie frames, painted once.
#ifndef CAROM_DRAW_FONT_H
#define CAROM_DRAW_FONT_H

enum { CAROM_FONT_SIZE = 24, CAROM_FONT_LINE = 29 }; // pixels: of the letters, and rows of each

typedef struct carom_glyph {
  unsigned letter;    // its number in Unicode
  int advance;        // pixels a row, and to the next letter
  const char *shades; // rows of them from the top, 0 to f; what is missing at the end is paper
} carom_glyph;

extern const carom_glyph CAROM_FONT[];
extern const int CAROM_FONT_COUNT;

#endif
