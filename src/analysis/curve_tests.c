// SPDX-License-Identifier: MIT
/// Where two things happen at once on a curve: numbers that change their sign there, and their
/// names.
#include "analysis/curve_parts.h"

#include "base/elementary.h"

#include <math.h>
#include <string.h>

// which multipliers are critical by what the curve is
static void mark_critical(const carom_curve *it, const carom_orbit_data *orbit, bool *critical) {
  double wanted = it->kind == CAROM_LABEL_FLIP ? -1.0 : 1.0, nearest = INFINITY, product, sum;
  int which = -1, first, second;
  memset(critical, 0, CAROM_ORBIT_STATES * sizeof *critical);
  if (carom_curve_of_pair(it->kind)) {
    if (carom_curve_find_pair(orbit, it->sum, &product, &sum, &first, &second))
      critical[first] = critical[second] = true;
    return;
  }
  if (it->kind != CAROM_LABEL_FLIP && it->kind != CAROM_LABEL_FOLD) return;
  for (int k = 0; k < orbit->is.floquet.count; k++) {
    double away = carom_hypot(orbit->re[k] - wanted, orbit->im[k]);
    if (!(away < nearest)) continue;
    nearest = away;
    which = k;
  }
  if (which >= 0) critical[which] = true;
}

// prod(mu - shift) over those that are not critical; next to a double one it changes its sign
static double product_of_others(const carom_orbit_data *orbit, const bool *critical, double shift) {
  double re = 1.0, im = 0.0;
  for (int k = 0; k < orbit->is.floquet.count; k++) {
    double a = orbit->re[k] - shift, b = orbit->im[k], kept = re;
    if (critical[k]) continue;
    re = re * a - im * b;
    im = kept * b + im * a;
  }
  return re;
}

static double nearest_other_pair(const carom_orbit_data *orbit, const bool *critical) {
  double nearest = NAN;
  for (int k = 0; k < orbit->is.floquet.count; k++) {
    if (critical[k] || orbit->im[k] == 0.0) continue;
    double outside = carom_hypot(orbit->re[k], orbit->im[k]) - 1.0;
    if (isnan(nearest) || fabs(outside) < fabs(nearest)) nearest = outside;
  }
  return nearest;
}

carom_status carom_curve_criticality(carom_curve *it, const carom_spot *at,
                                     carom_criticality *found) {
  const carom_orbit_data *orbit = &at->at.orbit;
  bool pair = carom_curve_of_pair(it->kind), virtual_motion = orbit->is.fixed_word.virtual_motion;
  double product, sum, re = -1.0, im = 0.0;
  int first, second;
  *found = (carom_criticality){NAN, NAN};
  if ((!pair && it->kind != CAROM_LABEL_FLIP) || virtual_motion) return CAROM_OK;
  if (pair) {
    if (!carom_curve_find_pair(orbit, it->sum, &product, &sum, &first, &second)) return CAROM_OK;
    re = orbit->re[first];
    im = fabs(orbit->im[first]);
    if (im == 0.0) return CAROM_OK; // a neutral saddle
  }
  it->map.maker.plane.value = at->value;
  it->map.maker.plane.other = at->other;
  return carom_criticality_find(&it->map, orbit->word, at->at.at.x, it->kind, re, im, found);
}

static carom_status test_coefficient(carom_curve *it, const carom_spot *at, double *value) {
  carom_criticality found;
  carom_status status = carom_curve_criticality(it, at, &found);
  *value = found.value;
  return status;
}

carom_status carom_curve_test(carom_curve *it, const carom_spot *at, int test, double *value) {
  const carom_orbit_data *orbit = &at->at.orbit;
  bool critical[CAROM_ORBIT_STATES], pair = carom_curve_of_pair(it->kind);
  double product = NAN, sum = NAN;
  int first, second;
  *value = NAN;
  mark_critical(it, orbit, critical);
  if (pair) (void)carom_curve_find_pair(orbit, it->sum, &product, &sum, &first, &second);
  switch (test) {
  case CAROM_MEETS_CURVATURE:
    return it->kind == CAROM_LABEL_FOLD ? carom_curve_slope_along(it, at, value) : CAROM_OK;
  case CAROM_MEETS_ONE: *value = product_of_others(orbit, critical, 1.0); break;
  case CAROM_MEETS_MINUS_ONE:
    if (!it->map.kind.rest) *value = product_of_others(orbit, critical, -1.0);
    break;
  case CAROM_MEETS_PAIR: *value = nearest_other_pair(orbit, critical); break;
  case CAROM_MEETS_SUM_TWO: *value = 2.0 - sum; break;
  case CAROM_MEETS_SUM_MINUS_TWO:
    if (!it->map.kind.rest) *value = 2.0 + sum;
    break;
  case CAROM_MEETS_SUM_MINUS_ONE:
    if (!it->map.kind.rest) *value = (1.0 + sum) * sum;
    break;
  case CAROM_MEETS_COEFFICIENT: return test_coefficient(it, at, value);
  case CAROM_MEETS_BROKEN:
    if (orbit->is.fixed_word.held) *value = fmin(orbit->is.fixed_word.margin.value, 1.0);
    break;
  default: break;
  }
  return CAROM_OK;
}

static carom_corner corner_of_fold(const carom_curve *it, int test) {
  bool rest = it->map.kind.rest;
  if (test == CAROM_MEETS_CURVATURE) return CAROM_CORNER_CUSP;
  if (test == CAROM_MEETS_ONE) return rest ? CAROM_CORNER_TAKENS : CAROM_CORNER_ONE_ONE;
  if (test == CAROM_MEETS_MINUS_ONE) return CAROM_CORNER_FOLD_FLIP;
  return rest ? CAROM_CORNER_FOLD_HOPF : CAROM_CORNER_FOLD_TORUS;
}

static carom_corner corner_of_pair(const carom_curve *it, int test, double sum) {
  bool rest = it->map.kind.rest;
  switch (test) {
  case CAROM_MEETS_COEFFICIENT: return rest ? CAROM_CORNER_BAUTIN : CAROM_CORNER_CHENCINER;
  case CAROM_MEETS_ONE: return rest ? CAROM_CORNER_FOLD_HOPF : CAROM_CORNER_FOLD_TORUS;
  case CAROM_MEETS_MINUS_ONE: return CAROM_CORNER_FLIP_TORUS;
  case CAROM_MEETS_PAIR: return rest ? CAROM_CORNER_HOPF_HOPF : CAROM_CORNER_TORUS_TORUS;
  case CAROM_MEETS_SUM_TWO: return rest ? CAROM_CORNER_TAKENS : CAROM_CORNER_ONE_ONE;
  case CAROM_MEETS_SUM_MINUS_TWO: return CAROM_CORNER_ONE_TWO;
  default: return sum < -0.5 ? CAROM_CORNER_ONE_THREE : CAROM_CORNER_ONE_FOUR;
  }
}

// two things of which one is a graze
static carom_corner corner_of_graze(carom_branch_label kind) {
  switch (kind) {
  case CAROM_LABEL_FOLD: return CAROM_CORNER_GRAZE_FOLD;
  case CAROM_LABEL_FLIP: return CAROM_CORNER_GRAZE_FLIP;
  case CAROM_LABEL_TORUS: return CAROM_CORNER_GRAZE_TORUS;
  case CAROM_LABEL_GRAZE: return CAROM_CORNER_DOUBLE_GRAZE;
  default: return CAROM_CORNER_WORD;
  }
}

// what else happens where an impact grazes, seen from the side that has no such impact
static carom_corner corner_on_graze(int test) {
  return test == CAROM_MEETS_ONE         ? CAROM_CORNER_GRAZE_FOLD
         : test == CAROM_MEETS_MINUS_ONE ? CAROM_CORNER_GRAZE_FLIP
         : test == CAROM_MEETS_PAIR      ? CAROM_CORNER_GRAZE_TORUS
                                         : CAROM_CORNER_NONE;
}

carom_corner carom_curve_corner(const carom_curve *it, int test, const carom_spot *at) {
  double product, sum = 0.0;
  int first, second;
  if (test == CAROM_MEETS_BROKEN) {
    const carom_leg_margin *margin = &at->at.orbit.is.fixed_word.margin;
    if (it->map.kind.rest) return CAROM_CORNER_WORD;
    bool graze = strcmp(carom_end_text(margin, it->map.fixed_word.legs, it->map.fixed_word.events),
                        "graze") == 0;
    return graze ? corner_of_graze(it->kind) : CAROM_CORNER_WORD;
  }
  if (it->kind == CAROM_LABEL_GRAZE) return corner_on_graze(test);
  if (it->kind == CAROM_LABEL_FOLD) return corner_of_fold(it, test);
  if (carom_curve_of_pair(it->kind)) {
    (void)carom_curve_find_pair(&at->at.orbit, it->sum, &product, &sum, &first, &second);
    return corner_of_pair(it, test, sum);
  }
  if (it->kind != CAROM_LABEL_FLIP) return CAROM_CORNER_NONE;
  return test == CAROM_MEETS_COEFFICIENT ? CAROM_CORNER_GENERAL_FLIP
         : test == CAROM_MEETS_ONE       ? CAROM_CORNER_FOLD_FLIP
         : test == CAROM_MEETS_MINUS_ONE ? CAROM_CORNER_ONE_TWO
         : test == CAROM_MEETS_PAIR      ? CAROM_CORNER_FLIP_TORUS
                                         : CAROM_CORNER_NONE;
}
