// SPDX-License-Identifier: MIT
/// Curves in two parameters. The motions of a word are a surface over the plane of two parameters;
/// on it a function g is zero along the curve: the part of the tangent that lies along the
/// parameters (fold), prod(mu + 1) (flip), mu_1 mu_2 - 1 of a pair (torus, Hopf), the margin of an
/// inequality (graze, other ends of words). A place near the last one is told by two numbers: how
/// far it lies along the tangent of the branch across the curve, and how far along the line of the
/// curve in the plane. So folds, cusps and places where the curve turns in either parameter are
/// ordinary places.
#include "analysis/curve_parts.h"

#include "base/elementary.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 12, LOCATE_ROUNDS = 40, PATIENCE = 4 };
static const double DIFFERENCE = 1e-4; // of the surface's coordinates
static const double CLOSE = 1e-10;     // a step of Newton's method that is the last
static const double ENOUGH = 1e-8; // one after which, with patience, nothing comes nearer: rounding
static const double STRAIGHT = 0.9; // cosine between where a step should lead and where it does
static const double LONGEST = 4.0;  // steps: a correction that is longer has lost the curve
static const double SMALLEST = 1e-5;
static const double BEND = 0.7;      // cosine between two steps in the plane: less is a sharp bend
static const double PLACED = 1e-11;  // way between two looks for a special place
static const double AT_BOUND = 1e-4; // of the ranges
static const double SURE = 3.0;      // errors that a coefficient must be away from zero
static const double PART = 0.1;      // of the ends of a step: what is left of a number at its zero
static const double NEAR = 1e-3;     // of the same: so near a zero a line leads there
static const double PAIRED = 0.3;    // how far the sum of a pair may move in one step

// the reason why the curve goes no further, if it does not
static void say_why(carom_curve *it, const char *why) {
  (void)snprintf(it->why, sizeof it->why, "%s", why);
}

// --- the function that is zero

bool carom_curve_find_pair(const carom_orbit_data *orbit, double sum, double *product,
                           double *new_sum, int *first, int *second) {
  double nearest = INFINITY;
  for (int i = 0; i < orbit->is.floquet.count; i++)
    for (int j = i + 1; j < orbit->is.floquet.count; j++) {
      bool conjugate = orbit->im[i] != 0.0 && orbit->im[j] == -orbit->im[i];
      if (!conjugate && (orbit->im[i] != 0.0 || orbit->im[j] != 0.0)) continue;
      double s = orbit->re[i] + orbit->re[j],
             p = orbit->re[i] * orbit->re[j] - orbit->im[i] * orbit->im[j];
      double away = fabs(p - 1.0) + (isnan(sum) ? (conjugate ? 0.0 : 4.0) : fabs(s - sum));
      if (!(away < nearest)) continue;
      nearest = away;
      *product = p;
      *new_sum = s;
      *first = i;
      *second = j;
    }
  return nearest < INFINITY;
}

bool carom_curve_of_pair(carom_branch_label kind) {
  return kind == CAROM_LABEL_TORUS || kind == CAROM_LABEL_HOPF;
}

// Multipliers grow like 1/v where an impact with the speed v comes to graze (Nordmark 1991), and
// prod(mu + 1) with them. Times all these speeds it is smooth through the graze.
static double speeds_of_impacts(const carom_curve *it) {
  const carom_turn_word *word = &it->map.fixed_word;
  double product = 1.0;
  for (int k = 0; word->held && k < word->events; k++) {
    bool rebounds = word->legs[k].struck != 0 && word->legs[k].modes == word->legs[k + 1].modes;
    if (word->legs[k].event == CAROM_LEG_LANDING && rebounds) product *= word->approach[k];
  }
  return product;
}

static double function_of(const carom_curve *it, const carom_station *at) {
  double product, sum;
  int first, second;
  if (it->kind == CAROM_LABEL_FOLD) return carom_test_value(at, CAROM_TEST_FOLD);
  if (it->kind == CAROM_LABEL_FLIP)
    return carom_test_value(at, CAROM_TEST_FLIP) * speeds_of_impacts(it);
  if (carom_curve_of_pair(it->kind))
    return carom_curve_find_pair(&at->orbit, it->sum, &product, &sum, &first, &second)
               ? product - 1.0
               : NAN;
  // of a rest, what is relative to its largest value on the way is 1 or -1
  const carom_leg_margin *watched = &it->map.fixed_word.watched;
  return it->map.kind.rest && !isnan(watched->value) ? watched->amount : watched->value;
}

// --- places on the surface

// Near `here` the slope by the line is that of `here`, which spares two turns in each round, and
// Newton's steps need no trial. Where the tangent itself is asked for, at folds, it is found anew
// in the end.
static carom_status settle_station(carom_curve *it, carom_station *to) {
  carom_branch_problem *problem = &it->follower.problem;
  problem->slope = it->by_line.known ? it->by_line.of : NULL;
  problem->near_by = it->by_line.known;
  carom_station guess = *to;
  carom_status status = carom_follower_settle(&it->follower, to, false);
  problem->slope = NULL;
  problem->near_by = false;
  if (status == CAROM_ERR_NO_CONVERGENCE && it->by_line.known) { // with all that it costs
    *to = guess;
    status = carom_follower_settle(&it->follower, to, false);
  }
  if (status == CAROM_OK && it->by_line.known && it->kind == CAROM_LABEL_FOLD)
    status = carom_branch_tangent(problem, &to->at, NULL);
  return status;
}

// the plane of the parameters, with lines from tau along the curve beside `here`
static void set_plane(carom_curve *it, const carom_spot *here, double tau) {
  carom_turn_plane *plane = &it->map.maker.plane;
  plane->value = here->value + tau * it->line[0] * it->range[0];
  plane->other = here->other + tau * it->line[1] * it->range[1];
  plane->along = it->across[0] * it->range[0];
  plane->beside = it->across[1] * it->range[1];
}

// The place at (a, tau) beside `here`, sought from `to`, whose unknowns and way along the line are
// a guess: it is moved along the tangent to where it is a away.
static carom_status look_from(carom_curve *it, const carom_spot *here, double a, double tau,
                              carom_spot *to) {
  const carom_branch_point *at = &here->at.at;
  const double *scale = it->follower.problem.scale;
  double missing = a - at->tangent_p * to->along;
  for (int k = 0; k < it->follower.problem.count; k++)
    missing -= at->tangent[k] * (to->at.at.x[k] - at->x[k]) / scale[k];
  for (int k = 0; k < it->follower.problem.count; k++)
    to->at.at.x[k] += missing * at->tangent[k] * scale[k];
  to->at.at.p = to->along + missing * at->tangent_p;
  carom_branch_aim(&to->at.at, at);
  set_plane(it, here, tau);
  carom_status status = settle_station(it, &to->at);
  if (status != CAROM_OK) say_why(it, it->follower.why);
  if (status != CAROM_OK) return status;
  const carom_turn_plane *plane = &it->map.maker.plane;
  to->along = to->at.at.p;
  to->value = plane->value + to->along * plane->along;
  to->other = plane->other + to->along * plane->beside;
  to->critical = (carom_criticality){NAN, NAN};
  to->g = function_of(it, &to->at);
  to->at.at.p = 0.0; // lines begin at the place itself
  if (isfinite(to->g)) return CAROM_OK;
  say_why(it, "what is zero on it has no value there");
  return CAROM_ERR_NO_CONVERGENCE;
}

static carom_status look_beside(carom_curve *it, const carom_spot *here, double a, double tau,
                                carom_spot *to) {
  *to = *here;
  to->along = 0.0;
  return look_from(it, here, a, tau, to);
}

static void part_of(const carom_curve *it, const carom_spot *from, const carom_spot *to,
                    double factor, carom_heading *way, double weight) {
  way->plane[0] += weight * factor * (to->value - from->value) / it->range[0];
  way->plane[1] += weight * factor * (to->other - from->other) / it->range[1];
  for (int k = 0; k < it->follower.problem.count; k++)
    way->x[k] +=
        weight * factor * (to->at.at.x[k] - from->at.at.x[k]) / it->follower.problem.scale[k];
}

static double dot(const carom_curve *it, const carom_heading *a, const carom_heading *b) {
  double sum = a->plane[0] * b->plane[0] + a->plane[1] * b->plane[1];
  for (int k = 0; k < it->follower.problem.count; k++)
    sum += a->x[k] * b->x[k];
  return sum;
}

static void turn_by(const carom_curve *it, carom_heading *way, double factor) {
  way->a *= factor;
  way->tau *= factor;
  way->plane[0] *= factor;
  way->plane[1] *= factor;
  for (int k = 0; k < it->follower.problem.count; k++)
    way->x[k] *= factor;
}

carom_status carom_curve_slope_along(carom_curve *it, const carom_spot *at, double *slope) {
  carom_spot *side = malloc(2 * sizeof *side);
  if (!side) return CAROM_ERR_MEMORY;
  carom_status status = look_beside(it, at, DIFFERENCE, 0.0, side);
  if (status == CAROM_OK) status = look_beside(it, at, -DIFFERENCE, 0.0, side + 1);
  *slope = (side[0].g - side[1].g) / (2.0 * DIFFERENCE);
  free(side);
  return status;
}

// Places at both sides of `here`, (a, tau) away. Where a parameter must not go further, such as a
// restitution below 0, `here` itself is one of them. *apart: in units of the way to one.
static carom_status look_aside(carom_curve *it, double a, double tau, carom_spot *side,
                               double *apart) {
  *apart = 0.0;
  for (int k = 0; k < 2; k++) {
    double sign = k == 0 ? 1.0 : -1.0;
    carom_status status = look_beside(it, &it->here, sign * a, sign * tau, &side[k]);
    if (status == CAROM_STOP_USER || status == CAROM_ERR_MEMORY) return status;
    *apart += status == CAROM_OK ? 1.0 : 0.0;
    if (status != CAROM_OK) side[k] = it->here;
  }
  return *apart > 0.0 ? CAROM_OK : CAROM_ERR_NO_CONVERGENCE;
}

// the unit tangent of the curve at `here`, by differences on the surface
static carom_status find_way(carom_curve *it, carom_heading *way) {
  carom_spot *side = malloc(4 * sizeof *side);
  if (!side) return CAROM_ERR_MEMORY;
  double apart[2];
  memset(way, 0, sizeof *way);
  carom_status status = look_aside(it, DIFFERENCE, 0.0, side, &apart[0]);
  if (status == CAROM_OK) status = look_aside(it, 0.0, DIFFERENCE, side + 2, &apart[1]);
  if (status == CAROM_OK) {
    double ha = apart[0] * DIFFERENCE, ht = apart[1] * DIFFERENCE;
    way->slope[0] = it->learned[0] = (side[0].g - side[1].g) / ha;
    way->slope[1] = it->learned[1] = (side[2].g - side[3].g) / ht;
    way->a = -way->slope[1];
    way->tau = way->slope[0];
    part_of(it, &side[1], &side[0], 1.0 / ha, way, way->a);
    part_of(it, &side[3], &side[2], 1.0 / ht, way, way->tau);
    double length = sqrt(dot(it, way, way));
    if (!(length > 0.0)) status = CAROM_ERR_NO_CONVERGENCE;
    if (status == CAROM_OK) turn_by(it, way, 1.0 / length);
  }
  free(side);
  return status;
}

// the place a step s along the way, as far as the way is known
static void guess_place(const carom_curve *it, double s, carom_spot *to) {
  *to = it->here;
  for (int k = 0; k < it->follower.problem.count; k++)
    carom_branch_shift(&it->follower.problem, &to->at.at, k, s * it->way.x[k]);
  to->along = s * (it->way.plane[0] * it->across[0] + it->way.plane[1] * it->across[1]);
}

// Newton's method in two numbers, with Broyden's corrections: the place a step s along the way,
// sought from `to`
static carom_status go_from(carom_curve *it, double s, carom_spot *to) {
  double a = s * it->way.a, tau = s * it->way.tau, ga = it->way.slope[0], gt = it->way.slope[1];
  double last = INFINITY, square = it->way.a * it->way.a + it->way.tau * it->way.tau;
  carom_status status = look_from(it, &it->here, a, tau, to);
  for (int round = 0; round < ROUNDS && status == CAROM_OK; round++) {
    double g = to->g, det = ga * it->way.tau - gt * it->way.a;
    double da = -g * it->way.tau / det, dt = g * it->way.a / det, length = sqrt(da * da + dt * dt);
    say_why(it, "it bends too sharply to be found beyond");
    if (!isfinite(length) || length > LONGEST * fabs(s) * sqrt(square) + ENOUGH)
      return CAROM_ERR_NO_CONVERGENCE;
    it->learned[0] = ga;
    it->learned[1] = gt;
    bool rounding = round >= PATIENCE && length <= ENOUGH && length >= 0.5 * last;
    if (length <= CLOSE || rounding) return CAROM_OK;
    a += da;
    tau += dt;
    last = length;
    status = look_from(it, &it->here, a, tau, to);
    double miss = (to->g - g - ga * da - gt * dt) / (length * length);
    ga += miss * da;
    gt += miss * dt;
  }
  return status == CAROM_OK ? CAROM_ERR_NO_CONVERGENCE : status;
}

static carom_status go_along(carom_curve *it, double s, carom_spot *to) {
  guess_place(it, s, to);
  return go_from(it, s, to);
}

// --- what is met on the way

// A coefficient whose sign is not sure says nothing
static carom_status test_all(carom_curve *it, carom_spot *at, double *values) {
  carom_status status = carom_curve_criticality(it, at, &at->critical);
  for (int test = 0; test < CAROM_CURVE_TESTS && status == CAROM_OK; test++)
    if (test != CAROM_MEETS_COEFFICIENT) status = carom_curve_test(it, at, test, &values[test]);
  bool sure = fabs(at->critical.value) > SURE * at->critical.error;
  values[CAROM_MEETS_COEFFICIENT] = sure ? at->critical.value : NAN;
  return status;
}

// how far the place lies inside the ranges of the parameters, in parts of these; negative: outside
static double margin_inside(const carom_curve *it, const carom_spot *at) {
  const carom_atlas_options *o = it->options;
  double low = fmin(o->branch.from, o->branch.to), high = fmax(o->branch.from, o->branch.to);
  return fmin(fmin(at->value - low, high - at->value) / it->range[0],
              fmin(at->other - o->low, o->high - at->other) / it->range[1]);
}

static carom_status measure_test(carom_curve *it, const carom_spot *at, int test, double *value) {
  if (test < CAROM_CURVE_TESTS) return carom_curve_test(it, at, test, value);
  *value = margin_inside(it, at);
  return CAROM_OK;
}

// Beside a graze multipliers grow without bounds, and with them what rounding does to places: the
// zero itself is where the line through the last two places found leads.
static bool reach_zero(carom_curve *it, double f_spare, double f_last, double most) {
  if (!(fabs(f_last) <= NEAR * most) || f_spare == f_last) return false;
  double part = f_last / (f_last - f_spare);
  carom_spot *from = &it->spare[0], *to = &it->spare[1];
  it->trial = *to;
  it->trial.value += part * (from->value - to->value);
  it->trial.other += part * (from->other - to->other);
  return true;
}

// `trial` becomes the place before s where a test (CAROM_CURVE_TESTS: the bounds) is zero: regula
// falsi, Illinois variant
static carom_status locate_zero(carom_curve *it, int test, double s, double fa, double fb) {
  double a = 0.0, b = s, last = INFINITY, most = fmax(fabs(fa), fabs(fb)), f[2] = {fb, fa}, fc;
  int side = 0;
  it->spare[0] = it->next;
  it->spare[1] = it->here;
  for (int round = 0; round < LOCATE_ROUNDS; round++) {
    double c = (a * fb - b * fa) / (fb - fa);
    if (!(c > fmin(a, b) && c < fmax(a, b))) c = 0.5 * (a + b);
    carom_status status = round == 0 ? go_along(it, c, &it->trial) : go_from(it, c, &it->trial);
    if (status == CAROM_OK) status = measure_test(it, &it->trial, test, &fc);
    if (status == CAROM_ERR_NO_CONVERGENCE && reach_zero(it, f[0], f[1], most)) return CAROM_OK;
    if (status != CAROM_OK) return status;
    if (isnan(fc)) return CAROM_ERR_NO_CONVERGENCE;
    if (fc == 0.0 || fabs(c - last) <= PLACED) return CAROM_OK;
    last = c;
    it->spare[0] = it->spare[1];
    it->spare[1] = it->trial;
    f[0] = f[1];
    f[1] = fc;
    if ((fc > 0.0) == (fb > 0.0)) {
      b = c, fb = fc;
      if (side == -1) fa *= 0.5;
      side = -1;
    } else {
      a = c, fa = fc;
      if (side == 1) fb *= 0.5;
      side = 1;
    }
  }
  return CAROM_OK;
}

// --- points

static carom_status record_corner(carom_curve *it, carom_spot *at, carom_corner corner, int number,
                                  carom_atlas *atlas, carom_error *error) {
  if (isnan(at->critical.value)) {
    carom_status status = carom_curve_criticality(it, at, &at->critical);
    if (status != CAROM_OK) return status;
  }
  const carom_orbit_data *orbit = &at->at.orbit;
  bool known = orbit->is.floquet.count > 0;
  const carom_atlas_point point = {.curve = number,
                                   .kind = it->kind,
                                   .name = it->name,
                                   .corner = corner,
                                   .value = at->value,
                                   .also = at->other,
                                   .period = orbit->is.period,
                                   .re = known ? orbit->re[0] : NAN,
                                   .im = known ? fabs(orbit->im[0]) : NAN,
                                   .coefficient = at->critical.value,
                                   .coefficient_error = at->critical.error,
                                   .virtual_motion = orbit->is.fixed_word.virtual_motion};
  return carom_atlas_record(atlas, &point, orbit->word, corner == CAROM_CORNER_END ? it->why : "",
                            error);
}

// the curve ends here: at its last point, or where it has begun
static carom_status end_here(carom_curve *it, int number, carom_atlas *atlas, carom_error *error) {
  carom_atlas_point *last = atlas->count > 0 ? &atlas->points[atlas->count - 1] : NULL;
  bool told = last && last->curve == number && last->corner == CAROM_CORNER_NONE &&
              last->value == it->here.value && last->also == it->here.other;
  // no step leads beyond a bound that the model has too, such as a restitution of 0
  carom_corner corner =
      margin_inside(it, &it->here) < AT_BOUND ? CAROM_CORNER_BOUND : CAROM_CORNER_END;
  if (told) { // it is told once more, with the reason
    free((void *)last->word);
    atlas->count--;
  }
  return record_corner(it, &it->here, corner, number, atlas, error);
}

static bool sign_changes(double a, double b) {
  return (a > 0.0 && b < 0.0) || (a < 0.0 && b > 0.0);
}

// A number may jump from one sign to the other, from one pair of multipliers to another: that is no
// zero
static bool is_zero(carom_curve *it, int test) {
  double value;
  carom_status status = carom_curve_test(it, &it->trial, test, &value);
  return status == CAROM_OK &&
         fabs(value) <= PART * fmax(fabs(it->tests[test]), fabs(it->next_tests[test]));
}

// Is an inequality broken at `next` that was not on the way there? Then Newton's method has found
// another motion, such as one whose last and least bounce is left out.
static bool has_leapt(carom_curve *it, double s) {
  const int test = CAROM_MEETS_BROKEN;
  if (it->options->branch.virtual_too || !sign_changes(it->tests[test], it->next_tests[test]))
    return false;
  carom_status status = locate_zero(it, test, s, it->tests[test], it->next_tests[test]);
  bool leapt = status == CAROM_ERR_NO_CONVERGENCE || (status == CAROM_OK && !is_zero(it, test));
  if (leapt) say_why(it, "beyond it another motion alone is found");
  return leapt;
}

// corners between `here` and `next`, s further on. *ends: the curve does not go on beyond one.
static carom_status examine_step(carom_curve *it, double s, int number, carom_atlas *atlas,
                                 bool *ends, carom_error *error) {
  for (int test = 0; test < CAROM_CURVE_TESTS; test++) {
    if (!sign_changes(it->tests[test], it->next_tests[test])) continue;
    carom_status status = locate_zero(it, test, s, it->tests[test], it->next_tests[test]);
    if (status == CAROM_STOP_USER || status == CAROM_ERR_MEMORY) return status;
    bool broken = test == CAROM_MEETS_BROKEN && !it->options->branch.virtual_too;
    *ends = *ends || broken;
    bool told = status == CAROM_OK && is_zero(it, test);
    if (status != CAROM_OK || margin_inside(it, &it->trial) < 0.0) continue;
    carom_corner corner = carom_curve_corner(it, test, &it->trial);
    if (corner == CAROM_CORNER_NONE || !told) continue;
    status = record_corner(it, &it->trial, corner, number, atlas, error);
    if (status != CAROM_OK) return status;
    // beyond these two multipliers are real, and nothing happens
    *ends = *ends || (carom_curve_of_pair(it->kind) &&
                      (test == CAROM_MEETS_SUM_TWO || test == CAROM_MEETS_SUM_MINUS_TWO));
  }
  return CAROM_OK;
}

// lines of branch and curve from `here` on; which way they point does not change
static void turn_lines(carom_curve *it) {
  double length = sqrt(it->way.plane[0] * it->way.plane[0] + it->way.plane[1] * it->way.plane[1]);
  if (!(length > SMALLEST)) return;
  double p = it->way.plane[0] / length, r = it->way.plane[1] / length;
  double sign = p * it->line[0] + r * it->line[1] < 0.0 ? -1.0 : 1.0;
  it->line[0] = sign * p;
  it->line[1] = sign * r;
  it->across[0] = it->line[1];
  it->across[1] = -it->line[0];
}

// Which way the curve leads on from here: as it went in the last two steps, by the parabola through
// their ends. Slopes of g are across it, as steep as they were.
static void go_on(carom_curve *it, const carom_heading *went, double s) {
  const carom_spot *here = &it->here;
  carom_heading *way = &it->way;
  double part = it->step_made > 0.0 ? s / (s + it->step_made) : 0.0;
  carom_heading before = it->other_way;
  *way = *went;
  it->other_way = *went;
  turn_by(it, way, 1.0 + part);
  way->plane[0] -= part * before.plane[0];
  way->plane[1] -= part * before.plane[1];
  for (int k = 0; k < it->follower.problem.count; k++)
    way->x[k] -= part * before.x[k];
  double length = sqrt(dot(it, way, way));
  if (length > 0.0) turn_by(it, way, 1.0 / length);
  way->tau = way->plane[0] * it->line[0] + way->plane[1] * it->line[1];
  way->a = here->at.at.tangent_p * (way->plane[0] * it->across[0] + way->plane[1] * it->across[1]);
  for (int k = 0; k < it->follower.problem.count; k++)
    way->a += here->at.at.tangent[k] * way->x[k];
  double steep = it->learned[0] * way->tau - it->learned[1] * way->a;
  way->slope[0] = steep * way->tau / (way->a * way->a + way->tau * way->tau);
  way->slope[1] = -steep * way->a / (way->a * way->a + way->tau * way->tau);
  it->step_made = s;
  it->exact = false;
}

// by differences, leading on as it did
static carom_status find_way_on(carom_curve *it) {
  carom_heading *before = malloc(sizeof *before);
  if (!before) return CAROM_ERR_MEMORY;
  *before = it->way;
  carom_status status = find_way(it, &it->way);
  if (status == CAROM_OK && dot(it, &it->way, before) < 0.0) turn_by(it, &it->way, -1.0);
  it->exact = status == CAROM_OK;
  free(before);
  return status;
}

// `here` has moved: turns begin across the motion there, and the tangent is found
static carom_status arrive_at_next(carom_curve *it) {
  double product;
  int first, second;
  it->here.at.at.p = 0.0;
  carom_follower_arrive(&it->follower, &it->here.at);
  set_plane(it, &it->here, 0.0);
  carom_status status = carom_branch_tangent(&it->follower.problem, &it->here.at.at, NULL);
  if (status != CAROM_OK) return status;
  it->by_line.known = true;
  memcpy(it->by_line.of, it->follower.slopes.found, sizeof it->by_line.of);
  if (carom_curve_of_pair(it->kind))
    (void)carom_curve_find_pair(&it->here.at.orbit, it->sum, &product, &it->sum, &first, &second);
  return CAROM_OK;
}

// the same with the way found by differences, and lines along it
static carom_status arrive_anew(carom_curve *it) {
  carom_status status = arrive_at_next(it);
  if (status == CAROM_OK) status = find_way_on(it);
  if (status != CAROM_OK) return status;
  turn_lines(it);
  status = arrive_at_next(it);
  return status == CAROM_OK ? find_way_on(it) : status;
}

// `next`, s further on, becomes `here`; round a sharp bend, such as a cusp, the way is found anew
static carom_status move_on(carom_curve *it, double s) {
  carom_heading *went = calloc(1, sizeof *went);
  if (!went) return CAROM_ERR_MEMORY;
  part_of(it, &it->here, &it->next, 1.0, went, 1.0);
  turn_by(it, went, 1.0 / sqrt(dot(it, went, went)));
  double plane = sqrt(went->plane[0] * went->plane[0] + went->plane[1] * went->plane[1]);
  double along = went->plane[0] * it->line[0] + went->plane[1] * it->line[1];
  bool sharp = !(fabs(along) > BEND * plane);
  it->here = it->next;
  it->way = *went;
  if (!sharp) turn_lines(it);
  carom_status status = sharp ? arrive_anew(it) : arrive_at_next(it);
  if (status == CAROM_OK && sharp) it->step_made = 0.0;
  if (status == CAROM_OK && !sharp) go_on(it, went, s);
  free(went);
  return status;
}

// does the step lead where it should?
static bool good_step(const carom_curve *it, double s) {
  carom_heading *went = calloc(1, sizeof *went);
  if (!went) return false;
  part_of(it, &it->here, &it->next, 1.0, went, 1.0);
  double length = sqrt(dot(it, went, went)), along = dot(it, went, &it->way);
  free(went);
  if (carom_curve_of_pair(it->kind)) {
    double product, sum;
    int first, second;
    if (!carom_curve_find_pair(&it->next.at.orbit, it->sum, &product, &sum, &first, &second) ||
        fabs(sum - it->sum) > PAIRED)
      return false;
  }
  return along > STRAIGHT * length && length < LONGEST * s;
}

static carom_status end_at_bound(carom_curve *it, double s, int number, carom_atlas *atlas,
                                 carom_error *error) {
  carom_status status = locate_zero(it, CAROM_CURVE_TESTS, s, margin_inside(it, &it->here),
                                    margin_inside(it, &it->next));
  if (status == CAROM_STOP_USER || status == CAROM_ERR_MEMORY) return status;
  carom_spot *last = status == CAROM_OK ? &it->trial : &it->here;
  return record_corner(it, last, CAROM_CORNER_BOUND, number, atlas, error);
}

// Does the cycle shrink to nothing between `here` and `next`, and come out half a turn later?
static bool has_vanished(const carom_curve *it) {
  double along = 0.0;
  for (int k = 0; k < it->map.count; k++)
    along += it->here.at.rate[k] * it->next.at.rate[k];
  return carom_orbit_has_period(&it->map) && along < 0.0;
}

// one step of s that has led to `next`
static carom_status accept_step(carom_curve *it, double s, int number, carom_atlas *atlas,
                                bool *ends, carom_error *error) {
  carom_status status = test_all(it, &it->next, it->next_tests);
  if (status == CAROM_OK && has_leapt(it, s)) return CAROM_ERR_NO_CONVERGENCE;
  if (status == CAROM_OK && has_vanished(it)) {
    say_why(it, "its cycle shrinks to an equilibrium");
    *ends = true;
    return end_here(it, number, atlas, error);
  }
  if (status == CAROM_OK) status = examine_step(it, s, number, atlas, ends, error);
  if (status != CAROM_OK || *ends) return status;
  if (margin_inside(it, &it->next) <= 0.0) {
    *ends = true;
    return end_at_bound(it, s, number, atlas, error);
  }
  status = record_corner(it, &it->next, CAROM_CORNER_NONE, number, atlas, error);
  memcpy(it->tests, it->next_tests, sizeof it->tests);
  return status == CAROM_OK ? move_on(it, s) : status;
}

// the curve from `here` on
static carom_status follow_curve(carom_curve *it, int number, carom_atlas *atlas,
                                 carom_error *error) {
  const carom_continuation_options *o = &it->options->branch;
  double step = o->first;
  bool ends = false;
  carom_status status = test_all(it, &it->here, it->tests);
  for (long k = 0; k < it->options->most && !ends && status == CAROM_OK;) {
    status = go_along(it, step, &it->next);
    if (status == CAROM_STOP_USER || status == CAROM_ERR_MEMORY) return status;
    bool good = status == CAROM_OK && good_step(it, step);
    if (status == CAROM_OK && !good) say_why(it, "it bends too sharply to be found beyond");
    if (good) status = accept_step(it, step, number, atlas, &ends, error);
    good = good && status != CAROM_ERR_NO_CONVERGENCE;
    if (!good && !it->exact) {
      status = find_way_on(it);
      continue;
    }
    if (!good) {
      step *= 0.5;
      status = step < SMALLEST ? CAROM_ERR_NO_CONVERGENCE : CAROM_OK;
      continue;
    }
    step = fmin(1.5 * step, o->largest);
    k++;
  }
  if (status == CAROM_STOP_USER || status == CAROM_ERR_MEMORY || ends) return status;
  if (status == CAROM_OK) say_why(it, "it is long enough");
  return end_here(it, number, atlas, error);
}

// --- a beginning

static void prepare_follower(carom_follower *follower) {
  carom_follower_prepare(follower);
  follower->problem.scale_p = 1.0;
  follower->problem.low = follower->problem.high = 0.0;
}

static carom_status take_start(carom_curve *it, const carom_curve_start *start, double also,
                               carom_simulation *simulation, carom_error *error) {
  const carom_atlas_options *o = it->options;
  carom_follower *follower = &it->follower;
  it->map = start->at.map;
  carom_orbit_make_with(&it->map, &(carom_turn_maker){.simulation = simulation,
                                                      .engine = start->at.map.maker.engine,
                                                      .parameter = o->branch.parameter,
                                                      .watcher = o->branch.watcher});
  carom_orbit_count_turns(&it->map, 0);
  it->settled.count = 1;
  *follower = (carom_follower){
      .options = &o->branch, .map = &it->map, .result = &it->settled, .low = -1.0, .high = 1.0};
  it->range[0] = fabs(o->branch.to - o->branch.from);
  it->range[1] = o->high - o->low;
  it->across[0] = it->line[1] = 1.0;
  it->sum = NAN;
  it->here.at.at = start->at.at;
  it->here.value = start->at.at.p;
  it->here.other = also;
  // the word is held where the engine can: curves go through what ends it
  carom_status status = CAROM_OK;
  if (!it->map.kind.rest && it->map.maker.engine->turns.fixed_word && !it->map.fixed_word.held) {
    status = carom_orbit_fix_word(&it->map, it->here.at.at.x, it->here.value, error);
    if (status == CAROM_ERR_UNSUPPORTED) status = CAROM_OK;
  }
  if (it->kind == CAROM_LABEL_GRAZE || it->kind == CAROM_LABEL_WORD) {
    it->map.fixed_word.watched = start->margin;
    it->name = it->map.kind.rest ? carom_rest_end_text(&start->margin)
                                 : carom_end_text(&start->margin, it->map.fixed_word.legs,
                                                  it->map.fixed_word.events);
  }
  it->map.maker.plane.also = o->also;
  prepare_follower(follower);
  return status;
}

// Has the word no event, and no inequality that could break? Then it need not be held: turns of the
// motion itself are quicker.
static bool nothing_ends(const carom_curve *it) {
  const carom_orbit_fixed_word *word = &it->next.at.orbit.is.fixed_word;
  return it->map.fixed_word.held && it->map.fixed_word.events == 0 &&
         it->map.fixed_word.watched.kind == CAROM_FAULT_NONE &&
         word->margin.kind == CAROM_FAULT_NONE;
}

// Two branches that cross part at once where anything disturbs what makes them cross, such as a
// symmetry, and there the equations are singular. Frequencies that meet are two coincidences.
static bool has_curve(carom_curve *it) {
  if (it->kind == CAROM_LABEL_CROSSING)
    say_why(it, "where branches cross is not followed: a symmetry alone keeps it");
  if (it->kind == CAROM_LABEL_FLUTTER) say_why(it, "where frequencies meet is not followed");
  return it->why[0] == 0;
}

// the special point itself, once more, on the surface
static carom_status settle_start(carom_curve *it) {
  if (!has_curve(it)) return CAROM_ERR_UNSUPPORTED;
  double product;
  int first, second;
  carom_leg_margin margin = it->map.fixed_word.watched;
  carom_status status = look_beside(it, &it->here, 0.0, 0.0, &it->next);
  if (status == CAROM_OK && nothing_ends(it)) {
    carom_orbit_free_word(&it->map);
    prepare_follower(&it->follower);
    status = look_beside(it, &it->here, 0.0, 0.0, &it->next);
  }
  if (status == CAROM_OK && margin.kind != CAROM_FAULT_NONE)
    status = carom_orbit_watch(&it->map, &margin, it->next.at.at.x, 0.0, NULL);
  // once more: what is zero together with the watched inequality is not the worst one any more
  if (status == CAROM_OK && margin.kind != CAROM_FAULT_NONE)
    status = look_beside(it, &it->here, 0.0, 0.0, &it->next);
  if (status != CAROM_OK) return status;
  it->here = it->next;
  if (carom_curve_of_pair(it->kind) &&
      !carom_curve_find_pair(&it->here.at.orbit, NAN, &product, &it->sum, &first, &second))
    return CAROM_ERR_NO_CONVERGENCE;
  return arrive_anew(it);
}

static carom_status both_ways(carom_curve *it, int number, carom_atlas *atlas, carom_error *error) {
  long began = atlas->count;
  carom_spot *start = malloc(sizeof *start);
  carom_curve *again = malloc(sizeof *again);
  carom_status status = start && again ? CAROM_OK : carom_fail_memory(error);
  if (status == CAROM_OK) {
    *again = *it;
    *start = it->here;
    turn_by(it, &it->way, -1.0);
    it->step_made = 0.0;
    status = follow_curve(it, number, atlas, error);
    carom_orbit_count_turns(&again->map, it->map.turns_made);
    carom_atlas_reverse(atlas, began);
  }
  if (status == CAROM_OK)
    status = record_corner(it, start, CAROM_CORNER_START, number, atlas, error);
  if (status == CAROM_OK) {
    *it = *again; // whose follower points to the map of `it`
    status = follow_curve(it, number, atlas, error);
  }
  free(again);
  free(start);
  return status;
}

// a curve that cannot be followed is told all the same: the place it goes through, and why
static carom_status tell_unfollowed(carom_curve *it, const carom_curve_start *start, double also,
                                    int number, carom_atlas *atlas, const carom_error *problem,
                                    carom_error *error) {
  if (it->why[0] == 0) say_why(it, problem->text);
  it->here.value = start->at.at.p;
  it->here.other = also;
  it->here.critical = (carom_criticality){0.0, 0.0};
  memcpy(it->here.at.orbit.word, start->at.map.derived.word, sizeof start->at.map.derived.word);
  carom_status status = record_corner(it, &it->here, CAROM_CORNER_END, number, atlas, error);
  if (status == CAROM_OK) {
    carom_atlas_point *only = &atlas->points[atlas->count - 1];
    only->coefficient = only->coefficient_error = NAN;
    only->period = start->at.map.kind.rest ? 0.0 : start->at.map.derived.period;
  }
  return status;
}

carom_status carom_curve_follow(const carom_atlas_options *options, const carom_curve_start *start,
                                double also, int number, carom_atlas *atlas, carom_error *error) {
  carom_simulation *simulation = NULL;
  carom_error problem = {0};
  carom_curve *it = calloc(1, sizeof *it);
  carom_orbit_map *map = calloc(1, sizeof *map);
  carom_status status = it && map ? CAROM_OK : carom_fail_memory(error);
  long before = atlas->count;
  bool begun = false;
  if (status == CAROM_OK)
    status = carom_simulation_create(options->branch.model, &simulation, error);
  if (status == CAROM_OK)
    status = carom_simulation_set_all(simulation, options->branch.value_count,
                                      options->branch.values, error);
  if (status == CAROM_OK) status = carom_orbit_map_init(map, simulation, error);
  if (status == CAROM_OK)
    status = carom_simulation_set(simulation, options->branch.parameter, start->at.at.p, error);
  if (status == CAROM_OK) {
    begun = true;
    it->options = options;
    it->kind = start->label;
    it->name = carom_branch_label_text(it->kind);
  }
  bool loops = begun && start->label == CAROM_LABEL_HOMOCLINIC;
  if (status == CAROM_OK && loops)
    status = carom_loops_follow(options, start, also, simulation, number, atlas, it->why, error);
  if (status == CAROM_OK && !loops) status = take_start(it, start, also, simulation, &problem);
  if (status == CAROM_OK && !loops) status = settle_start(it);
  if (status == CAROM_OK && !loops) status = both_ways(it, number, atlas, error);
  if (it) atlas->turns += it->map.turns_made;
  bool refused = status < 0 && status != CAROM_ERR_MEMORY; // others may be followed all the same
  if (begun && refused && atlas->count == before)
    status = tell_unfollowed(it, start, also, number, atlas, &problem, error);
  carom_simulation_destroy(simulation);
  free(map);
  free(it);
  return begun && status < 0 && status != CAROM_ERR_MEMORY ? CAROM_OK : status;
}
