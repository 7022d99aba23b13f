// SPDX-License-Identifier: MIT
/// The mean height of a pack over time, with the standard error that its fluctuations leave.
#ifndef CAROM_BENCH_RODS_HEIGHT_H
#define CAROM_BENCH_RODS_HEIGHT_H

#include <math.h>

/// Steps between two looks, and parts of the time that are taken as independent.
enum { HEIGHT_EVERY = 100, HEIGHT_PARTS = 10 };

typedef struct height_figure {
  double mean, error; // m
} height_figure;

typedef struct height_series {
  long count, wanted;
  double sums[HEIGHT_PARTS];
  long many[HEIGHT_PARTS];
} height_series;

static inline height_series height_start(long steps) {
  return (height_series){.wanted = steps < HEIGHT_EVERY ? 1 : steps / HEIGHT_EVERY};
}

static inline void height_add(height_series *series, double height) {
  long part = series->count++ * HEIGHT_PARTS / series->wanted;
  if (part >= HEIGHT_PARTS) return;
  series->sums[part] += height;
  series->many[part]++;
}

static inline height_figure height_end(const height_series *series) {
  height_figure out = {0};
  double square = 0.0;
  for (int k = 0; k < HEIGHT_PARTS; k++) {
    if (series->many[k] == 0) return (height_figure){0};
    double mean = series->sums[k] / (double)series->many[k];
    out.mean += mean / HEIGHT_PARTS;
    square += mean * mean / HEIGHT_PARTS;
  }
  out.error = sqrt(fmax(0.0, square - out.mean * out.mean) / (HEIGHT_PARTS - 1));
  return out;
}

#endif
