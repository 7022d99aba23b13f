// SPDX-License-Identifier: MIT
#include "symbolic/table.h"

#include <assert.h>
#include <float.h>

// One piece of the interpolant, in the fraction t in [0, 1] of its length:
//   f = (1-w) y0 + w y1 + h t (1-t) ((1-t) m0 - t m1),   w = t^2 (3 - 2 t).
typedef struct piece {
  double x0, h, y0, y1, m0, m1;
} piece;

static piece piece_of(const carom_table *table, int k) {
  assert(0 <= k && k + 1 < table->count);
  return (piece){table->x[k],     table->x[k + 1] - table->x[k],
                 table->y[k],     table->y[k + 1],
                 table->slope[k], table->slope[k + 1]};
}

static double piece_value(piece p, double t) {
  double r = 1.0 - t, w = t * t * (3.0 - 2.0 * t);
  return ((1.0 - w) * p.y0 + w * p.y1) + p.h * (t * r) * (r * p.m0 - t * p.m1);
}

static double piece_slope(piece p, double t) {
  double r = 1.0 - t, secant = (p.y1 - p.y0) / p.h;
  return 6.0 * (t * r) * secant + (r * (1.0 - 3.0 * t) * p.m0 + t * (3.0 * t - 2.0) * p.m1);
}

static double piece_curve(piece p, double t) {
  double secant = (p.y1 - p.y0) / p.h;
  return (6.0 * (1.0 - 2.0 * t) * secant + ((6.0 * t - 4.0) * p.m0 + (6.0 * t - 2.0) * p.m1)) / p.h;
}

// the piece k with x[k] <= x < x[k+1]; the last piece also owns its right end
static int find_piece(const carom_table *table, double x) {
  int low = 0, high = table->count - 1;
  while (high - low > 1) {
    int middle = low + (high - low) / 2;
    if (table->x[middle] <= x)
      low = middle;
    else
      high = middle;
  }
  return low;
}

static bool is_outside(const carom_table *table, double x) {
  return table->count < 2 || x < table->x[0] || x > table->x[table->count - 1];
}

double carom_table_value(const carom_table *table, double x) {
  if (isnan(x)) return x;
  if (x <= table->x[0] || table->count < 2) return table->y[0];
  if (x >= table->x[table->count - 1]) return table->y[table->count - 1];
  piece p = piece_of(table, find_piece(table, x));
  return piece_value(p, (x - p.x0) / p.h);
}

static double slope_within(const carom_table *table, double x,
                           double (*of_piece)(piece p, double t)) {
  if (isnan(x)) return x;
  if (is_outside(table, x)) return 0.0;
  piece p = piece_of(table, find_piece(table, x));
  return of_piece(p, (x - p.x0) / p.h);
}

double carom_table_slope(const carom_table *table, double x) {
  return slope_within(table, x, piece_slope);
}

double carom_table_curve(const carom_table *table, double x) {
  return slope_within(table, x, piece_curve);
}

static carom_interval include_value(carom_interval box, double v) {
  return (carom_interval){fmin(box.lo, v), fmax(box.hi, v)};
}

// Bounds of one piece (order 0), its derivative (1) or second derivative (2) for t in [a, b]: the
// polynomial lies in the hull of its Bezier control points on [a, b] (Farin 2002, section 4.3).
static carom_interval piece_bounds(piece p, double a, double b, int order) {
  double length = (b - a) * p.h, scale = fmax(fabs(p.y0), fabs(p.y1));
  double steep = fmax(fmax(fabs(p.m0), fabs(p.m1)), fabs((p.y1 - p.y0) / p.h));
  carom_interval box;
  if (order == 0) {
    double fa = piece_value(p, a), fb = piece_value(p, b);
    box = include_value(carom_interval_point(fa), fb);
    box = include_value(box, fa + length * piece_slope(p, a) / 3.0);
    box = include_value(box, fb - length * piece_slope(p, b) / 3.0);
    scale += p.h * steep;
  } else if (order == 1) {
    double fa = piece_slope(p, a), fb = piece_slope(p, b);
    box = include_value(carom_interval_point(fa), fb);
    box = include_value(box, fa + length * piece_curve(p, a) / 2.0);
    scale = steep;
  } else {
    box = include_value(carom_interval_point(piece_curve(p, a)), piece_curve(p, b));
    scale = steep / p.h;
  }

  // rounding of the formulas above: a few dozen operations on terms of this size
  double slack = 64.0 * DBL_EPSILON * scale + DBL_MIN;
  return (carom_interval){box.lo - slack, box.hi + slack};
}

static double clamp_unit(double t) { return t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t; }

static carom_interval table_bounds(const carom_table *table, carom_interval x, int order) {
  int last = table->count - 1;
  carom_interval box = {INFINITY, -INFINITY};

  // the constant parts on both sides
  if (table->count < 2 || x.lo < table->x[0])
    box = include_value(box, order == 0 ? table->y[0] : 0.0);
  if (table->count >= 2 && x.hi > table->x[last])
    box = include_value(box, order == 0 ? table->y[last] : 0.0);
  if (table->count < 2 || x.hi < table->x[0] || x.lo > table->x[last]) return box;

  // every piece the interval touches; at a point both neighbours count, whichever side is meant
  int first = find_piece(table, x.lo);
  if (first > 0 && x.lo == table->x[first]) first--;
  for (int k = first; k < last && table->x[k] <= x.hi; k++) {
    piece p = piece_of(table, k);
    double a = clamp_unit((x.lo - p.x0) / p.h), b = clamp_unit((x.hi - p.x0) / p.h);
    carom_interval part = piece_bounds(p, a, b, order);
    box = include_value(include_value(box, part.lo), part.hi);
  }
  return box;
}

carom_interval carom_table_value_bounds(const carom_table *table, carom_interval x) {
  return table_bounds(table, x, 0);
}

carom_interval carom_table_slope_bounds(const carom_table *table, carom_interval x) {
  return table_bounds(table, x, 1);
}

carom_interval carom_table_curve_bounds(const carom_table *table, carom_interval x) {
  return table_bounds(table, x, 2);
}
