// SPDX-License-Identifier: MIT
/// Turns as a map of the plane, and its saddles by Newton's method with the derivatives of tangent
/// dynamics. Of a system without drive a turn may last any time: first a short one, by which
/// equilibria are found, then one in which neighbours part or meet by the factor e.
#include "analysis/manifold_parts.h"
#include "analysis/orbit_map.h"
#include "base/elementary.h"

#include <math.h>
#include <string.h>

static const double SHORT = 1e-3;      // of the run: the first turn without drive
static const double LONGEST = 0.2;     // step of Newton's method
static const double FOUND = 1e-10;     // step at which it is there
static const double NEARLY = 1e-7;     // and at which it is where steps grow no smaller
static const double OUTSIDE = 0.1;     // how far a saddle may lie beyond the box
static const double HYPERBOLIC = 1e-6; // multipliers nearer to the circle are on it

static carom_status find_components(carom_box_map *it, carom_error *error) {
  const carom_axis *axes = it->options->axes;
  int size = 0;
  (void)carom_simulation_state(it->simulation, &size);
  if (size != 2)
    return carom_fail(error, CAROM_ERR_UNSUPPORTED,
                      "manifolds are drawn in the plane of a state of two numbers; this one has %d",
                      size);
  for (int k = 0; k < 2; k++) {
    it->component[k] = -1;
    for (int i = 0; i < size; i++)
      if (strcmp(carom_simulation_column(it->simulation, i), axes[k].name) == 0)
        it->component[k] = i;
    it->low[k] = axes[k].values[0];
    it->width[k] = axes[k].values[axes[k].count - 1] - axes[k].values[0];
    if (it->component[k] < 0 || it->width[k] == 0.0)
      return carom_fail(error, CAROM_ERR_ARGUMENT,
                        "'%s' must be one of the two numbers of the state, with a range",
                        axes[k].name);
  }
  if (it->component[0] == it->component[1])
    return carom_fail(error, CAROM_ERR_ARGUMENT, "'%s' is on both axes", axes[0].name);
  return CAROM_OK;
}

static carom_status find_turn(carom_box_map *it, carom_error *error) {
  const carom_engine_turns *turns = &it->simulation->model->engine->turns;
  if (!turns->place || !carom_tangent_supported(it->simulation->model))
    return carom_fail(error, CAROM_ERR_UNSUPPORTED, "this engine has no derivatives of turns");
  double drive = 0.0;
  bool autonomous = turns->autonomous && turns->autonomous(it->simulation);
  it->start = carom_simulation_time(it->simulation);
  carom_status status = autonomous ? CAROM_OK : carom_orbit_drive(it->simulation, &drive, error);
  if (status != CAROM_OK) return status;
  double lasts = carom_simulation_until(it->simulation) - it->start;
  it->period = autonomous ? SHORT * lasts : it->options->turns * drive;
  if (turns->unobserved) turns->unobserved(it->simulation);
  return CAROM_OK;
}

carom_status carom_box_map_begin(const carom_manifold_options *options, carom_box_map *map,
                                 carom_error *error) {
  *map = (carom_box_map){.options = options};
  carom_status status = carom_simulation_create(options->model, &map->simulation, error);
  if (status == CAROM_OK && options->value_count > 0)
    status =
        carom_simulation_set_all(map->simulation, options->value_count, options->values, error);
  if (status == CAROM_OK) status = find_components(map, error);
  if (status == CAROM_OK) status = find_turn(map, error);
  return status;
}

void carom_box_map_end(carom_box_map *map) { carom_simulation_destroy(map->simulation); }

// the motion from a place at time `begin` for so long
static bool move_for(carom_box_map *it, carom_place_in_box from, double begin, double lasts,
                     carom_place_in_box *to, double *slope) {
  const carom_engine *engine = it->simulation->model->engine;
  double y[2], at[2] = {from.x, from.y};
  int size = 0;
  for (int k = 0; k < 2; k++)
    y[it->component[k]] = it->low[k] + at[k] * it->width[k];
  if (!slope) carom_tangent_end(it->simulation);
  if (engine->turns.place(it->simulation, begin, y, 0, NULL) != CAROM_OK) return false;
  if (slope && carom_tangent_begin(it->simulation, NULL) != CAROM_OK) return false;
  if (carom_simulation_advance(it->simulation, begin + lasts, NULL) != CAROM_OK) return false;
  const double *z = carom_simulation_state(it->simulation, NULL);
  to->x = (z[it->component[0]] - it->low[0]) / it->width[0];
  to->y = (z[it->component[1]] - it->low[1]) / it->width[1];
  const double *matrix = slope ? carom_tangent_matrix(it->simulation, &size) : NULL;
  for (int i = 0; i < 2 && matrix; i++)
    for (int j = 0; j < 2; j++)
      slope[2 * i + j] =
          matrix[size * it->component[i] + it->component[j]] * it->width[j] / it->width[i];
  return isfinite(to->x) && isfinite(to->y) && (!slope || matrix);
}

bool carom_box_turn(carom_box_map *it, carom_place_in_box from, int count, carom_place_in_box *to,
                    double *slope) {
  return move_for(it, from, it->start, count * it->period, to, slope);
}

// ---- saddles

static carom_place_in_box unit_of(double x, double y) {
  double length = sqrt(x * x + y * y);
  // of the two the one that points to the right, or up
  if (x < 0.0 || (x == 0.0 && y < 0.0)) length = -length;
  return (carom_place_in_box){x / length, y / length};
}

// a vector that (J - m) maps to zero: across the longer one of its rows
static carom_place_in_box vector_to(const double *J, double m) {
  double a = J[0] - m, b = J[1], c = J[2], d = J[3] - m;
  return a * a + b * b > c * c + d * d ? unit_of(-b, a) : unit_of(-d, c);
}

static bool tell_saddle(const double *J, carom_box_saddle *saddle) {
  double half = (J[0] + J[3]) / 2.0, det = J[0] * J[3] - J[1] * J[2], square = half * half - det;
  if (!(square > 0.0)) return false;
  double root = sqrt(square), large = half < 0.0 ? half - root : half + root;
  saddle->unstable = large;
  saddle->stable = det / large;
  const double transposed[4] = {J[0], J[2], J[1], J[3]};
  saddle->out = vector_to(J, large);
  saddle->in = vector_to(J, saddle->stable);
  saddle->left = vector_to(transposed, large);
  return fabs(large) > 1.0 + HYPERBOLIC && fabs(saddle->stable) < 1.0 - HYPERBOLIC;
}

// ---- Newton's method

enum { LEGS = 8, ROUNDS = 40 };

/// A turn in parts, each with a place of its own where it begins (multiple shooting): a saddle that
/// throws neighbours far in a turn throws them less far in an eighth of it.
typedef struct legs {
  carom_place_in_box at[LEGS];
  double slope[LEGS][4];
  carom_place_in_box gap[LEGS]; // from where the next leg begins to where this one ends
} legs;

static bool move_legs(carom_box_map *it, legs *l) {
  double lasts = it->period / LEGS;
  for (int k = 0; k < LEGS; k++) {
    carom_place_in_box end, next = l->at[(k + 1) % LEGS];
    if (!move_for(it, l->at[k], it->start + k * lasts, lasts, &end, l->slope[k])) return false;
    l->gap[k] = (carom_place_in_box){end.x - next.x, end.y - next.y};
  }
  return true;
}

static carom_place_in_box apply_matrix(const double *A, carom_place_in_box v,
                                       carom_place_in_box more) {
  return (carom_place_in_box){A[0] * v.x + A[1] * v.y + more.x, A[2] * v.x + A[3] * v.y + more.y};
}

// The step of the first leg, d = M d + c of all legs put together; the others follow from it.
static bool first_step(const legs *l, carom_place_in_box *step) {
  const carom_place_in_box none = {0.0, 0.0};
  carom_place_in_box c = none, one = {1.0, 0.0}, other = {0.0, 1.0};
  for (int k = 0; k < LEGS; k++) {
    c = apply_matrix(l->slope[k], c, l->gap[k]);
    one = apply_matrix(l->slope[k], one, none);
    other = apply_matrix(l->slope[k], other, none);
  }
  double a = 1.0 - one.x, b = -other.x, d = -one.y, e = 1.0 - other.y, det = a * e - b * d;
  *step = (carom_place_in_box){(e * c.x - b * c.y) / det, (a * c.y - d * c.x) / det};
  return isfinite(step->x) && isfinite(step->y);
}

static double step_legs(legs *l, carom_place_in_box step) {
  carom_place_in_box steps[LEGS];
  double largest = 0.0;
  for (int k = 0; k < LEGS; k++) {
    steps[k] = step;
    largest = fmax(largest, sqrt(step.x * step.x + step.y * step.y));
    step = apply_matrix(l->slope[k], step, l->gap[k]);
  }
  double part = largest > LONGEST ? LONGEST / largest : 1.0;
  for (int k = 0; k < LEGS; k++) {
    l->at[k].x += part * steps[k].x;
    l->at[k].y += part * steps[k].y;
  }
  return largest;
}

// P(u) = u, from a start at which all legs are at rest; false: it does not come to one near the box
static bool close_turn(carom_box_map *it, carom_place_in_box *u) {
  legs l;
  double last = INFINITY;
  for (int k = 0; k < LEGS; k++)
    l.at[k] = *u;
  for (int round = 0; round < ROUNDS; round++) {
    carom_place_in_box step;
    if (!move_legs(it, &l) || !first_step(&l, &step)) return false;
    double length = step_legs(&l, step);
    double out = fmax(fabs(l.at[0].x - 0.5), fabs(l.at[0].y - 0.5)) - 0.5;
    if (!isfinite(length) || !(out < 1.0)) return false;
    *u = l.at[0];
    if (length < FOUND || (length < NEARLY && length >= last)) return out < OUTSIDE;
    last = length;
  }
  return false;
}

bool carom_box_saddle_find(carom_box_map *it, carom_place_in_box from, carom_box_saddle *saddle) {
  const carom_engine_turns *turns = &it->simulation->model->engine->turns;
  double J[4], period = it->period;
  saddle->at = from;
  carom_place_in_box end;
  bool autonomous = turns->autonomous && turns->autonomous(it->simulation);
  bool found = close_turn(it, &saddle->at) && carom_box_turn(it, saddle->at, 1, &end, J) &&
               tell_saddle(J, saddle);
  if (found && autonomous) {
    double rate =
        fmax(fabs(carom_log(fabs(saddle->unstable))), fabs(carom_log(fabs(saddle->stable))));
    it->period = period / rate;
    found = carom_box_turn(it, saddle->at, 1, &end, J) && tell_saddle(J, saddle);
  }
  // where a side is mapped to the other one, two turns are one
  if (found && (saddle->unstable < 0.0 || saddle->stable < 0.0)) {
    it->period *= 2.0;
    found = carom_box_turn(it, saddle->at, 1, &end, J) && tell_saddle(J, saddle);
  }
  saddle->period = it->period;
  it->period = period;
  return found;
}
