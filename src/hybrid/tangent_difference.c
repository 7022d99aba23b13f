// SPDX-License-Identifier: MIT
/// Derivatives of maps that have no formula: outcomes of impacts with friction, contact forces.
#include "hybrid/tangent.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 7, POINTS = 5, MOST_OUTPUTS = 64 };
static const double FIRST_STEP = 1e-3, LEAST_SIZE = 0.1, SHRINK = 0.125, GOOD = 1e-12;

// one column: which input moves, from where, the values met
typedef struct column {
  const carom_tangent_map *map;
  double t;
  double *y;
  int input; // -1: time
  uint64_t branch;
  double *values; // [POINTS][count], at -2, -1, 0, +1, +2 steps
} column;

static double *value_at(const column *c, int point) { return c->values + point * c->map->count; }

// false: another branch
static carom_status evaluate(column *c, int point, double step, bool *same) {
  double shift = (point - 2) * step, kept = c->input >= 0 ? c->y[c->input] : 0.0;
  uint64_t branch = 0;
  if (c->input >= 0) c->y[c->input] = kept + shift;
  double t = c->input >= 0 ? c->t : c->t + shift;
  carom_status status = c->map->value(c->map, t, c->y, value_at(c, point), &branch);
  if (c->input >= 0) c->y[c->input] = kept;
  *same = branch == c->branch;
  return status;
}

// central differences of order 4
static void central(const column *c, double step, double *out) {
  const double *a = value_at(c, 0), *b = value_at(c, 1), *d = value_at(c, 3), *e = value_at(c, 4);
  for (int i = 0; i < c->map->count; i++)
    out[i] = (8.0 * (d[i] - b[i]) - (e[i] - a[i])) / (12.0 * step);
}

// order 2 on the side (+1 or -1) where the branch stays
static void sided(const column *c, double step, int side, double *out) {
  const double *a = value_at(c, 2), *b = value_at(c, 2 + side), *d = value_at(c, 2 + 2 * side);
  for (int i = 0; i < c->map->count; i++)
    out[i] = side * (4.0 * (b[i] - a[i]) - (d[i] - a[i])) / (2.0 * step);
}

// one estimate; `clean`: all points lie on one branch
static carom_status estimate(column *c, double step, double *out, bool *clean) {
  bool same[POINTS] = {true, true, true, true, true};
  for (int p = 0; p < POINTS; p++) {
    if (p == 2) continue;
    carom_status status = evaluate(c, p, step, &same[p]);
    if (status != CAROM_OK) return status;
  }
  *clean = same[0] && same[1] && same[3] && same[4];
  if (*clean || !((same[3] && same[4]) || (same[0] && same[1])))
    central(c, step, out);
  else
    sided(c, step, same[3] && same[4] ? 1 : -1, out);
  return CAROM_OK;
}

static double largest_difference(int count, const double *a, const double *b, double *size) {
  double most = 0.0;
  *size = 0.0;
  for (int i = 0; i < count; i++) {
    most = fmax(most, fabs(a[i] - b[i]));
    *size = fmax(*size, fabs(a[i]));
  }
  return most;
}

// Steps shrink as long as two estimates come nearer to each other: then rounding takes over.
static carom_status find_column(column *c, double step, double *best, long *one_sided) {
  int count = c->map->count;
  double next[MOST_OUTPUTS], last = INFINITY, size;
  bool clean, next_clean;
  carom_status status = estimate(c, step, best, &clean);
  for (int round = 0; status == CAROM_OK && round < ROUNDS; round++) {
    step *= SHRINK;
    status = estimate(c, step, next, &next_clean);
    if (status != CAROM_OK) break;
    double change = largest_difference(count, next, best, &size);
    if (clean && change >= last) break;
    bool done = clean && change <= GOOD * size;
    if (done) break; // the longer step has less rounding
    memcpy(best, next, (size_t)count * sizeof *best);
    last = clean ? change : INFINITY;
    clean = next_clean;
  }
  if (!clean) (*one_sided)++;
  return status;
}

carom_status carom_tangent_difference(const carom_tangent_map *map, double t, const double *y,
                                      double *D, double *D_time, long *one_sided) {
  carom_hybrid *it = map->it;
  int size = it->tangent->size, count = map->count;
  if (count > MOST_OUTPUTS) return CAROM_ERR_LIMIT;
  double *moved = it->tangent->columns, *values = moved + it->size;
  double found[MOST_OUTPUTS];
  memcpy(moved, y, (size_t)it->size * sizeof *y);
  column c = {.map = map, .t = t, .y = moved, .input = -1, .values = values};
  carom_status status = map->value(map, t, moved, value_at(&c, 2), &c.branch);
  for (int i = D_time ? -1 : 0; status == CAROM_OK && i < size; i++) {
    double step = i < 0 ? FIRST_STEP * it->now.h : FIRST_STEP * fmax(fabs(y[i]), LEAST_SIZE);
    c.input = i;
    status = find_column(&c, step, found, one_sided);
    for (int k = 0; k < count && status == CAROM_OK; k++)
      *(i < 0 ? D_time + k : D + k * size + i) = found[k];
  }
  return status;
}
