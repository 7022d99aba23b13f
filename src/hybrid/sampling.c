// SPDX-License-Identifier: MIT
/// Samples of a motion. With a grid (run.sample) they lie on it. Without one they follow the
/// motion: between two of them every column is straight but for a small part of what it has reached
/// so far, and instants are met by two, one on each side.
#include "hybrid/hybrid.h"

#include "model/dynamics_functions.h"

#include <math.h>
#include <string.h>

static const double STRAIGHT = 1.0 / 500.0; // of a column's reach: how far a chord may be off
static const double NOTHING = 1000.0;       // tolerances of the integrator
static const double MOST_A_RUN = 20000.0, LEAST_A_RUN = 500.0, LEAST_A_PERIOD = 32.0;

void carom_hybrid_fill_sample(carom_hybrid *it, double t, const double *y) {
  const carom_hybrid_model *model = it->model;
  const carom_dynamics *dynamics = model->dynamics;
  double *at = it->observing.sample_values;
  memcpy(at, y, (size_t)dynamics->size * sizeof *y);
  at += dynamics->size;
  if (model->functions && model->functions->observables.count > 0) {
    carom_point point = carom_functions_point(dynamics, &it->work, t, y);
    (void)model->functions->observable(model->functions->ctx, &point, at);
    at += model->functions->observables.count;
  } else if (model->scenario && model->scenario->definitions.count > 0) {
    carom_probe_run(it, t, y, it->rate);
    for (int k = 0; k < model->scenario->definitions.count; k++)
      *at++ = carom_probe_output(it, k);
  }
  carom_energy energy;
  if (!dynamics->has_energy) return;
  (void)carom_dynamics_energy(dynamics, &it->work, t, y, &energy);
  *at++ = energy.kinetic;
  *at++ = energy.potential;
}

void carom_sampling_reset(carom_hybrid *it) {
  carom_sampler *own = &it->observing.sampler;
  carom_sampled *sampled = &it->now.sampled;
  *sampled = (carom_sampled){.last = NAN};
  for (int k = 0; k < it->model->column_count; k++)
    own->low[k] = own->high[k] = NAN;
}

void carom_sampling_begin(carom_hybrid *it) {
  if (!(it->run.sample > 0.0)) return;
  double first = ceil((it->now.t - it->run.start) / it->run.sample - 1e-9);
  carom_sampled *sampled = &it->now.sampled;
  if ((double)sampled->next < first) sampled->next = (long)first;
}

// the columns at a place of the tried step, with the ledger
static void evaluate_columns(carom_hybrid *it, double theta, double t) {
  carom_dense_eval(&it->stepper, theta, it->before, it->rate, NULL);
  // at the ends of a step the state itself, not its interpolation
  if (theta == 0.0) memcpy(it->before, it->stepper.y, (size_t)it->size * sizeof *it->before);
  if (theta == 1.0) memcpy(it->before, it->stepper.y1, (size_t)it->size * sizeof *it->before);
  carom_hybrid_fill_sample(it, t, it->before);
}

static bool hand_out(carom_hybrid *it, double t) {
  const carom_observer *observer = &it->simulation->observer;
  carom_sampled *sampled = &it->now.sampled;
  sampled->last = t;
  sampled->owed = false;
  return observer->sample(observer->ctx, it->simulation, t, it->model->column_count,
                          it->observing.sample_values);
}

// the last sample falls on the end of the run in spite of rounding
static bool is_due(const carom_hybrid *it, double t, double theta_end) {
  double slack = theta_end == 1.0 ? 1e-9 * it->run.sample : 0.0;
  return t <= it->stepper.t + theta_end * it->stepper.h + slack;
}

static bool along_grid(carom_hybrid *it, double theta_end) {
  carom_sampled *sampled = &it->now.sampled;
  for (bool stop = false; !stop; sampled->next++) {
    double t = it->run.start + (double)sampled->next * it->run.sample;
    if (!is_due(it, t, theta_end)) return false;
    double theta = (t - it->stepper.t) / it->stepper.h;
    evaluate_columns(it, theta < 0.0 ? 0.0 : theta > 1.0 ? 1.0 : theta, t);
    stop = hand_out(it, t);
  }
  return true;
}

// ---- following the motion ----

static double run_length(const carom_hybrid *it) { return it->run.until - it->run.start; }
static double least_apart(const carom_hybrid *it) { return run_length(it) / MOST_A_RUN; }

static double most_apart(const carom_hybrid *it) {
  double most = run_length(it) / LEAST_A_RUN;
  return it->run.period > 0.0 ? fmin(most, it->run.period / LEAST_A_PERIOD) : most;
}

// energies are left out: they follow from the rest
static int followed_columns(const carom_hybrid *it) {
  return it->model->column_count - (it->model->dynamics->has_energy ? 2 : 0);
}

static void columns_at(carom_hybrid *it, double theta, double *columns) {
  carom_sampler *own = &it->observing.sampler;
  evaluate_columns(it, theta, it->stepper.t + theta * it->stepper.h);
  int count = followed_columns(it);
  for (int k = 0; k < count; k++) {
    double value = it->observing.sample_values[k];
    if (!(own->low[k] <= value)) own->low[k] = value;
    if (!(own->high[k] >= value)) own->high[k] = value;
    columns[k] = value;
  }
}

// how far a column may be off its chord; what the integrator cannot tell is nothing
static double allowed_offset(const carom_hybrid *it, int k) {
  const carom_sampler *own = &it->observing.sampler;
  double size = fmax(fabs(own->low[k]), fabs(own->high[k]));
  return STRAIGHT * (own->high[k] - own->low[k]) + NOTHING * (it->run.rtol * size + it->run.atol);
}

// is a column off the chord from a to b, at one of three places between them?
static bool chord_bends(carom_hybrid *it, double a, double b) {
  const carom_sampler *own = &it->observing.sampler;
  double *between = it->observing.sample_values;
  int count = followed_columns(it);
  for (int part = 1; part <= 3; part++) {
    double share = 0.25 * part, theta = a + share * (b - a);
    evaluate_columns(it, theta, it->stepper.t + theta * it->stepper.h);
    for (int k = 0; k < count; k++) {
      double chord = own->from[k] + share * (own->to[k] - own->from[k]);
      if (fabs(between[k] - chord) > allowed_offset(it, k)) return true;
    }
  }
  return false;
}

// The next place of a sample behind `a`, not beyond `end`: first the whole way, then half of it ...
static double next_place(carom_hybrid *it, double a, double width, double end) {
  double h = it->stepper.h, b = fmin(a + width, end);
  columns_at(it, b, it->observing.sampler.to);
  while ((b - a) * h > 2.0 * least_apart(it) &&
         ((b - a) * h > most_apart(it) || chord_bends(it, a, b))) {
    b = a + 0.5 * (b - a);
    columns_at(it, b, it->observing.sampler.to);
  }
  return b;
}

static bool sample_at(carom_hybrid *it, double theta) {
  double t = theta == 1.0 ? it->stepper.t1 : it->stepper.t + theta * it->stepper.h;
  evaluate_columns(it, theta, t);
  return hand_out(it, t);
}

// the last place of a stretch: left out where an instant comes, or where the last sample is near
static bool is_wanted(const carom_hybrid *it, double theta, double end, bool instant) {
  if (theta < end) return true;
  double t = it->stepper.t + theta * it->stepper.h;
  return !instant && (t - it->now.sampled.last >= least_apart(it) ||
                      t >= it->run.until - 1e-12 * run_length(it));
}

static bool along_motion(carom_hybrid *it, double end, bool instant) {
  carom_sampler *own = &it->observing.sampler;
  double a = (it->now.sampled.last - it->stepper.t) / it->stepper.h, width = end;
  bool begins = isnan(it->now.sampled.last) || it->now.sampled.owed;
  if (!(a > 0.0)) a = 0.0;
  if (begins && sample_at(it, a = 0.0)) return true;
  columns_at(it, a, own->from);
  while (a < end) {
    double b = next_place(it, a, width, end);
    if (is_wanted(it, b, end, instant) && sample_at(it, b)) return true;
    memcpy(own->from, own->to, (size_t)it->model->column_count * sizeof *own->from);
    width = 2.0 * (b - a);
    a = b;
  }
  return false;
}

bool carom_sampling_along(carom_hybrid *it, double theta_end, bool instant, carom_error *error,
                          carom_status *status) {
  if (!it->simulation->observer.sample || !(it->run.sample > 0.0)) return false;
  double due = it->run.follows ? it->stepper.t
                               : it->run.start + (double)it->now.sampled.next * it->run.sample;
  if (!is_due(it, due, theta_end)) return false;
  if (!it->stepper.dense.known && (*status = carom_stepper_dense(&it->stepper, error)) != CAROM_OK)
    return true;
  return it->run.follows ? along_motion(it, theta_end, instant) : along_grid(it, theta_end);
}

bool carom_sampling_before(carom_hybrid *it) {
  if (!it->simulation->observer.sample || !it->run.follows || !(it->run.sample > 0.0)) return false;
  if (it->now.t - it->now.sampled.last < least_apart(it)) return false;
  memcpy(it->before, it->stepper.y, (size_t)it->size * sizeof *it->before);
  memcpy(it->rate, it->stepper.f, (size_t)it->size * sizeof *it->rate);
  carom_hybrid_fill_sample(it, it->now.t, it->before);
  carom_sampled *sampled = &it->now.sampled;
  bool stop = hand_out(it, it->now.t);
  sampled->owed = true;
  return stop;
}

void carom_sampling_end(carom_hybrid *it) {
  const carom_sampled *sampled = &it->now.sampled;
  if (!it->simulation->observer.sample || !it->run.follows || !(it->run.sample > 0.0)) return;
  bool changed = sampled->jumped && sampled->last < it->now.t;
  if (!changed && !sampled->owed && !isnan(sampled->last)) return;
  memcpy(it->before, it->y, (size_t)it->size * sizeof *it->y);
  (void)carom_hybrid_rhs(it, it->now.t, it->y, it->rate);
  carom_hybrid_fill_sample(it, it->now.t, it->before);
  (void)hand_out(it, it->now.t);
}
