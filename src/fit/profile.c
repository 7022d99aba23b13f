// SPDX-License-Identifier: MIT
/// Profiles of the likelihood: an input is held at a value and the others find their least cost.
/// With c the least cost and c(v) the one with the input at v, sqrt(2 (c(v) - c)) is the number of
/// standard errors that v is away from the best, whatever shape the function has (Wilks 1938).
#include "fit/fitting.h"

#include <math.h>
#include <string.h>

enum { MOST_ROUNDS = 40 };
static const double ERRORS = 1.959963984540054; // 95 %
static const double GROWTH = 1.6, NEAR = 1e-4;  // of the way: how well a limit is found

/// The profile of one input to one side of the best place.
typedef struct profile {
  carom_fitting *it;
  const carom_fit_place *best;
  int input;
  double spread;
  carom_fit_place at; // of the last value: the next search begins there
} profile;

// how many standard errors more than ERRORS a value is away; NaN: no least cost was found
static double errors_beyond(profile *p, double value) {
  double from = p->at.x[p->input];
  p->at.x[p->input] = value;
  p->it->fixed = p->input;
  bool found = carom_fit_descend(p->it, &p->at);
  p->it->fixed = -1;
  if (!found) {
    p->at.x[p->input] = from;
    return (double)NAN;
  }
  return sqrt(fmax(2.0 * (p->at.cost - p->best->cost) / p->spread, 0.0)) - ERRORS;
}

// the limit between `inside`, where g < 0, and `outside`, where g > 0: false position, halved when
// one end stays (Dowell and Jarratt 1971, the Illinois algorithm)
static double narrow_limit(profile *p, double inside, double g_in, double outside, double g_out) {
  double way = fabs(outside - inside), last = 0.0;
  for (int round = 0; round < MOST_ROUNDS && fabs(outside - inside) > NEAR * way; round++) {
    double value = inside - g_in * (outside - inside) / (g_out - g_in), g = errors_beyond(p, value);
    if (isnan(g)) return (double)NAN;
    if (fabs(g) < NEAR) return value;
    if (g < 0.0) {
      inside = value, g_in = g;
      if (last < 0.0) g_out *= 0.5;
    } else {
      outside = value, g_out = g;
      if (last > 0.0) g_in *= 0.5;
    }
    last = g;
  }
  return 0.5 * (inside + outside);
}

static double find_limit(profile *p, double first, double bound) {
  double inside = p->best->x[p->input], g_in = -ERRORS, step = first;
  memcpy(p->at.x, p->best->x, sizeof p->at.x);
  for (int round = 0; round < MOST_ROUNDS; round++) {
    double value = inside + step;
    bool last = step < 0.0 ? value <= bound : value >= bound;
    if (last) value = bound;
    double g = value == inside ? g_in : errors_beyond(p, value);
    if (isnan(g)) return (double)NAN;
    if (g >= 0.0) return narrow_limit(p, inside, g_in, value, g);
    if (last) return bound;
    inside = value, g_in = g;
    step *= GROWTH;
  }
  return (double)NAN;
}

carom_status carom_fit_profile(carom_fitting *it, const carom_fit_place *best, double spread,
                               carom_fit *made, carom_error *error) {
  double *low = carom_arena_array(made->arena, (size_t)it->n, sizeof *low);
  double *high = carom_arena_array(made->arena, (size_t)it->n, sizeof *high);
  if (!low || !high) return carom_fail_memory(error);
  for (int j = 0; j < it->n; j++) {
    profile p = {.it = it, .best = best, .input = j, .spread = spread};
    double range = it->range[j].high - it->range[j].low, known = made->view.errors[j];
    double first = isfinite(known) && known > 0.0 ? fmin(2.0 * known, range) : 0.05 * range;
    low[j] = find_limit(&p, -first, it->range[j].low);
    high[j] = find_limit(&p, first, it->range[j].high);
  }
  made->view.profile_low = low;
  made->view.profile_high = high;
  return CAROM_OK;
}
