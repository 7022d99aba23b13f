// SPDX-License-Identifier: MIT
// The variational equation over a step by series, by series.
#include "ode/variation.h"

#include "base/elementary.h"
#include "ode/stepper_parts.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { ORDER = CAROM_SERIES_DEGREE, LANES = CAROM_LANES, MOST_PARTS = 10000 };
// of a part of a step: error in units of rtol and rounding, and how far from it to stay
static const double EXACT = 0.1, ROUNDING = 1e-15, SAFETY = 0.9, SHRINK = 0.125;

/// A part of a step. Terms have rows of `width` numbers, columns and what fills the last lanes.
typedef struct part {
  int size, width, block; // block: numbers of a term
  const carom_slope_series *slopes;
  double *X;       // terms of Phi, from the power 0 on, in units of the part's length
  double *c;       // coefficients of the entries
  double *lengths; // how many of an entry are not zero
} part;

static int whole_lanes(int columns) { return (columns + LANES - 1) / LANES * LANES; }

size_t carom_variation_series_room(const carom_stepper *stepper, int size, int columns,
                                   int entries) {
  size_t block = (size_t)size * (size_t)whole_lanes(columns);
  return (ORDER + 1) * (block + (size_t)entries) + (size_t)stepper->n + (size_t)size;
}

// coefficients in units of h, and how many of them are not zero
static void scale_entries(const part *it, double h) {
  int degree = it->slopes->degree;
  for (int e = 0; e < it->slopes->count; e++) {
    double *c = it->c + e * degree, power = 1.0;
    it->lengths[e] = 0.0;
    for (int j = 0; j < degree; j++) {
      c[j] *= power;
      power *= h;
      if (c[j] != 0.0) it->lengths[e] = j + 1;
    }
  }
}

// X_(k+1) = h / (k+1) sum_j A_j X_(k-j), where the A_j hold the powers of h already; entries come
// row by row
CAROM_INLINE void expand(const part *it, double h) {
  const carom_slope_series *slopes = it->slopes;
  memset(it->X + it->block, 0, ORDER * (size_t)it->block * sizeof *it->X);
  for (int k = 0; k < ORDER; k++)
    for (int e = 0; e < slopes->count;) {
      int row = slopes->row[e], last = e;
      double *to = it->X + (k + 1) * it->block + row * it->width, factor = h / (k + 1);
      while (last < slopes->count && slopes->row[last] == row)
        last++;
      for (int b = 0; b < it->width; b += LANES) {
        carom_v4 sum = {0.0};
        for (int i = e; i < last; i++) {
          const double *a = it->c + i * slopes->degree;
          const double *from = it->X + k * it->block + slopes->column[i] * it->width + b;
          int terms = (int)it->lengths[i] <= k ? (int)it->lengths[i] : k + 1;
          for (int j = 0; j < terms; j++)
            sum += a[j] * v4_load(from - j * it->block);
        }
        v4_store(to + b, factor * sum);
      }
      e = last;
    }
}

// phi = sum of X_k part^k
CAROM_INLINE void add_up(const part *it, double length) {
  for (int b = 0; b < it->block; b += LANES) {
    carom_v4 sum = v4_load(it->X + ORDER * it->block + b);
    for (int k = ORDER - 1; k >= 0; k--)
      sum = sum * length + v4_load(it->X + k * it->block + b);
    v4_store(it->X + b, sum);
  }
}

#define FORMS(name, target)                                                                        \
  target static void expand_##name(const part *it, double h) { expand(it, h); }                    \
  target static void add_up_##name(const part *it, double length) { add_up(it, length); }
FORMS(plain, )
FORMS(wide, CAROM_WITH_AVX2)

// The largest entry of a term, with states in units of their weights and columns in those of the
// states they began with; NaN where one is not finite.
static double size_of(const part *it, int columns, const double *weight, int k) {
  double most = 0.0, sum = 0.0;
  for (int i = 0; i < it->size; i++) {
    const double *row = it->X + k * it->block + i * it->width;
    double per_weight = 1.0 / weight[i];
    for (int j = 0; j < columns; j++) {
      double size = fabs(row[j]) * weight[j] * per_weight;
      most = size > most ? size : most;
      sum += size;
    }
  }
  return isfinite(sum) ? most : NAN;
}

// which part of the unit of time the series reaches; NaN: it is not finite
static double reach_of(const part *it, int columns, const double *weight, double rtol) {
  double last = size_of(it, columns, weight, ORDER);
  double before = size_of(it, columns, weight, ORDER - 1);
  if (isnan(last) || isnan(before)) return NAN;
  double good = fmax(EXACT * rtol, ROUNDING) * size_of(it, columns, weight, 0);
  double reach = last > good ? carom_pow(good / last, 1.0 / ORDER) : 1.0;
  return before > good ? fmin(reach, carom_pow(good / before, 1.0 / (ORDER - 1))) : reach;
}

// Phi into the term of the power 0, and back
static void move_in(const part *it, int columns, const double *phi) {
  memset(it->X, 0, (size_t)it->block * sizeof *phi);
  for (int i = 0; i < it->size; i++)
    memcpy(it->X + i * it->width, phi + i * columns, (size_t)columns * sizeof *phi);
}

static void move_out(const part *it, int columns, double *phi) {
  for (int i = 0; i < it->size; i++)
    memcpy(phi + i * columns, it->X + i * it->width, (size_t)columns * sizeof *phi);
}

carom_status carom_variation_series(carom_stepper *s, int size, int columns,
                                    const carom_slope_series *slopes, double *phi, double *room) {
  return carom_variation_series_seen(s, size, columns, slopes, phi, room, NULL, NULL);
}

// With Phi = sum_k X_k taken^k and X_(m+1) = h/(m+1) sum_j A_j X_(m-j), rows a_k = d (row Phi)/d
// X_k are a_k = row taken^k + sum_(m >= k) h/(m+1) a_(m+1) A_(m-k); what is wanted is a_0.
static void pull_series(const carom_variation_part *over, int size, double *row, double *room) {
  double power = 1.0;
  for (int k = 0; k <= ORDER; k++) {
    for (int i = 0; i < size; i++)
      room[k * size + i] = row[i] * power;
    power *= over->taken;
  }
  for (int m = ORDER - 1; m >= 0; m--) {
    const double *from = room + (m + 1) * size;
    double factor = over->unit / (m + 1);
    int terms = over->degree <= m ? over->degree : m + 1;
    for (int e = 0; e < over->count; e++) {
      const double *c = over->c + e * over->degree;
      double b = factor * from[over->row[e]], *to = room + m * size + over->column[e];
      for (int j = 0; j < terms && b != 0.0; j++)
        to[-j * size] += b * c[j];
    }
  }
  memcpy(row, room, (size_t)size * sizeof *row);
}

void carom_variation_pull(const carom_variation_part *over, int size, double *row, double *room) {
  if (over->stages)
    carom_variation_pull_stages(over, size, row, room);
  else
    pull_series(over, size, row, room);
}

carom_status carom_variation_series_seen(carom_stepper *s, int size, int columns,
                                         const carom_slope_series *slopes, double *phi,
                                         double *room, carom_part_seen seen, void *ctx) {
  assert(size > 0 && columns > 0);
  int width = whole_lanes(columns), block = size * width, count = slopes->count;
  double *c = room + (ORDER + 1) * block, *y = c + (ORDER + 1) * count, *weight = y + s->n;
  part it = {size, width, block, slopes, room, c, c + slopes->degree * count};
  double at = 0.0, length = 1.0; // in units of the step
  memcpy(y, s->y, (size_t)s->n * sizeof *y);
  for (int i = 0; i < size; i++)
    weight[i] = carom_stepper_weight(s, i, fmax(fabs(s->y[i]), fabs(s->y1[i]))) + 1e-300;
  move_in(&it, columns, phi);
  for (int parts = 0; at < 1.0; parts++) {
    if (parts == MOST_PARTS) return CAROM_ERR_NO_CONVERGENCE;
    carom_status status = slopes->coefficients(slopes->ctx, s->t + at * s->h, y, c);
    if (status != CAROM_OK) return status;
    scale_entries(&it, length * s->h);
    (s->wide ? expand_wide : expand_plain)(&it, length * s->h);
    double reach = reach_of(&it, columns, weight, s->options.rtol);
    if (isnan(reach)) {
      length *= SHRINK;
      continue;
    }
    double taken = reach < 1.0 ? SAFETY * reach : 1.0;
    const carom_variation_part told = {.count = count,
                                       .degree = slopes->degree,
                                       .row = slopes->row,
                                       .column = slopes->column,
                                       .c = c,
                                       .unit = length * s->h,
                                       .taken = taken};
    if (seen && !seen(ctx, &told)) return CAROM_ERR_MEMORY;
    (s->wide ? add_up_wide : add_up_plain)(&it, taken);
    // what is left is taken at once where it may be
    at = taken == 1.0 && length >= 1.0 - at ? 1.0 : at + taken * length;
    length = fmin(2.0 * taken * length, 1.0 - at);
    if (at < 1.0) {
      status = carom_stepper_dense(s, NULL);
      if (status != CAROM_OK) return status;
      carom_dense_eval(s, at, y, NULL, NULL);
    }
  }
  move_out(&it, columns, phi);
  return CAROM_OK;
}
