// SPDX-License-Identifier: MIT
/// Derivatives of maps that have no formula: outcomes of impacts with friction, contact forces.
#include "hybrid/tangent.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 7, POINTS = 5, MOST_OUTPUTS = 1024 };
static const double FIRST_STEP = 1e-3, LEAST_SIZE = 0.1, SHRINK = 0.125, GOOD = 1e-12;
static const double SMALLER = 100.0;  // run.atol/run.rtol where units are smaller than that
static const double ROUNDING = 2e-15; // of the values: two estimates differ by that over their step
static const double NOTHING = 1e-290; // of a direction: its inverse would be infinite
static const double NEAR = 1e-4;      // of their size: estimates on one smooth piece are as near

// one column: which way state and time move, from where, the values met
typedef struct column {
  const carom_tangent_map *map;
  double t;
  const double *from;
  double *y; // from, moved
  int size;
  const double *direction; // of the state; NULL: one input, or none
  int input;               // -1: none
  double time;             // how far time moves with it
  int side;                // +1, -1: the map is defined on this side alone; 0: on both
  uint64_t branch;
  double *values; // [POINTS][count], at -2, -1, 0, +1, +2 steps; on one side at 1, 2, 0, 3, 4
} column;

static double *value_at(const column *c, int point) { return c->values + point * c->map->count; }

static void displace_input(column *c, double shift) {
  if (c->input >= 0) c->y[c->input] = c->from[c->input] + shift;
  for (int i = 0; i < c->size && c->direction; i++)
    c->y[i] = c->from[i] + shift * c->direction[i];
}

// false: another branch
static carom_status evaluate_point(column *c, int point, double step, bool *same) {
  int places = c->side == 0 ? point - 2 : c->side * (point < 2 ? point + 1 : point);
  double shift = places * step;
  uint64_t branch = 0;
  displace_input(c, shift);
  carom_status status =
      c->map->value(c->map, c->t + shift * c->time, c->y, value_at(c, point), &branch);
  displace_input(c, 0.0);
  *same = branch == c->branch;
  return status;
}

// central differences of order 4
static void central_difference(const column *c, double step, double *out) {
  const double *a = value_at(c, 0), *b = value_at(c, 1), *d = value_at(c, 3), *e = value_at(c, 4);
  for (int i = 0; i < c->map->count; i++)
    out[i] = (8.0 * (d[i] - b[i]) - (e[i] - a[i])) / (12.0 * step);
}

// differences of order 4 on the side where the map is defined
static void forward_difference(const column *c, double step, double *out) {
  const double *a = value_at(c, 0), *b = value_at(c, 1), *o = value_at(c, 2);
  const double *d = value_at(c, 3), *e = value_at(c, 4);
  for (int i = 0; i < c->map->count; i++)
    out[i] =
        c->side *
        (48.0 * (a[i] - o[i]) - 36.0 * (b[i] - o[i]) + 16.0 * (d[i] - o[i]) - 3.0 * (e[i] - o[i])) /
        (12.0 * step);
}

// order 2 on the side (+1 or -1) where the branch stays
static void sided_difference(const column *c, double step, int side, double *out) {
  const double *a = value_at(c, 2), *b = value_at(c, 2 + side), *d = value_at(c, 2 + 2 * side);
  for (int i = 0; i < c->map->count; i++)
    out[i] = side * (4.0 * (b[i] - a[i]) - (d[i] - a[i])) / (2.0 * step);
}

// values at all points; the first failure below and above
static void evaluate_all(column *c, double step, bool *same, carom_status *failed) {
  failed[0] = failed[1] = CAROM_OK;
  for (int p = 0; p < POINTS; p++) {
    carom_status status = p == 2 ? CAROM_OK : evaluate_point(c, p, step, &same[p]);
    if (status != CAROM_OK && failed[p > 2] == CAROM_OK) failed[p > 2] = status;
  }
}

// One estimate; `clean`: all points lie on one branch. Where the map is defined on one side alone
// (a restitution of 1, a friction of 0: there is no more and no less) points are taken there.
static carom_status estimate_slope(column *c, double step, double *out, bool *clean) {
  bool same[POINTS] = {true, true, true, true, true};
  carom_status failed[2];
  evaluate_all(c, step, same, failed);
  if (c->side == 0 && (failed[0] == CAROM_OK) != (failed[1] == CAROM_OK)) {
    c->side = failed[0] == CAROM_OK ? -1 : 1;
    evaluate_all(c, step, same, failed);
  }
  if (failed[0] != CAROM_OK || failed[1] != CAROM_OK)
    return failed[0] != CAROM_OK ? failed[0] : failed[1];
  *clean = same[0] && same[1] && same[3] && same[4];
  if (c->side != 0)
    forward_difference(c, step, out);
  else if (*clean || !((same[3] && same[4]) || (same[0] && same[1])))
    central_difference(c, step, out);
  else
    sided_difference(c, step, same[3] && same[4] ? 1 : -1, out);
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

// how far rounding of the values may move an estimate
static double rounding_of(const column *c, double step) {
  double most = 0.0;
  for (int i = 0; i < c->map->count; i++)
    most = fmax(most, fabs(value_at(c, 2)[i]));
  return ROUNDING * most / step;
}

// Steps shrink as long as two estimates come nearer to each other: then rounding takes over. Where
// they are not near at all the points of the longer step reach over a jump. Of estimates that
// differ by rounding alone the one with the longer step is kept: slow impacts multiply its error by
// the inverse of their speed. Rounding alone it is where the next change is larger by as much as
// the step was shorter.
static carom_status find_column(column *c, double step, double *best, long *one_sided) {
  int count = c->map->count;
  size_t bytes = (size_t)count * sizeof *best;
  double now[MOST_OUTPUTS], next[MOST_OUTPUTS], longer[MOST_OUTPUTS];
  double last = INFINITY, least = INFINITY, size;
  bool clean = true, next_clean = true;
  c->side = 0;
  carom_status status = estimate_slope(c, step, now, &clean);
  memcpy(best, now, bytes);
  memcpy(longer, now, bytes);
  for (int round = 0; status == CAROM_OK && round < ROUNDS; round++) {
    step *= SHRINK;
    status = estimate_slope(c, step, next, &next_clean);
    if (status != CAROM_OK) break;
    double change = largest_difference(count, next, now, &size);
    bool rounded = clean && change <= fmax(GOOD * size, rounding_of(c, step));
    if (clean && change >= last && least <= NEAR * size) {
      if (last == least && least <= 2.0 * SHRINK * change) memcpy(best, longer, bytes);
      break;
    }
    if (!clean || change < least) {
      memcpy(best, rounded ? now : next, bytes);
      memcpy(longer, now, bytes);
    }
    if (rounded) break;
    if (clean) least = fmin(least, change);
    last = clean ? change : INFINITY;
    clean = next_clean;
    memcpy(now, next, bytes);
  }
  if (!clean || c->side != 0) (*one_sided)++;
  return status;
}

static carom_status begin_column(column *c, const carom_tangent_map *map, double t,
                                 const double *y) {
  carom_hybrid *it = map->it;
  if (map->count > MOST_OUTPUTS) return CAROM_ERR_LIMIT;
  double *moved = it->clients.tangent->columns;
  memcpy(moved, y, (size_t)it->size * sizeof *y);
  *c = (column){.map = map,
                .t = t,
                .from = y,
                .y = moved,
                .size = it->clients.tangent->size,
                .input = -1,
                .values = moved + it->size};
  return map->value(map, t, moved, value_at(c, 2), &c->branch);
}

// Absolute tolerances tell of units in which all is small.
static double size_of(const column *c, int i) {
  const carom_hybrid *it = c->map->it;
  return fmax(fabs(c->from[i]), fmin(LEAST_SIZE, SMALLER * it->run.atol / it->run.rtol));
}

carom_status carom_tangent_difference(const carom_tangent_map *map, double t, const double *y,
                                      double *D, double *D_time, long *one_sided) {
  double found[MOST_OUTPUTS];
  column c;
  carom_status status = begin_column(&c, map, t, y);
  for (int i = D_time ? -1 : 0; status == CAROM_OK && i < c.size; i++) {
    c.input = i;
    c.time = i < 0 ? 1.0 : 0.0;
    double step = FIRST_STEP * (i < 0 ? carom_hybrid_time_scale(map->it) : size_of(&c, i));
    status = find_column(&c, step, found, one_sided);
    for (int k = 0; k < map->count && status == CAROM_OK; k++)
      *(i < 0 ? D_time + k : D + k * c.size + i) = found[k];
  }
  return status;
}

// along a direction of state and time, from where the column has begun
static carom_status go_along(column *c, const double *direction, double time, double *out,
                             long *one_sided) {
  double most = fabs(time) / carom_hybrid_time_scale(c->map->it);
  for (int i = 0; i < c->size; i++)
    most = fmax(most, fabs(direction[i]) / size_of(c, i));
  memset(out, 0, (size_t)c->map->count * sizeof *out);
  if (!(most > NOTHING)) return CAROM_OK;
  c->direction = direction;
  c->time = time;
  return find_column(c, FIRST_STEP / most, out, one_sided);
}

carom_status carom_tangent_along(const carom_tangent_map *map, double t, const double *y,
                                 const double *direction, double time, double *out,
                                 long *one_sided) {
  column c;
  carom_status status = begin_column(&c, map, t, y);
  return status == CAROM_OK ? go_along(&c, direction, time, out, one_sided) : status;
}

static bool is_shift(const carom_tangent_map *map, int i) {
  const carom_mechanics *m = map->it->model->mechanics;
  return map->shifts && m && i < m->nq && m->cyclic[i];
}

carom_status carom_tangent_along_all(const carom_tangent_map *map, double t, const double *y,
                                     double *ways, const double *late, long *one_sided) {
  column c;
  carom_status status = begin_column(&c, map, t, y);
  double way[MOST_OUTPUTS], made[MOST_OUTPUTS];
  for (int j = 0; status == CAROM_OK && j < c.size; j++) {
    for (int i = 0; i < c.size; i++)
      way[i] = is_shift(map, i) ? 0.0 : ways[i * c.size + j];
    status = go_along(&c, way, late[j], made, one_sided);
    for (int i = 0; i < c.size && status == CAROM_OK; i++)
      ways[i * c.size + j] = is_shift(map, i) ? made[i] + ways[i * c.size + j] : made[i];
  }
  return status;
}
