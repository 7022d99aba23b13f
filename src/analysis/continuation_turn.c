// SPDX-License-Identifier: MIT
/// Where a branch turns back: a fold, the apex of a pitchfork, the birth of a cycle.
#include "analysis/follower.h"

#include "base/elementary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 40 };
static const double FAR_ASIDE = 0.008; // of the branch's size
static const double NEARBY = 1e-2;     // of the range of the parameter
static const double FIRST_TIME = 0.02; // of the period
static const double ON_AXIS = 1e-14;   // |multiplier| - 1: rounding
static const double ROUNDED = 1e-7;    // of the range of the parameter
static const double SHRUNK = 0.05;     // way of a turn, in units of the motion's size
static const double PI = 3.14159265358979323846;

/// The cubic with given values and slopes at the ends of an interval of length h.
typedef struct cubic {
  double value, linear, square, cube; // in t from 0 to 1
} cubic;

static cubic cubic_between(double a, double slope_a, double b, double slope_b, double h) {
  double rise = b - a;
  return (cubic){a, h * slope_a, 3.0 * rise - h * (2.0 * slope_a + slope_b),
                 h * (slope_a + slope_b) - 2.0 * rise};
}

static double cubic_value(const cubic *it, double t) {
  return it->value + t * (it->linear + t * (it->square + t * it->cube));
}

// where it is level, near the zero of the line between its slopes
static double cubic_level(const cubic *it, double t) {
  for (int round = 0; round < 6; round++) {
    double slope = it->linear + t * (2.0 * it->square + 3.0 * t * it->cube);
    t -= slope / (2.0 * it->square + 6.0 * t * it->cube);
  }
  return t;
}

// how fast the way along the branch is at a place, measured along the tangent of `here`
static double measure_pace(const carom_follower *it, const carom_branch_point *at) {
  double along = at->tangent_p * it->here.at.tangent_p;
  for (int k = 0; k < it->problem.count; k++)
    along += at->tangent[k] * it->here.at.tangent[k];
  return 1.0 / along;
}

/// Places on both sides of a turn, and where between them it is.
typedef struct sides {
  carom_station at[2];
  double width, part, p;
} sides;

// CAROM_ERR_NO_CONVERGENCE: the branch does not turn between the places `aside` of c.
static carom_status turn_between(carom_follower *it, double c, double aside, sides *found) {
  const carom_branch_point *a = &found->at[0].at, *b = &found->at[1].at;
  carom_status status = carom_follower_step(it, &it->here, c - aside, &found->at[0]);
  if (status == CAROM_OK) status = carom_follower_step(it, &it->here, c + aside, &found->at[1]);
  if (status != CAROM_OK) return status;
  if (!(a->tangent_p * b->tangent_p < 0.0) || !carom_station_kindred(&found->at[0], &found->at[1]))
    return CAROM_ERR_NO_CONVERGENCE;
  double scale = it->problem.scale_p;
  found->width = 2.0 * aside;
  cubic between = cubic_between(a->p, a->tangent_p * scale * measure_pace(it, a), b->p,
                                b->tangent_p * scale * measure_pace(it, b), found->width);
  found->part = cubic_level(&between, a->tangent_p / (a->tangent_p - b->tangent_p));
  found->p = cubic_value(&between, found->part);
  return found->part > 0.0 && found->part < 1.0 ? CAROM_OK : CAROM_ERR_NO_CONVERGENCE;
}

// the place at the turn, by cubics
static void take_turn(carom_follower *it, const sides *found, double p) {
  const carom_branch_point *a = &found->at[0].at, *b = &found->at[1].at;
  double first = measure_pace(it, a), last = measure_pace(it, b);
  it->special = found->at[0];
  for (int k = 0; k < it->problem.count; k++) {
    double scale = it->problem.scale[k];
    cubic between = cubic_between(a->x[k], a->tangent[k] * scale * first, b->x[k],
                                  b->tangent[k] * scale * last, found->width);
    it->special.at.x[k] = cubic_value(&between, found->part);
  }
  for (int k = 0; k < it->map->count; k++)
    it->special.orbit.state[it->map->which[k]] = it->special.at.x[k];
  it->special.at.p = p;
}

static bool same_sign(double a, double b) { return (a > 0.0 && b > 0.0) || (a < 0.0 && b < 0.0); }

// At a fold a multiplier passes 1. The branch of a pitchfork turns back where the symmetric one
// crosses it: there a multiplier comes to 1 and goes back. Equations are singular there and next to
// it are solved by places that are none, so that a zero of the tangent says little. Places farther
// off are known well: the turn is where two cubics, of which one reaches half as far, say that it
// is (the error of one is 16 times that of the other).
carom_status carom_follower_turn(carom_follower *it, double s, bool known, bool *apex) {
  sides *far = malloc(2 * sizeof *far);
  if (!far) return carom_fail_memory(it->error);
  sides *near = far + 1;
  carom_status status = turn_between(it, s, FAR_ASIDE, far);
  if (status == CAROM_OK) status = turn_between(it, s, 0.5 * FAR_ASIDE, near);
  *apex = status == CAROM_OK && same_sign(carom_test_value(&near->at[0], CAROM_TEST_ONE),
                                          carom_test_value(&near->at[1], CAROM_TEST_ONE));
  double p = status == CAROM_OK ? near->p + (near->p - far->p) / 15.0 : 0.0;
  if (*apex || (status == CAROM_OK && !known)) take_turn(it, near, p);
  free(far);
  return status == CAROM_STOP_USER || !known ? status : CAROM_OK;
}

// --- the birth of a cycle

static double length_of(int n, const double *v) {
  double square = 0.0;
  for (int k = 0; k < n; k++)
    square += v[k] * v[k];
  return sqrt(square);
}

double carom_follower_way(const carom_follower *it, const carom_station *place) {
  return length_of(it->map->count, place->rate) * it->here.orbit.is.period;
}

bool carom_follower_shrunk(const carom_follower *it, const carom_station *place) {
  return carom_orbit_has_period(it->map) && carom_follower_way(it, place) < 2.0 * SHRUNK;
}

// it has come out on the other side, or is smaller than a step
bool carom_follower_vanishes(const carom_follower *it) {
  double along = 0.0;
  for (int k = 0; k < it->map->count; k++)
    along += it->here.rate[k] * it->next.rate[k];
  double slowest = fmin(carom_follower_way(it, &it->here), carom_follower_way(it, &it->next));
  return carom_orbit_has_period(it->map) && (along < 0.0 || slowest < SHRUNK);
}

// the equilibrium at p from the guess in `place`, and how far its pair is from the axis
static carom_status look_at(carom_follower *rest, carom_station *place, double p, double *value) {
  place->at.p = p;
  carom_status status = carom_follower_settle(rest, place, true);
  *value = status == CAROM_OK ? carom_test_value(place, CAROM_TEST_TORUS) : NAN;
  return status == CAROM_OK && isnan(*value) ? CAROM_ERR_NO_CONVERGENCE : status;
}

// secants on the parameter
static carom_status cross_axis(carom_follower *rest, carom_station *place) {
  double p = place->at.p, first = p, scale = rest->problem.scale_p, f, g;
  double q = p + 1e-5 * scale;
  carom_status status = look_at(rest, place, p, &f);
  for (int round = 0; round < ROUNDS && status == CAROM_OK; round++) {
    status = look_at(rest, place, q, &g);
    if (status != CAROM_OK || fabs(g) <= ON_AXIS) return status;
    double next = q - g * (q - p) / (g - f);
    if (!(fabs(next - first) <= NEARBY * scale)) return CAROM_ERR_NO_CONVERGENCE;
    double step = fabs(next - q), last = fabs(q - p);
    bool rounded = step >= last && last <= ROUNDED * scale; // steps no longer get shorter
    if (rounded || step <= rest->options->tolerance * scale)
      return look_at(rest, place, rounded ? q : next, &g);
    p = q;
    f = g;
    q = next;
  }
  return status == CAROM_OK ? CAROM_ERR_NO_CONVERGENCE : status;
}

// The cycle's own start is near the equilibrium, and on the contacts that are closed.
static void guess_rest(const carom_follower *it, carom_station *place) {
  int n = it->map->count;
  bool here = length_of(n, it->here.rate) < length_of(n, it->next.rate);
  *place = here ? it->here : it->next;
  memset(place->at.tangent, 0, sizeof place->at.tangent);
  place->at.tangent_p = 1.0;
}

// of the pair nearest to the circle
static double angle_of_pair(const carom_orbit_data *orbit) {
  double nearest = INFINITY, angle = NAN;
  for (int k = 0; k < orbit->is.floquet.count; k++) {
    double away = fabs(carom_hypot(orbit->re[k], orbit->im[k]) - 1.0);
    if (!(orbit->im[k] > 0.0) || !(away < nearest)) continue;
    nearest = away;
    angle = carom_atan2(orbit->im[k], orbit->re[k]);
  }
  return angle;
}

// A cycle that has shrunk to nothing has come to the Hopf point of an equilibrium, which is found
// as such: equations of the cycle are singular there.
carom_status carom_follower_birth(carom_follower *it) {
  carom_follower *rest = malloc(sizeof *rest);
  carom_orbit_map *map = malloc(sizeof *map);
  carom_station *place = malloc(sizeof *place);
  carom_status status = rest && map && place ? CAROM_OK : carom_fail_memory(it->error);
  if (status == CAROM_OK) {
    *map = *it->map;
    *rest = *it;
    rest->map = map;
    rest->error = NULL;
    map->kind.rest = true;
    carom_orbit_free_word(map);
    map->found.period = FIRST_TIME * it->here.orbit.is.period; // a whole turn looks like none
    guess_rest(it, place);
    carom_follower_prepare(rest);
    status = carom_follower_choose_time(rest, place);
  }
  if (status == CAROM_OK) status = cross_axis(rest, place);
  if (status == CAROM_OK) {
    double angle = angle_of_pair(&place->orbit);
    it->special = it->here;
    memcpy(it->special.at.x, place->at.x, (size_t)map->count * sizeof *place->at.x);
    it->special.at.p = place->at.p;
    it->special.at.x[map->count] = 2.0 * PI * map->found.period / angle;
    carom_orbit_take_turn(&it->special.orbit, it->special.at.x[map->count], place->orbit.state);
  }
  if (map) carom_orbit_count_turns(it->map, map->turns_made);
  free(place);
  free(map);
  free(rest);
  return status;
}

// Where a cycle has shrunk to nothing its equations are singular and no place can be solved for
// there. If its equilibrium is not found either: the nearer of the two around it, with the
// parameter at the top of the parabola between
void carom_follower_vanish(carom_follower *it, double s) {
  double a = it->here.at.tangent_p, b = it->next.at.tangent_p;
  bool first = fabs(a) < fabs(b);
  double end = first ? a : b;
  it->special = first ? it->here : it->next;
  it->special.at.p += 0.5 * end * it->problem.scale_p * s * end / (a - b);
}
