// SPDX-License-Identifier: MIT
/// Special points of a branch: functions of a place that change their sign there.
#include "analysis/follower.h"
#include "base/elementary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 60, TESTS = 5 };
static const double SHRUNK = 0.05, BESIDE = 1e-9, PI = 3.14159265358979323846;
static const double FAR_ASIDE = 0.004; // of the branch's size

// prod (mu - shift) over all multipliers; complex ones come in pairs, so that it is real
static double product(const carom_orbit *orbit, double shift) {
  double re = 1.0, im = 0.0;
  for (int k = 0; k < orbit->multipliers; k++) {
    double a = orbit->re[k] - shift, b = orbit->im[k], kept = re;
    re = re * a - im * b;
    im = kept * b + im * a;
  }
  return re;
}

// how far the complex pair nearest to the unit circle is outside it; NaN: there is none
static double torus_value(const carom_orbit *orbit) {
  double nearest = NAN;
  for (int k = 0; k < orbit->multipliers; k++) {
    double modulus = carom_hypot(orbit->re[k], orbit->im[k]);
    if (orbit->im[k] == 0.0) continue;
    if (isnan(nearest) || fabs(modulus - 1.0) < fabs(nearest)) nearest = modulus - 1.0;
  }
  return nearest;
}

double carom_test_value(const carom_station *place, carom_test test) {
  switch (test) {
  case CAROM_TEST_FOLD: return place->at.tangent_p;
  case CAROM_TEST_FLIP: return product(&place->orbit, -1.0);
  case CAROM_TEST_TORUS: return torus_value(&place->orbit);
  case CAROM_TEST_ONE: return product(&place->orbit, 1.0);
  case CAROM_TEST_MARGIN: return place->orbit.fixed ? fmin(place->orbit.margin.value, 1.0) : NAN;
  }
  return NAN;
}

static bool shrunk(const carom_follower *it) {
  return carom_orbit_has_period(it->map) && carom_orbit_way(it->map) < SHRUNK;
}

static double dot(int n, const double *a, const double *b) {
  double sum = 0.0;
  for (int k = 0; k < n; k++)
    sum += a[k] * b[k];
  return sum;
}

/// Two places on the way, at a and b, between which a test changes its sign.
typedef struct bracket {
  double a, b, fa, fb;
  int side; // which end moved last
} bracket;

// Illinois: the end that stays twice counts half
static void narrow(bracket *it, double c, double fc) {
  if ((fc > 0.0) == (it->fb > 0.0)) {
    it->b = c;
    it->fb = fc;
    if (it->side == -1) it->fa *= 0.5;
    it->side = -1;
  } else {
    it->a = c;
    it->fa = fc;
    if (it->side == 1) it->fb *= 0.5;
    it->side = 1;
  }
}

// `special` comes to lie on the line from `before` to it
static void lie_between(carom_follower *it, const carom_branch_point *before, double part) {
  carom_branch_point *at = &it->special.at;
  for (int k = 0; k < it->problem.count; k++)
    at->x[k] = before->x[k] + part * (at->x[k] - before->x[k]);
  at->p = before->p + part * (at->p - before->p);
}

// Where another branch crosses the equations are singular and no place can be solved for: two at
// both sides of it, and the line between them. *found: they are so.
static carom_status straddle(carom_follower *it, carom_test test, double c, double s,
                             bracket *around, bool *found) {
  static const double ASIDE[] = {1e-3, 4e-3, 1.6e-2};
  carom_station *before = malloc(sizeof *before);
  carom_status status = before ? CAROM_ERR_NO_CONVERGENCE : CAROM_ERR_MEMORY;
  double f = NAN, g = NAN;
  for (int k = 0; k < 3 && before && status != CAROM_OK && status != CAROM_STOP_USER; k++) {
    status = carom_follower_step(it, &it->here, c - ASIDE[k] * s, before);
    if (status == CAROM_OK)
      status = carom_follower_step(it, &it->here, c + ASIDE[k] * s, &it->special);
    if (status != CAROM_OK) continue;
    f = carom_test_value(before, test);
    g = carom_test_value(&it->special, test);
    narrow(around, c - ASIDE[k] * s, f);
    narrow(around, c + ASIDE[k] * s, g);
  }
  *found = status == CAROM_OK && ((f < 0.0 && g > 0.0) || (f > 0.0 && g < 0.0));
  if (*found) lie_between(it, &before->at, f / (f - g));
  free(before);
  return status;
}

// the branch may be the one that is crossed, or that of a pitchfork which turns back there
static bool may_cross(const carom_follower *it, carom_test test) {
  return test == CAROM_TEST_ONE || (test == CAROM_TEST_FOLD && !shrunk(it));
}

// Regula falsi, Illinois variant
static carom_status find_zero(carom_follower *it, carom_test test, double s, double *s_found) {
  bracket around = {
      .b = s, .fa = carom_test_value(&it->here, test), .fb = carom_test_value(&it->next, test)};
  double last = it->here.at.p;
  for (int round = 0; round < ROUNDS; round++) {
    double a = around.a, b = around.b,
           c = (a * around.fb - b * around.fa) / (around.fb - around.fa);
    if (!(c > fmin(a, b) && c < fmax(a, b))) c = 0.5 * (a + b);
    carom_status status = carom_follower_step(it, &it->here, c, &it->special);
    *s_found = c;
    if (status != CAROM_OK && status != CAROM_STOP_USER && may_cross(it, test)) {
      bool found;
      status = straddle(it, test, c, s, &around, &found);
      if (status == CAROM_OK && !found) continue;
      return status;
    }
    if (status != CAROM_OK) return status;
    double fc = carom_test_value(&it->special, test), moved = fabs(it->special.at.p - last);
    last = it->special.at.p;
    if (isnan(fc)) return CAROM_ERR_NO_CONVERGENCE;
    if (fc == 0.0 || b - a <= 1e-13 * s) break;
    if (round > 1 && moved <= it->options->tolerance * it->problem.scale_p &&
        (test != CAROM_TEST_FOLD || fabs(fc) < 1e-7))
      break;
    narrow(&around, c, fc);
  }
  return CAROM_OK;
}

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

// how fast the parameter changes at a place with the way along the tangent of `here`
static double parameter_slope(const carom_follower *it, const carom_branch_point *at) {
  double along = dot(it->problem.count, at->tangent, it->here.at.tangent) +
                 at->tangent_p * it->here.at.tangent_p;
  return at->tangent_p * it->problem.scale_p / along;
}

// The cubic through the places `aside` of c on both sides of a turn: *p is the parameter where it
// turns. CAROM_ERR_NO_CONVERGENCE: it does not, between them.
static carom_status turn_between(carom_follower *it, double c, double aside, carom_station *around,
                                 double *p) {
  const carom_branch_point *a = &around[0].at, *b = &around[1].at;
  carom_status status = carom_follower_step(it, &it->here, c - aside, &around[0]);
  if (status == CAROM_OK) status = carom_follower_step(it, &it->here, c + aside, &around[1]);
  if (status != CAROM_OK) return status;
  if (!(a->tangent_p * b->tangent_p < 0.0) || !carom_station_kindred(&around[0], &around[1]))
    return CAROM_ERR_NO_CONVERGENCE;
  cubic between =
      cubic_between(a->p, parameter_slope(it, a), b->p, parameter_slope(it, b), 2.0 * aside);
  double t = cubic_level(&between, a->tangent_p / (a->tangent_p - b->tangent_p));
  *p = cubic_value(&between, t);
  return t > 0.0 && t < 1.0 ? CAROM_OK : CAROM_ERR_NO_CONVERGENCE;
}

// The branch of a pitchfork turns back where the symmetric one crosses it. Equations are singular
// there and next to it are solved by places that are none, so that a zero of the tangent says
// little. Places farther off are known well: where two cubics, of which one reaches half as far,
// agree better with each other than with the zero, the turn is theirs.
static carom_status look_from_aside(carom_follower *it, double c) {
  carom_station *around = malloc(2 * sizeof *around);
  double far, near = NAN, zero = it->special.at.p;
  if (!around) return carom_fail_memory(it->error);
  carom_status status = turn_between(it, c, FAR_ASIDE, around, &far);
  if (status == CAROM_OK) status = turn_between(it, c, 0.5 * FAR_ASIDE, around, &near);
  free(around);
  if (status == CAROM_OK && fabs(near - zero) > fabs(near - far)) it->special.at.p = near;
  return status == CAROM_STOP_USER ? status : CAROM_OK;
}

carom_status carom_follower_locate(carom_follower *it, carom_test test, double s, double *s_found) {
  carom_status status = find_zero(it, test, s, s_found);
  if (status != CAROM_OK || test != CAROM_TEST_FOLD || shrunk(it)) return status;
  return look_from_aside(it, *s_found);
}

// Multipliers that lie on the circle all along the branch (no losses, a family of motions) change
// sides by rounding: of an equilibrium, which is followed over one step, by next to nothing; of
// turns that are differenced by far more, for a double one is known to the root of the differences'
// error.
static double rounding(const carom_follower *it, const carom_orbit *orbit, carom_test test) {
  bool product_of_all = test == CAROM_TEST_FLIP || test == CAROM_TEST_ONE;
  if (!product_of_all && test != CAROM_TEST_TORUS) return 0.0;
  if (it->map->engine->tangent_begin) return it->map->rest ? 1e-13 : 1e-10;
  double sizes = 1.0;
  for (int k = 0; k < orbit->multipliers && product_of_all; k++)
    sizes *= 1.0 + carom_hypot(orbit->re[k], orbit->im[k]);
  return 1e-5 * sizes;
}

static bool changes(const carom_follower *it, carom_test test) {
  double a = carom_test_value(&it->here, test), b = carom_test_value(&it->next, test);
  if (!(fmax(fabs(a), fabs(b)) > rounding(it, &it->here.orbit, test))) return false;
  return (a > 0.0 && b < 0.0) || (a < 0.0 && b > 0.0);
}

// a branch of a fixed word becomes virtual, or real again
static carom_branch_label label_of_fault(const carom_follower *it) {
  const carom_leg_margin *margin = &it->special.orbit.margin;
  bool lands = it->map->legs[margin->leg].event == CAROM_LEG_LANDING;
  return margin->kind == CAROM_FAULT_GAP || (margin->kind == CAROM_FAULT_APPROACH && lands)
             ? CAROM_LABEL_GRAZE
             : CAROM_LABEL_WORD;
}

static carom_branch_label label_of(const carom_follower *it, carom_test test) {
  switch (test) {
  // a cycle that has shrunk to nothing turns back into itself: that is where it was born
  case CAROM_TEST_FOLD: return shrunk(it) ? CAROM_LABEL_HOPF : CAROM_LABEL_FOLD;
  case CAROM_TEST_FLIP: return CAROM_LABEL_FLIP;
  case CAROM_TEST_TORUS: return it->map->rest ? CAROM_LABEL_HOPF : CAROM_LABEL_TORUS;
  case CAROM_TEST_ONE: return CAROM_LABEL_CROSSING;
  case CAROM_TEST_MARGIN: return label_of_fault(it);
  }
  return CAROM_LABEL_NONE;
}

// Where a cycle has shrunk to nothing its equations are singular and no place can be solved for
// there: the nearer of the two around it, with the parameter at the top of the parabola between
static void vanish(carom_follower *it, double s) {
  double a = it->here.at.tangent_p, b = it->next.at.tangent_p;
  bool first = fabs(a) < fabs(b);
  double end = first ? a : b;
  it->special = first ? it->here : it->next;
  it->special.at.p += 0.5 * end * it->problem.scale_p * s * end / (a - b);
}

// the direction in which a motion of twice the period leaves: (M + 1) v = 0 by inverse iteration
static void flip_direction(const carom_orbit_map *map, double *v) {
  int n = map->count;
  double A[CAROM_ORBIT_STATES * CAROM_ORBIT_STATES];
  for (int k = 0; k < n; k++)
    v[k] = 1.0 + 0.1 * k;
  for (int round = 0; round < 4; round++) {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        A[i * n + j] =
            (map->matrix[i * n + j] * map->scale[j] + (i == j) * map->scale[i]) / map->scale[i];
    (void)carom_branch_solve(n, A, v, 1e-16, NULL);
    double length = sqrt(dot(n, v, v));
    for (int k = 0; k < n && length > 0.0; k++)
      v[k] /= length;
  }
}

static carom_status promise_flip(carom_follower *it) {
  // twice the turn would need twice the word
  bool is_virtual = it->map->fixed && it->special.orbit.virtual_motion;
  if (it->depth >= it->options->switches || it->map->rest || is_virtual) return CAROM_OK;
  carom_beginning beginning = {.map = *it->map, .at = it->special.at, .depth = it->depth + 1};
  carom_orbit_map *map = &beginning.map;
  map->fixed = false;
  flip_direction(it->map, beginning.at.tangent);
  beginning.at.tangent_p = 0.0;
  if (map->autonomous) {
    beginning.at.x[map->count] *= 2.0;
    beginning.at.tangent[map->count] = 0.0;
    map->scale[map->count] *= 2.0;
    carom_orbit_anchor(map, it->special.at.x);
  } else {
    map->turns *= 2;
  }
  return carom_continuation_promise(it->result, &beginning, it->error);
}

// The direction in which another branch crosses: the null vector of the equations, with the period
// of a system without drive as the last unknown, by inverse iteration
static void crossing_direction(const carom_orbit_map *map, double *v) {
  int n = map->count, m = n + carom_orbit_has_period(map);
  double A[(CAROM_ORBIT_STATES + 1) * (CAROM_ORBIT_STATES + 1)];
  for (int k = 0; k < m; k++)
    v[k] = 1.0 + 0.1 * k;
  for (int round = 0; round < 4; round++) {
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++)
        A[i * m + j] =
            map->matrix[i * n + j] * map->scale[j] / map->scale[i] - (i == j ? 1.0 + BESIDE : 0.0);
      if (m > n) A[i * m + n] = map->rate[map->which[i]] * map->scale[n] / map->scale[i];
      if (m > n) A[n * m + i] = map->across[i] * map->scale[i];
    }
    if (m > n) A[n * m + n] = 0.0;
    (void)carom_branch_solve(m, A, v, 1e-16, NULL);
    double length = sqrt(dot(m, v, v));
    for (int k = 0; k < m && length > 0.0; k++)
      v[k] /= length;
  }
}

// Of a pitchfork one of two branches that are mirror images, of two branches that cross one half of
// the other one
static carom_status promise_crossing(carom_follower *it) {
  if (it->depth >= it->options->switches || it->map->fixed) return CAROM_OK;
  carom_beginning beginning = {.map = *it->map, .at = it->special.at, .depth = it->depth + 1};
  memset(beginning.at.tangent, 0, sizeof beginning.at.tangent);
  crossing_direction(it->map, beginning.at.tangent);
  beginning.at.tangent_p = 0.0;
  if (carom_orbit_has_period(it->map)) carom_orbit_anchor(&beginning.map, it->special.at.x);
  return carom_continuation_promise(it->result, &beginning, it->error);
}

// --- cycles that are born where an equilibrium loses its stability

// Real and imaginary part of the eigenvector of the pair nearest to the unit circle, in scaled
// unknowns, by inverse iteration of M u - a u + b w = 0, M w - a w - b u = 0 with a little beside
// its value, where the equations can be solved
static bool hopf_plane(const carom_orbit_map *map, double a, double b, double *u, double *w) {
  int n = map->count, m = 2 * n;
  if (m > CAROM_DENSE_MOST) return false;
  double A[CAROM_DENSE_MOST * CAROM_DENSE_MOST], v[CAROM_DENSE_MOST];
  for (int k = 0; k < m; k++)
    v[k] = 1.0 + 0.1 * k;
  for (int round = 0; round < 4; round++) {
    memset(A, 0, sizeof A);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        double entry =
            map->matrix[i * n + j] * map->scale[j] / map->scale[i] - (i == j ? a + BESIDE : 0.0);
        A[i * m + j] = A[(n + i) * m + n + j] = entry;
        if (i == j) A[i * m + n + j] = b;
        if (i == j) A[(n + i) * m + j] = -b;
      }
    (void)carom_branch_solve(m, A, v, 1e-16, NULL);
    double length = sqrt(dot(m, v, v));
    if (!(length > 0.0) || !isfinite(length)) return false;
    for (int k = 0; k < m; k++)
      v[k] /= length;
  }
  memcpy(u, v, (size_t)n * sizeof *u);
  memcpy(w, v + n, (size_t)n * sizeof *w);
  return true;
}

// turns (u, w) within its plane until they are at right angles
static void square_up(int n, double *u, double *w) {
  double angle = 0.5 * carom_atan2(-2.0 * dot(n, u, w), dot(n, u, u) - dot(n, w, w));
  for (int k = 0; k < n; k++) {
    double old = u[k];
    u[k] = old * carom_cos(angle) - w[k] * carom_sin(angle);
    w[k] = old * carom_sin(angle) + w[k] * carom_cos(angle);
  }
}

// the multiplier of the pair nearest to the unit circle
static bool nearest_pair(const carom_orbit *orbit, double *re, double *im) {
  double nearest = INFINITY;
  for (int k = 0; k < orbit->multipliers; k++) {
    double away = fabs(carom_hypot(orbit->re[k], orbit->im[k]) - 1.0);
    if (!(orbit->im[k] > 0.0) || !(away < nearest)) continue;
    nearest = away;
    *re = orbit->re[k];
    *im = orbit->im[k];
  }
  return isfinite(nearest);
}

// The cycle leaves the equilibrium along u with the period of its rotation; it passes there with a
// velocity along w, across which its turns begin
static carom_status promise_hopf(carom_follower *it) {
  double re = 1.0, im = 0.0, u[CAROM_ORBIT_STATES], w[CAROM_ORBIT_STATES];
  if (it->depth >= it->options->switches || !it->map->rest) return CAROM_OK;
  if (!nearest_pair(&it->special.orbit, &re, &im) || !hopf_plane(it->map, re, im, u, w))
    return CAROM_OK;
  carom_beginning beginning = {.map = *it->map, .at = it->special.at, .depth = it->depth + 1};
  carom_orbit_map *map = &beginning.map;
  int n = map->count;
  square_up(n, u, w);
  double length = sqrt(dot(n, u, u)), period = 2.0 * PI * map->period / carom_atan2(im, re);
  if (!(length > 0.0)) return CAROM_OK;
  map->rest = false;
  memset(beginning.at.tangent, 0, sizeof beginning.at.tangent);
  for (int k = 0; k < n; k++) {
    beginning.at.tangent[k] = u[k] / length;
    map->base[map->which[k]] = map->anchor[k] = it->special.at.x[k];
    map->first_rate[map->which[k]] = w[k] * map->scale[k];
  }
  carom_orbit_anchor(map, it->special.at.x);
  beginning.at.tangent_p = 0.0;
  beginning.at.x[n] = map->scale[n] = period;
  map->weight[n] = 1.0;
  return carom_continuation_promise(it->result, &beginning, it->error);
}

carom_status carom_follower_examine(carom_follower *it, double s) {
  static const carom_test tests[TESTS] = {CAROM_TEST_FOLD, CAROM_TEST_FLIP, CAROM_TEST_TORUS,
                                          CAROM_TEST_ONE, CAROM_TEST_MARGIN};
  for (int k = 0; k < TESTS; k++) {
    double at;
    // at a fold a multiplier passes 1 too
    if (!changes(it, tests[k]) || (tests[k] == CAROM_TEST_ONE && changes(it, CAROM_TEST_FOLD)))
      continue;
    if (strcmp(it->here.orbit.word, it->next.orbit.word) != 0) continue;
    carom_status status = carom_follower_locate(it, tests[k], s, &at);
    if (status == CAROM_STOP_USER) return status;
    if (status != CAROM_OK && tests[k] == CAROM_TEST_FOLD && shrunk(it)) {
      vanish(it, s);
      status = CAROM_OK;
    }
    if (status != CAROM_OK || it->special.at.p < it->low || it->special.at.p > it->high) continue;
    it->ended = it->ended || (tests[k] == CAROM_TEST_FOLD && shrunk(it));
    status = carom_follower_record(it, &it->special, label_of(it, tests[k]));
    if (status == CAROM_OK && tests[k] == CAROM_TEST_FLIP) status = promise_flip(it);
    if (status == CAROM_OK && tests[k] == CAROM_TEST_TORUS) status = promise_hopf(it);
    if (status == CAROM_OK && tests[k] == CAROM_TEST_ONE) status = promise_crossing(it);
    if (status != CAROM_OK) return status;
  }
  return CAROM_OK;
}
