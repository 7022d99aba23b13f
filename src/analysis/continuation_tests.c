// SPDX-License-Identifier: MIT
/// Special points of a branch: functions of a place that change their sign there.
#include "analysis/follower.h"

#include "base/elementary.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 60, HALVINGS = 60 };
static const double INVERSE = 1e-7;   // of multipliers that are each other's inverse
static const double DISTINCT = 1e-12; // discriminant: less is rounding
static const double LEFT = 1e-6;      // the circle
static const double PASSED = 0.1;     // of how far a pair is from the circle at the ends of a step;
                                      // chosen: where it passes it is there but for rounding

// prod (mu - shift) over all multipliers; complex ones come in pairs, so that it is real
static double shifted_product(const carom_orbit_data *orbit, double shift) {
  double re = 1.0, im = 0.0;
  for (int k = 0; k < orbit->is.floquet.count; k++) {
    double a = orbit->re[k] - shift, b = orbit->im[k], kept = re;
    re = re * a - im * b;
    im = kept * b + im * a;
  }
  return re;
}

// how far the complex pair nearest to the unit circle is outside it; NaN: there is none
static double torus_value(const carom_orbit_data *orbit) {
  double nearest = NAN;
  for (int k = 0; k < orbit->is.floquet.count; k++) {
    double modulus = carom_hypot(orbit->re[k], orbit->im[k]);
    if (orbit->im[k] == 0.0) continue;
    if (isnan(nearest) || fabs(modulus - 1.0) < fabs(nearest)) nearest = modulus - 1.0;
  }
  return nearest;
}

// does every multiplier have its inverse, as without losses?
static bool without_losses(const carom_orbit_data *orbit) {
  for (int k = 0; k < orbit->is.floquet.count; k++) {
    bool has = false;
    for (int j = 0; j < orbit->is.floquet.count && !has; j++) {
      double re = orbit->re[k] * orbit->re[j] - orbit->im[k] * orbit->im[j];
      double im = orbit->re[k] * orbit->im[j] + orbit->im[k] * orbit->re[j];
      has = fabs(re - 1.0) <= INVERSE && fabs(im) <= INVERSE;
    }
    if (!has) return false;
  }
  return orbit->is.floquet.count > 0;
}

// One of each multiplier and its inverse: mu + 1/mu, of which there are half as many
static int list_sums(const carom_orbit_data *orbit, double *re, double *im) {
  bool taken[CAROM_ORBIT_STATES] = {false};
  int count = 0;
  for (int k = 0; k < orbit->is.floquet.count; k++) {
    double a = orbit->re[k], b = orbit->im[k], square = a * a + b * b, nearest = INFINITY;
    int partner = -1;
    if (taken[k]) continue;
    for (int j = k + 1; j < orbit->is.floquet.count; j++) {
      double apart = fabs(orbit->re[j] - a / square) + fabs(orbit->im[j] + b / square);
      if (taken[j] || !(apart < nearest)) continue;
      nearest = apart;
      partner = j;
    }
    if (partner >= 0) taken[partner] = true;
    re[count] = a + a / square;
    im[count++] = b - b / square;
  }
  return count;
}

// Of an equilibrium without losses: the discriminant of the numbers mu + 1/mu. Where two
// frequencies meet and leave the axis, two of these real numbers become a complex pair, and it
// changes its sign.
static double flutter_value(const carom_orbit_data *orbit) {
  double re[CAROM_ORBIT_STATES], im[CAROM_ORBIT_STATES], a = 1.0, b = 0.0;
  if (!without_losses(orbit)) return NAN;
  int count = list_sums(orbit, re, im);
  for (int i = 0; i < count; i++)
    for (int j = i + 1; j < count; j++)
      for (int twice = 0; twice < 2; twice++) {
        double x = re[i] - re[j], y = im[i] - im[j], kept = a;
        a = a * x - b * y;
        b = kept * y + b * x;
      }
  return count > 1 ? a : NAN;
}

double carom_test_value(const carom_station *place, carom_test test) {
  switch (test) {
  case CAROM_TEST_FOLD: return place->at.tangent_p;
  case CAROM_TEST_FLIP: return shifted_product(&place->orbit, -1.0);
  case CAROM_TEST_TORUS: return torus_value(&place->orbit);
  case CAROM_TEST_ONE: return shifted_product(&place->orbit, 1.0);
  case CAROM_TEST_FLUTTER: return flutter_value(&place->orbit);
  case CAROM_TEST_MARGIN:
    return place->orbit.is.fixed_word.held ? fmin(place->orbit.is.fixed_word.margin.value, 1.0)
                                           : NAN;
  }
  return NAN;
}

/// Two places on the way, at a and b, between which a test changes its sign.
typedef struct bracket {
  double a, b, fa, fb;
  int side; // which end moved last
} bracket;

// Illinois: the end that stays twice counts half
static void narrow_bracket(bracket *it, double c, double fc) {
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

/// Four places around a zero: how far they are, and what the test says there.
typedef struct quartet {
  carom_station at[4];
  double s[4], f[4];
} quartet;

// the cubic through four values
static double cubic_through(const double *s, const double *values, double at) {
  double sum = 0.0;
  for (int i = 0; i < 4; i++) {
    double term = values[i];
    for (int j = 0; j < 4; j++)
      if (j != i) term *= (at - s[j]) / (s[i] - s[j]);
    sum += term;
  }
  return sum;
}

// where the cubic through the values is zero, between the inner two
static double zero_between(const quartet *four) {
  double a = four->s[1], b = four->s[2];
  bool rises = four->f[1] < 0.0;
  for (int k = 0; k < HALVINGS; k++) {
    double middle = 0.5 * (a + b);
    *((cubic_through(four->s, four->f, middle) < 0.0) == rises ? &a : &b) = middle;
  }
  return 0.5 * (a + b);
}

// `special` becomes the place at s on the cubics through four
static void lie_between(carom_follower *it, const quartet *four, double s) {
  double values[4];
  it->special = four->at[1];
  for (int k = 0; k <= it->problem.count; k++) {
    for (int i = 0; i < 4; i++)
      values[i] = k < it->problem.count ? four->at[i].at.x[k] : four->at[i].at.p;
    double found = cubic_through(four->s, values, s);
    *(k < it->problem.count ? &it->special.at.x[k] : &it->special.at.p) = found;
  }
  for (int k = 0; k < it->map->count; k++)
    it->special.orbit.state[it->map->which[k]] = it->special.at.x[k];
}

// Where another branch crosses the equations are singular and no place can be solved for: two at
// each side of it, and the cubic between them. *found: they are so.
static carom_status straddle_crossing(carom_follower *it, carom_test test, double c, double s,
                                      bracket *around, bool *found) {
  static const double ASIDE[] = {2e-3, 8e-3, 3.2e-2}, PLACES[] = {-3.0, -1.0, 1.0, 3.0};
  quartet *four = malloc(sizeof *four);
  carom_status status = four ? CAROM_ERR_NO_CONVERGENCE : CAROM_ERR_MEMORY;
  *found = false;
  for (int k = 0; k < 3 && four && status != CAROM_OK && status != CAROM_STOP_USER; k++) {
    status = CAROM_OK;
    for (int i = 0; i < 4 && status == CAROM_OK; i++) {
      four->s[i] = c + PLACES[i] * ASIDE[k] * s;
      status = carom_follower_step(it, &it->here, four->s[i], &four->at[i]);
      four->f[i] = status == CAROM_OK ? carom_test_value(&four->at[i], test) : NAN;
    }
  }
  if (status == CAROM_OK) {
    double f = four->f[1], g = four->f[2];
    *found = (f < 0.0 && g > 0.0) || (f > 0.0 && g < 0.0);
    narrow_bracket(around, four->s[1], f);
    narrow_bracket(around, four->s[2], g);
  }
  if (*found) lie_between(it, four, zero_between(four));
  free(four);
  return status;
}

// the branch may be the one that is crossed, or that of a pitchfork which turns back there
static bool may_cross(carom_test test) { return test == CAROM_TEST_ONE || test == CAROM_TEST_FOLD; }

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
    if (status != CAROM_OK && status != CAROM_STOP_USER && may_cross(test)) {
      bool found;
      status = straddle_crossing(it, test, c, s, &around, &found);
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
    narrow_bracket(&around, c, fc);
  }
  return CAROM_OK;
}

carom_status carom_follower_locate(carom_follower *it, carom_test test, double s, double *s_found) {
  return find_zero(it, test, s, s_found);
}

// Multipliers that lie on the circle all along the branch (no losses, a family of motions) change
// sides by rounding: of an equilibrium, which is followed over one step, by next to nothing; of
// turns that are differenced by far more, for a double one is known to the root of the differences'
// error.
static double test_rounding(const carom_follower *it, const carom_orbit_data *orbit,
                            carom_test test) {
  bool product_of_all = test == CAROM_TEST_FLIP || test == CAROM_TEST_ONE;
  if (test == CAROM_TEST_FLUTTER) return DISTINCT;
  if (!product_of_all && test != CAROM_TEST_TORUS) return 0.0;
  if (it->map->maker.engine->tangent.begin) return it->map->kind.rest ? 1e-13 : 1e-10;
  double sizes = 1.0;
  for (int k = 0; k < orbit->is.floquet.count && product_of_all; k++)
    sizes *= 1.0 + carom_hypot(orbit->re[k], orbit->im[k]);
  return 1e-5 * sizes;
}

// multipliers that have left the circle
static int off_circle(const carom_orbit_data *orbit) {
  int count = 0;
  for (int k = 0; k < orbit->is.floquet.count; k++)
    count += fabs(carom_hypot(orbit->re[k], orbit->im[k]) - 1.0) > LEFT;
  return count;
}

// Without losses no pair passes the axis: two meet on it. Frequencies that meet without leaving it
// are nothing special.
static bool may_change(const carom_follower *it, carom_test test) {
  const carom_orbit_data *here = &it->here.orbit, *next = &it->next.orbit;
  if (test == CAROM_TEST_FLUTTER) return it->map->kind.rest && off_circle(here) != off_circle(next);
  // one of many: a multiplier is 1 all along, and the direction is one that was chosen
  if (it->map->kind.many && (test == CAROM_TEST_ONE || test == CAROM_TEST_FOLD)) return false;
  return test != CAROM_TEST_TORUS || !it->map->kind.rest || !without_losses(here) ||
         !without_losses(next);
}

static bool test_changes(const carom_follower *it, carom_test test) {
  if (!may_change(it, test)) return false;
  double a = carom_test_value(&it->here, test), b = carom_test_value(&it->next, test);
  if (!(fmax(fabs(a), fabs(b)) > test_rounding(it, &it->here.orbit, test))) return false;
  return (a > 0.0 && b < 0.0) || (a < 0.0 && b > 0.0);
}

// a branch of a fixed word becomes virtual, or real again
static carom_branch_label label_of_fault(const carom_follower *it) {
  const carom_leg_margin *margin = &it->special.orbit.is.fixed_word.margin;
  bool lands = it->map->fixed_word.legs[margin->leg].event == CAROM_LEG_LANDING;
  return margin->kind == CAROM_FAULT_GAP || (margin->kind == CAROM_FAULT_APPROACH && lands)
             ? CAROM_LABEL_GRAZE
             : CAROM_LABEL_WORD;
}

static carom_branch_label label_of(const carom_follower *it, carom_test test) {
  switch (test) {
  case CAROM_TEST_FOLD: return CAROM_LABEL_FOLD;
  case CAROM_TEST_FLIP: return CAROM_LABEL_FLIP;
  case CAROM_TEST_TORUS: return it->map->kind.rest ? CAROM_LABEL_HOPF : CAROM_LABEL_TORUS;
  case CAROM_TEST_ONE: return CAROM_LABEL_CROSSING;
  case CAROM_TEST_FLUTTER: return CAROM_LABEL_FLUTTER;
  case CAROM_TEST_MARGIN: return label_of_fault(it);
  }
  return CAROM_LABEL_NONE;
}

// how far a multiplier is from where it must be at a special point; *re, *im: from there
static double from_critical(const carom_orbit_data *orbit, int k, carom_test test, double *re,
                            double *im) {
  assert(k >= 0);
  double modulus = carom_hypot(orbit->re[k], orbit->im[k]);
  *re = test == CAROM_TEST_FLIP ? -1.0 : 1.0;
  *im = 0.0;
  if (test == CAROM_TEST_TORUS || test == CAROM_TEST_FLUTTER) {
    if (orbit->im[k] == 0.0) return INFINITY;
    *re = orbit->re[k] / modulus;
    *im = orbit->im[k] / modulus;
  }
  return carom_hypot(orbit->re[k] - *re, orbit->im[k] - *im);
}

// At a special point one multiplier, or a pair, is on the circle: that is what it is, whatever
// rounding has left beside it. Stability is marginal unless another one is outside.
static void be_critical(carom_orbit_data *orbit, carom_test test) {
  int critical = test == CAROM_TEST_TORUS ? 2 : test == CAROM_TEST_FLUTTER ? 4 : 1;
  bool chosen[CAROM_ORBIT_STATES] = {false};
  if (test == CAROM_TEST_MARGIN) return;
  orbit->is.kind = CAROM_ORBIT_MARGINAL;
  for (int n = 0; n < critical; n++) {
    double nearest = INFINITY, re, im;
    int which = -1;
    for (int k = 0; k < orbit->is.floquet.count; k++) {
      double away = from_critical(orbit, k, test, &re, &im);
      if (chosen[k] || !(away < nearest)) continue;
      nearest = away;
      which = k;
    }
    if (which < 0) break;
    (void)from_critical(orbit, which, test, &re, &im);
    orbit->re[which] = re;
    orbit->im[which] = im;
    chosen[which] = true;
  }
  for (int k = 0; k < orbit->is.floquet.count; k++)
    if (!chosen[k] && carom_hypot(orbit->re[k], orbit->im[k]) > 1.0 + LEFT)
      orbit->is.kind = CAROM_ORBIT_UNSTABLE;
}

// a cycle has shrunk to nothing: that is where it was born
static carom_status examine_birth(carom_follower *it, double s, bool *found,
                                  carom_branch_label *label) {
  carom_status status = carom_follower_birth(it);
  *found = it->ended = true;
  *label = CAROM_LABEL_HOPF;
  if (status != CAROM_OK && status != CAROM_STOP_USER) carom_follower_vanish(it, s);
  return status == CAROM_STOP_USER ? status : CAROM_OK;
}

// the branch turns back: in a fold, where it is crossed by another one, or where a cycle was born
static carom_status examine_turn(carom_follower *it, double s, bool *found,
                                 carom_branch_label *label, bool *apex) {
  double at = 0.0;
  *label = CAROM_LABEL_FOLD;
  *apex = false;
  // one that has only just been born is too small for its tangent to say anything
  bool grows =
      carom_follower_shrunk(it, &it->here) && carom_follower_way(it, &it->here) > 0.5 * it->widest;
  if (grows) return CAROM_OK;
  if (carom_follower_vanishes(it)) return examine_birth(it, s, found, label);
  carom_status status = find_zero(it, CAROM_TEST_FOLD, s, &at);
  if (status == CAROM_STOP_USER) return status;
  bool known = status == CAROM_OK;
  status = carom_follower_turn(it, at, known, apex);
  *found = status == CAROM_OK;
  if (*apex && carom_follower_shrunk(it, &it->special)) {
    *apex = false;
    return examine_birth(it, s, found, label);
  }
  if (*apex) *label = CAROM_LABEL_CROSSING;
  return status == CAROM_STOP_USER ? status : CAROM_OK;
}

// far from 1: half way to it is a choice, any number that leaves room for errors would do
static bool well_inside(const carom_orbit_data *orbit) {
  bool inside = orbit->is.floquet.count > 0;
  for (int k = 0; k < orbit->is.floquet.count && inside; k++)
    inside = carom_hypot(orbit->re[k], orbit->im[k]) < 0.5;
  return inside;
}

// A motion cannot turn back while no multiplier comes near 1. Its tangent may seem to: next to the
// end of a word differences by the parameter reach across.
static bool only_seems_to_turn(const carom_follower *it) {
  return !it->map->kind.rest && well_inside(&it->here.orbit) && well_inside(&it->special.orbit) &&
         well_inside(&it->next.orbit);
}

// The pair nearest to the circle may be one outside here and another one inside there: how far it
// is outside then jumps from one sign to the other, and none passes the circle.
static bool pair_passes(const carom_follower *it) {
  double here = fabs(torus_value(&it->here.orbit)), next = fabs(torus_value(&it->next.orbit));
  return fabs(torus_value(&it->special.orbit)) <= PASSED * fmax(here, next);
}

// where the motion breaks its word the branch itself is told to end, see continuation_words.c
static carom_status keep_special(carom_follower *it, carom_branch_label label) {
  bool born = label == CAROM_LABEL_HOPF && !it->map->kind.rest;
  if (!it->options->for_atlas || born) return CAROM_OK;
  carom_beginning *at = malloc(sizeof *at);
  if (!at) return carom_fail_memory(it->error);
  *at = (carom_beginning){.map = *it->map, .at = it->special.at, .depth = it->depth};
  carom_status status =
      carom_follower_keep_special(it, at, label, &it->special.orbit.is.fixed_word.margin);
  free(at);
  return status;
}

static carom_status examine_one(carom_follower *it, carom_test test, double s) {
  bool found = false, apex = false;
  double at;
  carom_branch_label label = CAROM_LABEL_NONE;
  carom_status status = CAROM_OK;
  if (test == CAROM_TEST_FOLD) {
    status = examine_turn(it, s, &found, &label, &apex);
    found = found && (label == CAROM_LABEL_HOPF || !only_seems_to_turn(it));
  } else {
    status = find_zero(it, test, s, &at);
    found = status == CAROM_OK && (test != CAROM_TEST_TORUS || pair_passes(it));
    label = found ? label_of(it, test) : CAROM_LABEL_NONE;
    if (status != CAROM_STOP_USER) status = CAROM_OK;
  }
  if (status != CAROM_OK || !found || it->special.at.p < it->low || it->special.at.p > it->high)
    return status;
  be_critical(&it->special.orbit, test);
  status = carom_follower_record(it, &it->special, label);
  if (status == CAROM_OK) status = keep_special(it, label);
  if (status == CAROM_OK && label == CAROM_LABEL_FLIP) status = carom_promise_flip(it);
  if (status == CAROM_OK && test == CAROM_TEST_TORUS) status = carom_promise_hopf(it);
  if (status == CAROM_OK && label == CAROM_LABEL_CROSSING)
    status = carom_promise_crossing(it, apex);
  return status;
}

// at a fold a multiplier passes 1 too
carom_status carom_follower_examine(carom_follower *it, double s) {
  static const carom_test tests[] = {CAROM_TEST_FOLD, CAROM_TEST_FLIP,    CAROM_TEST_TORUS,
                                     CAROM_TEST_ONE,  CAROM_TEST_FLUTTER, CAROM_TEST_MARGIN};
  carom_status status = CAROM_OK;
  if (strcmp(it->here.orbit.word, it->next.orbit.word) != 0) return CAROM_OK;
  for (size_t k = 0; k < sizeof tests / sizeof *tests && status == CAROM_OK; k++)
    if (test_changes(it, tests[k]) &&
        (tests[k] != CAROM_TEST_ONE || !test_changes(it, CAROM_TEST_FOLD)))
      status = examine_one(it, tests[k], s);
  return status;
}
