// SPDX-License-Identifier: MIT
/// The running loop: step, look for events along the step, end the step at the first of them.
#include "hybrid/hybrid.h"

#include "hybrid/tangent.h"
#include "model/dynamics_functions.h"

#include <math.h>
#include <string.h>

static const double IMPACT_REACH = 1.5; // of the last flight: how far the next step goes
enum { STALLED_INSTANTS = 200, FLAT_STEPS = 8, TOLD_STEPS = 64 };
static const double SHORTEST_PART = 1e-12; // of a step that ends at a root
static const double TIME_ROUNDING = 2.3e-16, COARSEST = 1e-9;
static const double SAME_INSTANT = 1e-13; // roots this near (relative to the step) are one event

// what rounding of time leaves unknown of a point of the tried step
static double theta_resolution(const carom_hybrid *it) {
  return fmin(COARSEST, TIME_ROUNDING * fabs(it->stepper.t1) / it->stepper.h);
}

// how far apart roots of one instant may be found
static double same_instant(const carom_hybrid *it) {
  return SAME_INSTANT + 2.0 * theta_resolution(it);
}

static void watch_value(void *ctx, int k, double theta, double g[3]) {
  carom_hybrid *it = ctx;
  carom_watch_value(&it->model->watched[k].function, &it->watch_work[k], &it->stepper, theta, g);
}

static void watch_bound(void *ctx, int k, double a, double b, carom_interval g[3]) {
  carom_hybrid *it = ctx;
  carom_watch_bound(&it->model->watched[k].function, &it->watch_work[k], &it->stepper, a, b, g);
}

static bool watch_range(void *ctx, int k, carom_interval *g) {
  carom_hybrid *it = ctx;
  const carom_watch *watch = &it->model->watched[k].function;
  carom_watch_work *work = &it->watch_work[k];
  *g = carom_watch_range(watch, work, &it->stepper, 0.0, 1.0);
  work->lowest = g->lo;
  work->lowest_at = it->stepper.evaluations;
  return watch->component >= 0 || (watch->total && isfinite(g->lo) && isfinite(g->hi));
}

// events of models given by functions: all values at once, one of them wanted
static void function_value(void *ctx, int k, double theta, double g[3]) {
  carom_hybrid *it = ctx;
  const carom_functions *functions = it->model->functions;
  carom_dense_eval(&it->stepper, theta, it->scratch, NULL, NULL);
  carom_point at = carom_functions_point(it->model->dynamics, &it->work,
                                         it->stepper.t + theta * it->stepper.h, it->scratch);
  double *values = it->scratch + it->size;
  g[0] = functions->event(functions->ctx, &at, values) == CAROM_OK ? values[k] : NAN;
  g[1] = g[2] = NAN;
}

// where a function that changes its sign over the step does so, by bisection
static double sign_change(const carom_root_functions *functions, int k, int side) {
  double lo = 0.0, hi = 1.0, g[3];
  for (int round = 0; round < 60; round++) {
    double middle = 0.5 * (lo + hi);
    functions->value(functions->ctx, k, middle, g);
    if (g[0] * side > 0.0)
      lo = middle;
    else
      hi = middle;
  }
  return fmax(hi, SHORTEST_PART);
}

// Deliberately loose detection, as in many programs: signs are compared at step ends only, so that
// a function that crosses zero and returns within a step is not noticed. What is noticed is
// located.
static int roots_at_step_end(carom_hybrid *it, const carom_root_functions *functions) {
  int count = 0;
  for (int k = 0; k < functions->count; k++) {
    const carom_root_watch *watch = &it->root_watch[k];
    double after[3];
    if (!watch->active || watch->side == 0) continue;
    functions->value(functions->ctx, k, 1.0, after);
    carom_direction direction = watch->side < 0 ? CAROM_RISING : CAROM_FALLING;
    if (!(after[0] * watch->side < 0.0)) continue;
    if (watch->direction && watch->direction != direction) continue;
    carom_root root = {CAROM_ROOT_CROSSING, k, direction, sign_change(functions, k, watch->side)};
    // the earliest instant stays
    if (count > 0 && root.theta > it->roots[0].theta + same_instant(it)) continue;
    if (count > 0 && root.theta < it->roots[0].theta - same_instant(it)) count = 0;
    it->roots[count++] = root;
  }
  return count;
}

// How far the contact forces are from the end of their modes. Where they go through infinity
// (Painleve's paradox) this falls from plus to minus infinity.
static void force_value(void *ctx, int k, double theta, double g[3]) {
  carom_hybrid *it = ctx;
  (void)k;
  double t = it->stepper.t + theta * it->stepper.h, *y = it->scratch + it->size;
  carom_dense_eval(&it->stepper, theta, y, NULL, NULL);
  g[0] = g[1] = g[2] = NAN;
  if (carom_hybrid_evaluate_rows(it, t, y) != CAROM_OK) return;
  (void)carom_contact_evaluate(&it->model->contacts, &it->contact, it->model->dynamics,
                               &it->work.rows, it->model->constraints, t, y, true);
  g[0] = it->contact.margin.value;
}

// the same for phases with programs of their own: each condition by itself, which is smooth
static void lone_value(void *ctx, int k, double theta, double g[3]) {
  g[0] = carom_lone_margin(ctx, k, theta);
  g[1] = g[2] = NAN;
}

// Most steps are far from the end of their modes: five Chebyshev points show that the margin stays
// above zero even if all that they do not show is many times what their last coefficients are.
static bool stays_positive(carom_hybrid *it, int k) {
  const double r = 0.70710678118654752440, doubt = 16.0;
  double v[5];
  for (int j = 0; j < 5; j++) // the points of a longer search, which then knows them
    v[j] =
        carom_lone_margin(it, k, (const double[]){1.0, 0.5 + 0.5 * r, 0.5, 0.5 - 0.5 * r, 0.0}[j]);
  double s0 = 0.5 * (v[0] + v[4]), s1 = v[1] + v[3], d0 = 0.5 * (v[0] - v[4]), d1 = v[1] - v[3];
  double c1 = 0.5 * (d0 + r * d1), c2 = 0.5 * (s0 - v[2]), c3 = 0.5 * (d0 - r * d1);
  double c4 = 0.25 * (s0 - s1 + v[2]), mean = 0.25 * (s0 + s1 + v[2]);
  return mean - fabs(c1) - fabs(c2) > (1.0 + doubt) * (fabs(c3) + fabs(c4));
}

// where the present modes end first, if they do
static bool find_end_of_modes(carom_hybrid *it, carom_root *found) {
  carom_root_functions functions = {
      .ctx = it, .count = carom_lone_margin_count(it), .value = lone_value};
  carom_root_watch *watch = it->root_watch + it->model->watched_count;
  for (int k = 0; k < CAROM_LONE_MARGINS; k++)
    watch[k] = (carom_root_watch){.direction = CAROM_FALLING, .active = true, .skip_grazing = true};
  it->lone.seen_count = it->lone.seen_next = 0;
  it->lone.unsafe = false;
  *found = (carom_root){.kind = CAROM_ROOT_CROSSING, .direction = CAROM_FALLING};
  carom_lone_end end = carom_lone_series_end(it, &found->theta);
  if (end != CAROM_LONE_UNKNOWN) return end == CAROM_LONE_ENDS;
  bool clear = functions.count > 0;
  for (int k = 0; k < functions.count && clear; k++)
    clear = stays_positive(it, k);
  if (clear) return false; // no point was unsafe: its margin would not be a number
  bool ends = carom_root_first(&functions, watch, same_instant(it), 1, found) > 0;
  if (functions.count > 0 && !it->lone.unsafe) return ends;
  functions = (carom_root_functions){.ctx = it, .count = 1, .value = force_value};
  return carom_root_first(&functions, watch, same_instant(it), 1, found) > 0;
}

// the end of the present modes, put behind the roots found already; the earliest instant stays
static int find_force_roots(carom_hybrid *it, int count) {
  if (it->contact.closed == 0) return count;
  carom_root found;
  // forces that broke their laws from the start of the step never cross zero
  if (it->now.violated && !it->now.resigned) {
    it->roots[0] =
        (carom_root){CAROM_ROOT_CROSSING, it->model->watched_count, CAROM_FALLING, SHORTEST_PART};
    return 1;
  }
  if (!find_end_of_modes(it, &found)) return count;
  if (count > 0 && found.theta > it->roots[0].theta + same_instant(it)) return count;
  if (count > 0 && found.theta < it->roots[0].theta - same_instant(it)) count = 0;
  found.function = it->model->watched_count;
  it->roots[count] = found;
  return count + 1;
}

static carom_root_functions watched_functions(carom_hybrid *it) {
  carom_root_functions functions = {.ctx = it,
                                    .count = it->model->watched_count,
                                    .value = watch_value,
                                    .bound = watch_bound,
                                    .range = watch_range};
  if (it->model->functions) {
    functions.value = function_value;
    functions.bound = NULL;
    functions.range = NULL;
  }
  return functions;
}

// theta between lo and hi where what is wanted (the gap, or its slope) stops being positive
static double last_positive(carom_hybrid *it, int k, int derivative, double lo, double hi) {
  double g[3];
  for (int round = 0; round < 60; round++) {
    double middle = 0.5 * (lo + hi);
    watch_value(it, k, middle, g);
    *(g[derivative] > 0.0 ? &lo : &hi) = middle;
  }
  return hi;
}

// the landing of a gap that is negative at `end`: behind the top of its hop, if it hops
static double landing_before(carom_hybrid *it, int k, double end) {
  const double earliest = 1e-12;
  double g[3], top = 0.0;
  watch_value(it, k, 0.0, g);
  if (g[0] <= 0.0 && g[1] > 0.0) {
    top = last_positive(it, k, 1, 0.0, end);
    watch_value(it, k, top, g);
  }
  return fmax(earliest, g[0] > 0.0 ? last_positive(it, k, 0, top, end) : top);
}

// a flight that is out of the tolerance half-way was followed by the search: no hop below it
static bool flies_clear(carom_hybrid *it, int k, double end) {
  double g[3];
  watch_value(it, k, 0.5 * end, g);
  return g[0] > it->root_watch[k].tolerance;
}

// The last safety net: no open gap may be negative where the step ends. A hop below the tolerance
// lands unseen by the search; anything deeper has been missed by it, which is put right and
// counted.
static int catch_missed(carom_hybrid *it, int count) {
  for (int k = 0; k < it->model->watched_count; k++) {
    if (it->model->watched[k].kind != CAROM_WATCH_GAP || !it->root_watch[k].active) continue;
    const carom_watch_work *work = &it->watch_work[k];
    if (work->lowest_at == it->stepper.evaluations && work->lowest > 0.0) continue;
    double end = count > 0 ? it->roots[0].theta : 1.0, g[3], start[3];
    bool known = false;
    for (int j = 0; j < count; j++)
      known = known || it->roots[j].function == k;
    if (known && flies_clear(it, k, end)) continue;
    watch_value(it, k, end, g);
    if (g[0] >= 0.0 || g[1] >= 0.0) continue;
    watch_value(it, k, 0.0, start);
    double tolerance = it->root_watch[k].tolerance;
    bool hops = fabs(start[0]) <= tolerance;
    if (!hops && (known || g[0] >= -tolerance)) continue;
    double theta = landing_before(it, k, end);
    if (known && theta >= end * (1.0 - same_instant(it))) continue;
    it->now.certificate.rescued += !hops;
    it->roots[0] = (carom_root){CAROM_ROOT_CROSSING, k, CAROM_FALLING, theta};
    count = 1;
  }
  return count;
}

// A function whose search does not end may be rounding alone (terms that cancel): then zero is as
// wide as that. True when this widened it.
static bool allow_for_rounding(carom_hybrid *it, int k) {
  const double rounding = 32.0 * 2.2e-16;
  if (it->model->functions) return false;
  carom_interval g[3];
  watch_bound(it, k, 0.0, 1.0, g);
  double width = rounding * fmax(fabs(g[0].lo), fabs(g[0].hi));
  bool wider = isfinite(width) && width > it->root_watch[k].tolerance;
  if (wider) it->watch_memory[k].rounding = it->root_watch[k].tolerance = width;
  return wider;
}

// does the function stay within its tolerance over the step, as far as samples tell?
static bool seems_flat(carom_hybrid *it, const carom_root_functions *functions, int k) {
  enum { SAMPLES = 32 };
  double g[3], tolerance = it->root_watch[k].tolerance;
  int component = it->model->functions ? -1 : it->model->watched[k].function.component, j = 0;
  // of a component of the state all samples at once
  if (component >= 0) {
    if (!carom_dense_within(&it->stepper, component, SAMPLES, tolerance)) return false;
    j = SAMPLES;
  }
  for (; j <= SAMPLES; j++) {
    functions->value(it, k, (double)j / SAMPLES, g);
    if (!(fabs(g[0]) <= tolerance)) return false;
  }
  return true;
}

// A function that was told to be flat need not be proved so in every step (terms that cancel can
// not be bounded well enough): it rests until a sample shows that it leaves.
static void rest_flat_ones(carom_hybrid *it, const carom_root_functions *functions) {
  for (int k = 0; k < functions->count; k++) {
    carom_root_watch *watch = &it->root_watch[k];
    watch->tolerance = fmax(watch->tolerance, it->watch_memory[k].rounding);
    watch->resolution = it->model->watched[k].kind == CAROM_WATCH_SLIP ? 0.0 : theta_resolution(it);
    if (carom_watched_is_rule(&it->model->watched[k]))
      watch->active = it->watch_memory[k].flat_steps < FLAT_STEPS || !seems_flat(it, functions, k);
    if (carom_hybrid_ignores(it, k)) watch->active = false;
  }
}

// no proof, but all looks flat: it is told as such at the end of this step
static bool give_up_flat(carom_hybrid *it, const carom_root_functions *functions, int k) {
  if (!carom_watched_is_rule(&it->model->watched[k]) || !seems_flat(it, functions, k)) return false;
  it->root_watch[k].active = false;
  it->watch_memory[k].flat_steps = FLAT_STEPS - 1;
  return true;
}

// a function that wavers about the edge of its tolerance is not told to be flat in every step
static bool told_lately(carom_hybrid *it, const carom_root *root) {
  int k = root->function;
  if (root->kind != CAROM_ROOT_FLAT || it->watch_memory[k].told == 0 ||
      it->now.certificate.steps - it->watch_memory[k].told > TOLD_STEPS)
    return false;
  it->root_watch[k].active = false;
  return true;
}

static int find_roots(carom_hybrid *it) {
  carom_root_functions functions = watched_functions(it);
  if (it->run.loose) return find_force_roots(it, roots_at_step_end(it, &functions));
  int room = it->model->watched_count, count = 0;
  rest_flat_ones(it, &functions);
  do
    count = carom_root_first(&functions, it->root_watch, same_instant(it), room, it->roots);
  while (count > 0 && (told_lately(it, &it->roots[0]) ||
                       (it->roots[0].kind == CAROM_ROOT_UNDECIDED &&
                        (allow_for_rounding(it, it->roots[0].function) ||
                         give_up_flat(it, &functions, it->roots[0].function)))));
  count = find_force_roots(it, count);
  return it->model->contacts.count > 0 ? catch_missed(it, count) : count;
}

// Has the function stayed at zero for some full steps? Only then it is flat: after a start or an
// event the first steps may be too short to tell.
static bool stays_flat(carom_hybrid *it, int k, const double g[3], double h_natural) {
  const carom_root_watch *watch = &it->root_watch[k];
  double change = fmax(fabs(g[2] - g[0]), fabs(g[1] - g[0])) * (h_natural / it->stepper.h);
  if (change > watch->tolerance || watch->served || it->watch_memory[k].flat_steps > FLAT_STEPS)
    return false;
  return ++it->watch_memory[k].flat_steps == FLAT_STEPS;
}

// The side of zero each rule's function is on where the step ends (theta), by the dense output that
// was searched: the true step may end with another sign when the function is just about to cross,
// and that crossing must not be lost. A function that never left its band keeps the side it had;
// one that stays there is told once, as an event at the end of the step.
static void note_sides(carom_hybrid *it, double theta, double h_natural, int *found) {
  carom_root_functions functions = watched_functions(it);
  bool whole = *found == 0;
  for (int k = 0; k < functions.count; k++) {
    if (!carom_watched_is_rule(&it->model->watched[k]) || carom_hybrid_ignores(it, k)) continue;
    carom_root_watch *watch = &it->root_watch[k];
    double at[3], g[3]; // at the start, the middle and the end
    bool clear = false;
    for (int j = 2; j >= 0 && !clear; j--) {
      functions.value(it, k, 0.5 * j * theta, at);
      g[j] = at[0];
      clear = !(fabs(g[j]) <= watch->tolerance);
    }
    if (clear && g[2] != 0.0) watch->side = g[2] > 0.0 ? 1 : -1;
    if (clear) it->watch_memory[k].flat_steps = 0;
    if (!clear && whole && stays_flat(it, k, g, h_natural))
      it->roots[(*found)++] = (carom_root){CAROM_ROOT_FLAT, k, CAROM_ANY, 1.0};
  }
}

void carom_hybrid_fill_sample(carom_hybrid *it, double t, const double *y) {
  const carom_hybrid_model *model = it->model;
  const carom_dynamics *dynamics = model->dynamics;
  double *at = it->sample_values;
  memcpy(at, y, (size_t)dynamics->size * sizeof *y);
  at += dynamics->size;
  if (model->functions && model->functions->observables > 0) {
    carom_point point = carom_functions_point(dynamics, &it->work, t, y);
    (void)model->functions->observable(model->functions->ctx, &point, at);
    at += model->functions->observables;
  } else if (model->scenario && model->scenario->definition_count > 0) {
    carom_probe_run(it, t, y, it->rate);
    for (int k = 0; k < model->scenario->definition_count; k++)
      *at++ = carom_probe_output(it, k);
  }
  carom_energy energy;
  if (!dynamics->has_energy) return;
  (void)carom_dynamics_energy(dynamics, &it->work, t, y, &energy);
  *at++ = energy.kinetic;
  *at++ = energy.potential;
}

// an observer that comes late gets the samples that are still ahead
static void skip_past_samples(carom_hybrid *it) {
  if (!(it->run.sample > 0.0)) return;
  double first = ceil((it->now.t - it->run.start) / it->run.sample - 1e-9);
  if ((double)it->now.next_sample < first) it->now.next_sample = (long)first;
}

// samples of the grid that lie in the step up to theta_end; true when the observer wants to stop
static bool give_samples(carom_hybrid *it, double theta_end, carom_error *error,
                         carom_status *status) {
  const carom_observer *observer = &it->simulation->observer;
  double t_end = it->stepper.t + theta_end * it->stepper.h;
  if (!observer->sample || !(it->run.sample > 0.0)) return false;
  for (;; it->now.next_sample++) {
    double t = it->run.start + (double)it->now.next_sample * it->run.sample;
    // the last sample falls on the end of the run in spite of rounding
    double slack = 1e-9 * it->run.sample;
    if (t > t_end + (theta_end == 1.0 ? slack : 0.0)) return false;
    if (!it->stepper.has_dense && (*status = carom_stepper_dense(&it->stepper, error)) != CAROM_OK)
      return true;
    double theta = (t - it->stepper.t) / it->stepper.h;
    theta = theta < 0.0 ? 0.0 : theta > 1.0 ? 1.0 : theta;
    carom_dense_eval(&it->stepper, theta, it->before, it->rate, NULL);
    // at the ends of a step the state itself, not its interpolation
    if (theta == 0.0) memcpy(it->before, it->stepper.y, (size_t)it->size * sizeof *it->before);
    if (theta == 1.0) memcpy(it->before, it->stepper.y1, (size_t)it->size * sizeof *it->before);
    carom_hybrid_fill_sample(it, t, it->before);
    int stop = observer->sample(observer->ctx, it->simulation, t, it->model->column_count,
                                it->sample_values);
    if (stop) {
      it->now.next_sample++;
      return true;
    }
  }
}

// moves the end of a shortened step onto the root: the true step and the dense output differ by the
// integrator's error
static carom_status correct_root(carom_hybrid *it, const carom_root *root, carom_error *error) {
  carom_stepper *stepper = &it->stepper;
  if (root->kind != CAROM_ROOT_CROSSING) return CAROM_OK;
  if (root->function >= it->model->watched_count) return CAROM_OK; // known by samples only
  double shift;
  if (it->model->functions) {
    shift = carom_function_event_shift(it, root->function);
  } else {
    const carom_watch *watch = &it->model->watched[root->function].function;
    carom_watch_work *work = &it->watch_work[root->function];
    double value, slope;
    carom_watch_both(watch, work, stepper->t1, stepper->y1, stepper->f1, &value, &slope);
    shift = -value / slope;
  }
  // only ever the integrator's error: nothing to correct at a tangential root, or where the
  // function stays at zero but for rounding; a series is as exact inside a step as at its end
  double most = (stepper->by_series ? 1e-5 : 1e-2) * stepper->h;
  if (!(fabs(shift) <= most) || shift == 0.0) return CAROM_OK;
  return carom_stepper_nudge(stepper, shift, error);
}

// ends the tried step at the first root
static carom_status end_at_root(carom_hybrid *it, const carom_root *root, carom_error *error) {
  if (root->theta < 1.0) {
    double theta = fmax(root->theta, SHORTEST_PART); // a step has a length
    carom_status status = carom_stepper_shorten(&it->stepper, theta * it->stepper.h, error);
    if (status != CAROM_OK) return status;
  }
  return correct_root(it, root, error);
}

// The ledger compares its residual with the largest kinetic energy met, else a motion that ends at
// rest where it began would have nothing to be compared with. Every few steps are enough.
static void note_energy(carom_hybrid *it) {
  const carom_dynamics *dynamics = it->model->dynamics;
  carom_energy energy;
  if (!dynamics->has_energy || it->run.hold_energy || it->now.certificate.steps % 8 != 0) return;
  if (carom_dynamics_energy(dynamics, &it->work, it->now.t, it->stepper.y, &energy) == CAROM_OK)
    it->now.energy_scale = fmax(it->now.energy_scale, fabs(energy.kinetic));
}

static void note_step(carom_hybrid *it) {
  carom_certificate *c = &it->now.certificate;
  c->steps++;
  c->t_end = it->now.t;
  note_energy(it);
}

// a step without events: roots served before it have been left
static void leave_served(carom_hybrid *it) {
  for (int k = 0; k < it->model->watched_count; k++)
    it->root_watch[k].served = false;
}

// A rule of time alone that comes at an even pace: will it have come too often before the end?
static carom_status check_pace(carom_hybrid *it, int count, const carom_root *roots,
                               carom_error *error) {
  const double even = 1e-3;
  enum { PACED = 10000 };
  const carom_watched *watched =
      roots[0].function < it->model->watched_count ? &it->model->watched[roots[0].function] : NULL;
  bool timed = count == 1 && watched && !it->model->functions && carom_watched_is_rule(watched) &&
               watched->function.timed && watched->function.used_count == 0;
  double spacing = it->now.t - it->now.paced_at;
  bool same = timed && roots[0].function == it->now.paced_function &&
              fabs(spacing - it->now.pace) <= even * it->now.pace;
  it->now.paced_function = timed ? roots[0].function : -1;
  it->now.paced_at = it->now.t;
  it->now.paced = same ? it->now.paced + 1 : 0;
  if (!same) it->now.pace = spacing;
  double left = (it->run.until - it->now.t) / it->now.pace;
  if (it->now.paced < PACED || left + (double)it->now.instant <= it->run.max_events)
    return CAROM_OK;
  return carom_fail(error, CAROM_ERR_LIMIT,
                    "%s comes every %.6g, %.3g times more before the end at %.15g: more than %.0f "
                    "events (run.max_events)",
                    watched->name, it->now.pace, left, it->run.until, it->run.max_events);
}

// Events so close that time does not move, or that their places in a step cannot be told apart: an
// accumulation that user events cannot pass. Where nothing is changed at them nothing accumulates:
// a function is too fast.
static carom_status check_progress(carom_hybrid *it, double t_before, double h, const char *name,
                                   carom_error *error) {
  double resolution = fmax(8.0 * 2.3e-16 * fabs(it->now.t), 1.1 * SHORTEST_PART * h);
  bool stands = it->now.t - t_before <= resolution;
  bool moved = memcmp(it->entered, it->y, (size_t)it->model->dynamics->size * sizeof *it->y) != 0;
  it->now.since_progress = stands ? it->now.since_progress + 1 : 0;
  it->now.since_moved = stands && !moved ? it->now.since_moved + 1 : 0;
  if (it->now.since_moved > STALLED_INSTANTS)
    return carom_fail(error, CAROM_ERR_LIMIT,
                      "at t = %.15g %s crosses zero too often to be followed: in steps of %.3g its "
                      "crossings cannot be told apart (run.h_max makes steps shorter)",
                      it->now.t, name, h);
  if (it->now.since_progress > STALLED_INSTANTS)
    return carom_fail(error, CAROM_STOP_ACCUMULATION, "events accumulate at t = %.15g", it->now.t);
  if ((double)it->now.instant > it->run.max_events)
    return carom_fail(error, CAROM_ERR_LIMIT,
                      "more than %.0f events before t = %.15g (run.max_events)", it->run.max_events,
                      it->now.t);
  return CAROM_OK;
}

// A function that only touched zero goes back where it came from: its slope there says nothing. A
// flat one has been told and stays under watch, for it may leave at any time.
static void go_on_from_zero(carom_hybrid *it, const carom_root *roots, int count) {
  bool moved = memcmp(it->entered, it->y, (size_t)it->model->dynamics->size * sizeof *it->y) != 0;
  for (int j = 0; j < count; j++) {
    int k = roots[j].function;
    if (k >= it->model->watched_count || !carom_watched_is_rule(&it->model->watched[k])) continue;
    if (roots[j].kind == CAROM_ROOT_GRAZING && !moved)
      it->root_watch[k].side = -(int)roots[j].direction;
    if (roots[j].kind == CAROM_ROOT_FLAT) {
      it->root_watch[k].active = true;
      it->watch_memory[k].flat_steps = FLAT_STEPS;
      it->watch_memory[k].told = it->now.certificate.steps;
    }
  }
}

// has every contact that struck come to stay?
static bool all_stay(const carom_hybrid *it, int count, const carom_root *roots) {
  for (int j = 0; j < count; j++) {
    if (roots[j].function >= it->model->watched_count) continue;
    const carom_watched *watched = &it->model->watched[roots[j].function];
    if (watched->kind == CAROM_WATCH_GAP &&
        !carom_contact_is_closed(it->contact.memory[watched->index].mode))
      return false;
  }
  return true;
}

// The next impact may be expected about as far away as this one was from the last: a step much
// longer than that is searched for impacts in vain. The first step after an impact is cut to that
// distance and half of it more; being cut for no error's sake it may grow fast again. After the
// last of some bounces steps are as long as they were before them.
static double cut_after_impact(carom_hybrid *it, long impacts, double h, int count,
                               const carom_root *roots) {
  if (it->now.certificate.impacts == impacts) return h;
  double reach = IMPACT_REACH * (it->now.t - it->now.last_impact);
  it->now.last_impact = it->now.t;
  if (it->contact.closed > 0 && it->stepper.by_series && all_stay(it, count, roots))
    return fmax(h, CAROM_SERIES_REACH * it->now.stride);
  return reach > 0.0 && reach < h ? carom_stepper_cut(&it->stepper, reach) : h;
}

static carom_status after_event(carom_hybrid *it, double t_before, double h_next,
                                const carom_root *roots, int count, bool *stop,
                                carom_error *error) {
  memcpy(it->y, it->stepper.y, (size_t)it->size * sizeof *it->y);
  for (int k = 0; k < count; k++)
    if (roots[k].kind == CAROM_ROOT_NONFINITE && roots[k].function < it->model->watched_count)
      return carom_hybrid_no_value(it, &it->model->watched[roots[k].function], it->now.t, it->y,
                                   error);
  // an observer that wants to stop does so after the instant: the next advance goes on from there
  long impacts = it->now.certificate.impacts;
  carom_leg_before(it, count, roots);
  carom_status status = carom_tangent_before(it, count, roots, error);
  if (status != CAROM_OK) return status;
  carom_status asked = carom_hybrid_instant(it, count, roots, stop, error);
  if (asked != CAROM_OK && asked != CAROM_STOP_USER) return asked;
  carom_leg_after(it);
  const char *name = roots[0].function < it->model->watched_count
                         ? it->model->watched[roots[0].function].name
                         : "a contact force";
  status = check_progress(it, t_before, h_next, name, error);
  if (status == CAROM_OK) status = check_pace(it, count, roots, error);
  if (status != CAROM_OK) return status;
  h_next = cut_after_impact(it, impacts, h_next, count, roots);
  status = carom_stepper_start(&it->stepper, it->now.t, it->y, h_next, error);
  if (status != CAROM_OK) return carom_hybrid_explain(it, status, it->now.t, it->y, error);
  carom_hybrid_arm(it);
  carom_hybrid_take_sides(it, it->stepper.f);
  if (it->model->functions) carom_function_events_settle(it);
  go_on_from_zero(it, roots, count);
  status = carom_tangent_after(it, error);
  return status == CAROM_OK ? asked : status;
}

// a function too busy to be searched to the end: the step ends where nothing was missed
static carom_status end_undecided(carom_hybrid *it, double *h_next, carom_error *error) {
  const carom_root *root = &it->roots[0];
  const char *name =
      root->function < it->model->watched_count ? it->model->watched[root->function].name : "force";
  if (root->theta < 1e-6)
    return carom_fail(error, CAROM_ERR_LIMIT, "%s changes too fast to be searched for zeros", name);
  double h = root->theta * it->stepper.h;
  *h_next = fmin(*h_next, 2.0 * h);
  return carom_stepper_shorten(&it->stepper, h, error);
}

// Forces may grow without limit just before a contact lands, or just after another left: a body
// that lies down between a wall and the floor, or gets up. Where steps end for that, a gap that
// cannot be told from zero has landed; else other modes must take over.
static bool lands_instead(carom_hybrid *it, carom_root *root) {
  const carom_stepper *s = &it->stepper;
  for (int k = 0; it->contact.closed > 0 && k < it->model->watched_count; k++) {
    const carom_watched *watched = &it->model->watched[k];
    if (watched->kind != CAROM_WATCH_GAP || !it->root_watch[k].active) continue;
    double gap, speed;
    carom_watch_both(&watched->function, &it->watch_work[k], s->t, s->y, s->f, &gap, &speed);
    if (!(gap <= it->root_watch[k].tolerance && speed < 0.0)) continue;
    *root = (carom_root){CAROM_ROOT_CROSSING, k, CAROM_FALLING, 0.0};
    return true;
  }
  return false;
}

// The series for the next step. What loose detection misses depends on steps.
static carom_status choose_series(carom_hybrid *it, carom_error *error) {
  carom_stepper *stepper = &it->stepper;
  stepper->series_off = !stepper->series || it->run.loose || !carom_tangent_lets_series(it);
  if (stepper->series_off) return CAROM_OK;
  carom_status status = carom_phase_series_prepare(it, error);
  const carom_phase_series *series = carom_phase_series_now(it);
  stepper->series_off = !series;
  if (series) stepper->series_degree = series->degree;
  return status;
}

// Watched functions are polynomials on a step by series, but for those that are nothing but
// rounding: of terms that cancel, a polynomial of high degree cancels less well.
static void follow_series(carom_hybrid *it) {
  const carom_phase_series *series = it->stepper.by_series ? carom_phase_series_now(it) : NULL;
  const double *functions = series ? carom_phase_series_functions(it) : NULL;
  for (int k = 0; k < it->model->watched_count; k++) {
    const carom_watch_memory *memory = &it->watch_memory[k];
    bool is_rounding = memory->rounding > 0.0 || memory->flat_steps > 0;
    int slot = series && !is_rounding ? series->slot[k] : -1;
    it->watch_work[k].degree = slot < 0 ? 0 : series->degree - 1;
    if (slot >= 0)
      carom_watch_follow(&it->watch_work[k], &it->stepper, functions + slot * series->degree,
                         it->root_watch[k].tolerance);
  }
}

// no step is short enough for these forces: a contact has landed, or other modes take over
static carom_status rescue(carom_hybrid *it, int *found, bool *stop, carom_error *error) {
  if (error) *error = (carom_error){0};
  if (!lands_instead(it, &it->roots[0])) {
    it->stuck = true;
    it->roots[0] = (carom_root){CAROM_ROOT_CROSSING, it->model->watched_count, CAROM_FALLING, 0.0};
  }
  it->now.certificate.rescued++;
  *found = 1;
  return after_event(it, it->stepper.t, 1e-3 * it->now.stride, it->roots, 1, stop, error);
}

// what the step passes on its way: roots, then samples and extremes up to the first of them
static carom_status look_along(carom_hybrid *it, double h_natural, int *found, bool *asked,
                               carom_error *error) {
  carom_status status = CAROM_OK;
  *found = 0;
  if (it->looks) {
    status = carom_stepper_dense(&it->stepper, error);
    if (status != CAROM_OK) return status;
    follow_series(it);
    *found = find_roots(it);
  }
  double theta_end = *found > 0 ? it->roots[0].theta : 1.0;
  *asked = give_samples(it, theta_end, error, &status);
  if (status == CAROM_OK && it->model->followed_count > 0 && !it->unobserved) {
    status = carom_stepper_dense(&it->stepper, error);
    if (status == CAROM_OK) carom_tally_step(it, theta_end);
  }
  if (status == CAROM_OK && it->model->contacts.count > 0)
    carom_hybrid_inspect_within(it, theta_end);
  if (status == CAROM_OK && it->looks) note_sides(it, theta_end, h_natural, found);
  return status;
}

static carom_status end_at_first(carom_hybrid *it, int *found, double *h_next, carom_error *error) {
  if (*found == 0) return CAROM_OK;
  if (it->roots[0].kind != CAROM_ROOT_UNDECIDED) return end_at_root(it, &it->roots[0], error);
  *found = 0;
  return end_undecided(it, h_next, error);
}

// the state returns to constraints and energy; then the slope at the end is a new one
static carom_status settle_end(carom_hybrid *it, bool goes_on, carom_error *error) {
  carom_stepper *stepper = &it->stepper;
  bool changed = false;
  carom_status status = carom_hybrid_settle(it, stepper->t1, stepper->y1, &changed, error);
  if (status == CAROM_OK && changed && goes_on) {
    status = carom_hybrid_rhs(it, stepper->t1, stepper->y1, stepper->f1);
    stepper->evaluations++;
  }
  return status == CAROM_OK ? carom_tangent_step(it, error) : status;
}

static void commit(carom_hybrid *it, double h_next) {
  carom_stepper *stepper = &it->stepper;
  carom_stepper_commit(stepper);
  it->now.t = stepper->t;
  it->now.h = stepper->h_next = h_next;
  double pace = stepper->by_series ? h_next / CAROM_SERIES_REACH : h_next;
  it->now.stride = fmax(pace, 0.9 * it->now.stride);
}

static carom_status one_step(carom_hybrid *it, double t_end, int *found, bool *stop,
                             carom_error *error) {
  carom_stepper *stepper = &it->stepper;
  long rejected = stepper->rejected, evaluations = stepper->evaluations;
  double h_natural = stepper->h_next;
  carom_status status = choose_series(it, error);
  if (status != CAROM_OK) return status;
  status = carom_stepper_try(stepper, t_end, error);
  if (status == CAROM_ERR_STEP && it->contact.closed > 0) return rescue(it, found, stop, error);
  double h_next = stepper->h_next, t_before = stepper->t;
  bool asked_to_stop = false;
  if (status == CAROM_OK) status = look_along(it, h_natural, found, &asked_to_stop, error);
  if (status == CAROM_OK) status = end_at_first(it, found, &h_next, error);
  if (status != CAROM_OK) return carom_hybrid_explain(it, status, stepper->t, stepper->y, error);
  status = settle_end(it, *found == 0, error);
  if (status != CAROM_OK) return status;

  commit(it, h_next);
  it->now.certificate.rejected += stepper->rejected - rejected;
  note_step(it);
  if (*found == 0) leave_served(it);
  if (*found > 0) status = after_event(it, t_before, h_next, it->roots, *found, stop, error);
  it->now.certificate.evaluations += stepper->evaluations - evaluations;
  if (status == CAROM_OK || status == CAROM_STOP_USER)
    carom_hybrid_inspect(it, it->now.t, stepper->y);
  if (status == CAROM_OK && asked_to_stop) {
    *stop = true;
    status = CAROM_STOP_USER;
  }
  return status;
}

carom_advance carom_hybrid_advance_begin(carom_hybrid *it, double t_end, bool to_event) {
  carom_advance way = {.t_end = t_end, .to_event = to_event, .status = it->misfit.status};
  if (way.status != CAROM_OK) return way;
  if (it->now.untold && it->simulation->observer.event) {
    way.status = carom_hybrid_tell_start(it, NULL);
    way.stop = way.status == CAROM_STOP_USER;
  }
  if (!it->now.finished) skip_past_samples(it);
  return way;
}

bool carom_hybrid_advance_more(const carom_hybrid *it, const carom_advance *way) {
  return way->status == CAROM_OK && !way->stop && !way->met && !it->now.finished &&
         it->now.t < way->t_end;
}

void carom_hybrid_advance_step(carom_hybrid *it, carom_advance *way, carom_error *error) {
  if (carom_simulation_asked(it->simulation)) {
    way->status = CAROM_STOP_USER;
    return;
  }
  long events = it->now.certificate.events;
  it->now.untold = false;
  double pile = it->now.settling ? carom_chatter_next(it) : INFINITY;
  int found = 0;
  way->status = one_step(it, fmin(way->t_end, pile), &found, &way->stop, error);
  if (way->status == CAROM_OK && it->now.t >= pile && carom_chatter_settle(it)) {
    way->stop = true;
    way->status = CAROM_STOP_USER;
  }
  way->met = way->to_event && it->now.certificate.events > events;
}

carom_status carom_hybrid_advance_end(carom_hybrid *it, const carom_advance *way) {
  if (it->now.finished) return CAROM_STOP_EVENT;
  memcpy(it->y, it->stepper.y, (size_t)it->size * sizeof *it->y);
  if (way->status != CAROM_OK) return way->status;
  if (way->stop) {
    it->now.finished = true;
    return CAROM_STOP_EVENT;
  }
  return way->met ? CAROM_STOP_EVENT : CAROM_OK;
}

carom_status carom_hybrid_advance(carom_hybrid *it, double t_end, bool to_event,
                                  carom_error *error) {
  carom_advance way = carom_hybrid_advance_begin(it, t_end, to_event);
  while (carom_hybrid_advance_more(it, &way))
    carom_hybrid_advance_step(it, &way, error);
  return carom_hybrid_advance_end(it, &way);
}
