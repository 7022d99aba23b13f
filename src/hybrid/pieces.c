// SPDX-License-Identifier: MIT
/// Observed quantities with kinks (abs, sign, min, max, if): a step is looked at in pieces between
/// them, along its dense output. The step itself knows nothing of that: what is observed does not
/// change the motion.
#include "hybrid/hybrid.h"

#include <assert.h>
#include <math.h>

enum { MANY_LOOKS = 64, MOST_LOOKS = 4096, MOST_HALVINGS = 50, NARROW = 8, SAMPLES = 32 };

static double branch_of(const carom_hybrid *it, int k, int kink) {
  return it->observing.follow_work[k].registers[it->model->followed[k].function.branch_at + kink];
}

static void set_branch(carom_hybrid *it, int k, int kink, double branch) {
  const carom_followed *followed = &it->model->followed[k];
  carom_watch_branch(&followed->function, &it->observing.follow_work[k], kink, branch);
  for (int j = kink + 1; j < followed->kink_count; j++)
    carom_watch_branch(&followed->kinks[j], &it->observing.kink_work[k][j], kink, branch);
}

static void argument_at(carom_hybrid *it, int k, int kink, double theta, double g[3]) {
  carom_watch_value(&it->model->followed[k].kinks[kink], &it->observing.kink_work[k][kink],
                    &it->stepper, theta, g);
}

// What counts as no more than zero where an argument rests: a tenth of what a step may be off. What
// holds a motion there (stick, a closed gap, a rule) leaves the rounding of its terms.
static double width_at_rest(carom_hybrid *it, int k, int kink, double t, const double *y) {
  double *weight = it->room.scratch;
  for (int i = 0; i < it->size; i++)
    weight[i] = 0.1 * (it->run.atol + it->run.rtol * fabs(y[i]));
  return carom_watch_spread(&it->model->followed[k].kinks[kink], &it->observing.kink_work[k][kink],
                            t, y, weight);
}

// is an argument never more than that in [a, b]?
static bool seems_zero(carom_hybrid *it, int k, int kink, double a, double b, double tolerance) {
  double g[3];
  for (int j = 0; j <= SAMPLES; j++) {
    argument_at(it, k, kink, a + (b - a) * j / SAMPLES, g);
    if (!(fabs(g[0]) <= tolerance)) return false;
  }
  return true;
}

// Branches from number `first` on, by the side of zero their arguments are on or go to. One that
// stays at zero up to `end` has no side: sign(0) is 0, and 0 > 0 does not hold. The integer that
// floor or mod hold has one for all that.
static void take_branches(carom_hybrid *it, int k, int first, double theta, double end) {
  const carom_followed *followed = &it->model->followed[k];
  assert(theta <= end);
  for (int j = first; j < followed->kink_count; j++) {
    double g[3];
    argument_at(it, k, j, theta, g);
    double decides = g[0] != 0.0 ? g[0] : g[1] != 0.0 ? g[1] : g[2];
    double width =
        followed->counts[j] ? -1.0 : width_at_rest(it, k, j, it->stepper.t, it->stepper.y);
    bool rests = fabs(g[0]) <= width && seems_zero(it, k, j, theta, end, width);
    set_branch(it, k, j, rests ? 0.0 : decides < 0.0 ? -1.0 : 1.0);
  }
}

void carom_pieces_begin(carom_hybrid *it, int k, double theta, double end) {
  take_branches(it, k, 0, theta, end);
}

void carom_pieces_cross(carom_hybrid *it, int k, int kink, double theta, double end) {
  set_branch(it, k, kink, -branch_of(it, k, kink));
  take_branches(it, k, kink + 1, theta, end);
}

void carom_pieces_at(carom_hybrid *it, int k, double t, const double *y, const double *rate) {
  assert(k >= 0 && k < it->model->followed_count);
  const carom_followed *followed = &it->model->followed[k];
  for (int j = 0; j < followed->kink_count; j++) {
    double value, slope;
    carom_watch_both(&followed->kinks[j], &it->observing.kink_work[k][j], t, y, rate, &value,
                     &slope);
    double decides = value != 0.0 ? value : slope;
    bool rests = !followed->counts[j] && fabs(value) <= width_at_rest(it, k, j, t, y);
    set_branch(it, k, j, rests ? 0.0 : decides < 0.0 ? -1.0 : 1.0);
  }
}

// where an argument that is on the other side at b leaves the side it has at a
static double change_of_side(carom_hybrid *it, int k, int kink, double a, double b) {
  double side = branch_of(it, k, kink), g[3];
  for (;;) {
    double middle = 0.5 * (a + b);
    if (!(middle > a && middle < b)) return b;
    argument_at(it, k, kink, middle, g);
    *(g[0] * side > 0.0 ? &a : &b) = middle;
  }
}

// what the integrator cannot tell from zero
static double tolerance_of(carom_hybrid *it, int k, int kink) {
  return it->run.event_tolerance *
         carom_watch_spread(&it->model->followed[k].kinks[kink], &it->observing.kink_work[k][kink],
                            it->stepper.t, it->stepper.y, it->room.weight);
}

// The first place in (a, b] where an argument leaves its side; b: it does not. NaN: too busy to be
// searched. Intervals are halved until the argument has no zero there or is monotone, the left half
// first.
static double first_change(carom_hybrid *it, int k, int kink, double a, double b) {
  assert(k >= 0 && k < it->model->followed_count);
  const carom_watch *watch = &it->model->followed[k].kinks[kink];
  carom_watch_work *work = &it->observing.kink_work[k][kink];
  double side = branch_of(it, k, kink), ends[MOST_HALVINGS + 2], tolerance = -1.0;
  int left = 0, looks = 0;
  if (side == 0.0) return b;
  // an argument that has changed its side within the step, or cannot be bounded, may be zero but
  // for rounding, and has no sides to change then
  if (a > 0.0 && seems_zero(it, k, kink, a, b, tolerance_of(it, k, kink))) return b;
  ends[left++] = b;
  for (double from = a; left > 0;) {
    carom_interval g[3];
    double to = ends[left - 1], at[3], start[3];
    carom_watch_bound(watch, work, &it->stepper, from, to, g);
    if (carom_interval_has_zero(g[0]) || isnan(g[0].lo)) {
      argument_at(it, k, kink, from, start);
      argument_at(it, k, kink, to, at);
      carom_root_sharpen(start, at, to - from, g);
    }
    if (!carom_interval_has_zero(g[0]) && !isnan(g[0].lo)) {
      if (g[0].lo * side < 0.0) return from;
      from = ends[--left];
      continue;
    }
    if (tolerance < 0.0 && left > NARROW) tolerance = tolerance_of(it, k, kink);
    bool flat = left > NARROW && fmax(-g[0].lo, g[0].hi) <= tolerance;
    bool plain = !carom_interval_has_zero(g[1]) && !isnan(g[1].lo);
    if (plain || flat || left > MOST_HALVINGS) {
      if (at[0] * side < 0.0 && !flat) return change_of_side(it, k, kink, from, to);
      from = ends[--left];
      continue;
    }
    if (++looks == MANY_LOOKS || looks > MOST_LOOKS) {
      if (seems_zero(it, k, kink, from, b, tolerance_of(it, k, kink))) return b;
      if (looks > MOST_LOOKS) return (double)NAN;
    }
    ends[left++] = 0.5 * (from + to);
  }
  return b;
}

double carom_pieces_end(carom_hybrid *it, int k, double a, double b, int *kink) {
  double end = b;
  *kink = -1;
  for (int j = 0; j < it->model->followed[k].kink_count; j++) {
    double change = first_change(it, k, j, a, end);
    if (isnan(change)) return change;
    if (!(change < end)) continue;
    end = change;
    *kink = j;
  }
  return end;
}
