// SPDX-License-Identifier: MIT
/// What a tried step passes on its way: the first roots of all watched functions on its dense
/// output, and the side of zero each is on where it ends.
#include "base/elementary.h"
#include "hybrid/hybrid.h"

#include "model/dynamics_functions.h"

#include <assert.h>
#include <math.h>

enum { SEVERAL = 4 };
#define USED_UP 1e-12 // of the largest force
#include <string.h>

enum { FLAT_STEPS = 8, TOLD_STEPS = 64 };
static const double COARSEST = 1e-9;

// what rounding of time leaves unknown of a point of the tried step
static double theta_resolution(const carom_hybrid *it) {
  return carom_smaller(COARSEST, CAROM_TIME_ROUNDING * fabs(it->stepper.t1) / it->stepper.h);
}

// how far apart roots of one instant may be found
double carom_search_same_instant(const carom_hybrid *it) {
  return CAROM_SAME_INSTANT + 2.0 * theta_resolution(it);
}

double carom_hybrid_apart(const carom_hybrid *it) {
  return carom_search_same_instant(it) * it->stepper.h +
         8.0 * CAROM_TIME_ROUNDING * fabs(it->now.t);
}

static void watch_value(void *ctx, int k, double theta, double g[3]) {
  carom_hybrid *it = ctx;
  carom_watch_value(&it->model->watched[k].function, &it->watching.work[k], &it->stepper, theta, g);
}

static void watch_bound(void *ctx, int k, double a, double b, carom_interval g[3]) {
  carom_hybrid *it = ctx;
  carom_watch_bound(&it->model->watched[k].function, &it->watching.work[k], &it->stepper, a, b, g);
}

static bool watch_range(void *ctx, int k, carom_interval *g) {
  carom_hybrid *it = ctx;
  const carom_watch *watch = &it->model->watched[k].function;
  carom_watch_work *work = &it->watching.work[k];
  *g = carom_watch_range(watch, work, &it->stepper, 0.0, 1.0);
  work->lowest = g->lo;
  work->lowest_at = it->stepper.counts.evaluations;
  return watch->component >= 0 || (watch->total && isfinite(g->lo) && isfinite(g->hi));
}

// events of models given by functions: all values at once, one of them wanted
static void function_value(void *ctx, int k, double theta, double g[3]) {
  carom_hybrid *it = ctx;
  const carom_functions *functions = it->model->functions;
  carom_dense_eval(&it->stepper, theta, it->room.scratch, NULL, NULL);
  carom_point at = carom_functions_point(it->model->dynamics, &it->work,
                                         it->stepper.t + theta * it->stepper.h, it->room.scratch);
  double *values = it->room.scratch + it->size;
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
  return carom_larger(hi, CAROM_SHORTEST_PART);
}

// Deliberately loose detection, as in many programs: signs are compared at step ends only, so that
// a function that crosses zero and returns within a step is not noticed. What is noticed is
// located.
static int roots_at_step_end(const carom_root_functions *functions, const carom_root_watch *watches,
                             double tie, carom_root *roots) {
  int count = 0;
  for (int k = 0; k < functions->count; k++) {
    const carom_root_watch *watch = &watches[k];
    double after[3];
    if (!watch->active || watch->set_aside || watch->side == 0) continue;
    functions->value(functions->ctx, k, 1.0, after);
    carom_direction direction = watch->side < 0 ? CAROM_RISING : CAROM_FALLING;
    if (!(after[0] * watch->side < 0.0)) continue;
    if (watch->direction && watch->direction != direction) continue;
    carom_root root = {CAROM_ROOT_CROSSING, k, direction, sign_change(functions, k, watch->side)};
    // the earliest instant stays
    if (count > 0 && root.theta > roots[0].theta + tie) continue;
    if (count > 0 && root.theta < roots[0].theta - tie) count = 0;
    roots[count++] = root;
  }
  return count;
}

// How far the contact forces are from the end of their modes. Where they go through infinity
// (Painleve's paradox) this falls from plus to minus infinity.
static void force_value(void *ctx, int k, double theta, double g[3]) {
  carom_hybrid *it = ctx;
  (void)k;
  double t = it->stepper.t + theta * it->stepper.h, *y = it->room.scratch + it->size;
  carom_dense_eval(&it->stepper, theta, y, NULL, NULL);
  g[0] = g[1] = g[2] = NAN;
  if (carom_hybrid_evaluate_rows(it, t, y) != CAROM_OK) return;
  (void)carom_hybrid_forces(it, t, y, true);
  g[0] = it->contact.margin.value;
  // friction that is used up to the last in many contacts (a pile that slides as one) leaves
  // rounding
  if (it->contact.closed >= SEVERAL && fabs(g[0]) <= USED_UP * carom_hybrid_largest_force(it))
    g[0] = 0.0;
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
  carom_root_watch *watch = it->watching.watch + it->model->watched_count;
  for (int k = 0; k < CAROM_LONE_MARGINS; k++)
    watch[k] = (carom_root_watch){.direction = CAROM_FALLING, .active = true, .skip_grazing = true};
  it->phases.lone.seen_count = it->phases.lone.seen_next = 0;
  it->phases.lone.unsafe = false;
  *found = (carom_root){.kind = CAROM_ROOT_CROSSING, .direction = CAROM_FALLING};
  carom_lone_end end = carom_lone_series_end(it, &found->theta);
  if (end != CAROM_LONE_UNKNOWN) return end == CAROM_LONE_ENDS;
  bool clear = functions.count > 0;
  for (int k = 0; k < functions.count && clear; k++)
    clear = stays_positive(it, k);
  if (clear) return false; // no point was unsafe: its margin would not be a number
  bool ends = carom_root_first(&functions, watch, carom_search_same_instant(it), 1, found) > 0;
  if (functions.count > 0 && !it->phases.lone.unsafe) return ends;
  if (carom_hybrid_needs_no_force_along(it)) return false;
  functions = (carom_root_functions){.ctx = it, .count = 1, .value = force_value};
  return carom_root_first(&functions, watch, carom_search_same_instant(it), 1, found) > 0;
}

// the end of the present modes, put behind the roots found already; the earliest instant stays
static int find_force_roots(carom_hybrid *it, int count) {
  if (it->contact.closed == 0) return count;
  carom_root found;
  // forces that broke their laws from the start of the step never cross zero
  if (it->now.standing.forces == CAROM_FORCES_BROKEN) {
    carom_hybrid_count(it, CAROM_UNCOMMON_FORCES_BROKEN);
    it->watching.roots[0] = (carom_root){CAROM_ROOT_CROSSING, it->model->watched_count,
                                         CAROM_FALLING, CAROM_SHORTEST_PART};
    return 1;
  }
  if (!find_end_of_modes(it, &found)) return count;
  if (count > 0 && found.theta > it->watching.roots[0].theta + carom_search_same_instant(it))
    return count;
  if (count > 0 && found.theta < it->watching.roots[0].theta - carom_search_same_instant(it))
    count = 0;
  found.function = it->model->watched_count;
  it->watching.roots[count] = found;
  return count + 1;
}

static void surface_value(void *ctx, int j, double theta, double g[3]) {
  g[0] = carom_surfaces_margin(ctx, j, theta);
  g[1] = g[2] = NAN;
}

// where sliding on a jump ends, put behind the roots found already
static int find_end_of_sliding(carom_hybrid *it, int count) {
  carom_root_watch watch[2 * CAROM_MOST_SURFACES];
  carom_root found;
  double tie = carom_search_same_instant(it);
  if (it->phases.surfaces.count == 0) return count;
  carom_root_functions functions = {
      .ctx = it, .count = 2 * it->phases.surfaces.count, .value = surface_value};
  for (int j = 0; j < functions.count; j++)
    watch[j] = (carom_root_watch){
        .direction = CAROM_FALLING, .active = true, .side = 1, .skip_grazing = true};
  if (carom_root_first(&functions, watch, tie, 1, &found) == 0) return count;
  if (count > 0 && found.theta > it->watching.roots[0].theta + tie) return count;
  if (count > 0 && found.theta < it->watching.roots[0].theta - tie) count = 0;
  found.function = it->model->watched_count + CAROM_ROOT_OF_SURFACE;
  it->watching.roots[count] = found;
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
  return carom_larger(earliest, g[0] > 0.0 ? last_positive(it, k, 0, top, end) : top);
}

// a flight that is out of the tolerance half-way was followed by the search: no hop below it
static bool flies_clear(carom_hybrid *it, int k, double end) {
  assert(k >= 0 && k < it->model->watched_count);
  double g[3];
  watch_value(it, k, 0.5 * end, g);
  return g[0] > it->watching.watch[k].tolerance;
}

// The last safety net: no open gap may be negative where the step ends. A hop below the tolerance
// lands unseen by the search; anything deeper has been missed by it, which is put right and
// counted.
static int catch_missed(carom_hybrid *it, int count) {
  for (int contact = 0; contact < it->model->contacts.count; contact++) {
    int k = it->model->contacts.gap[contact];
    if (!it->watching.watch[k].active) continue;
    const carom_watch_work *work = &it->watching.work[k];
    if (work->lowest_at == it->stepper.counts.evaluations && work->lowest > 0.0) continue;
    double end = count > 0 ? it->watching.roots[0].theta : 1.0, g[3], start[3];
    bool known = false;
    for (int j = 0; j < count; j++)
      known = known || it->watching.roots[j].function == k;
    if (known && flies_clear(it, k, end)) continue;
    watch_value(it, k, end, g);
    if (g[0] >= 0.0 || g[1] >= 0.0) continue;
    watch_value(it, k, 0.0, start);
    double tolerance = it->watching.watch[k].tolerance;
    bool hops = fabs(start[0]) <= tolerance;
    if (!hops && (known || g[0] >= -tolerance)) continue;
    double theta = landing_before(it, k, end);
    if (known && theta >= end * (1.0 - carom_search_same_instant(it))) continue;
    if (!hops) carom_hybrid_count(it, CAROM_UNCOMMON_LATE_LANDING);
    it->watching.roots[0] = (carom_root){CAROM_ROOT_CROSSING, k, CAROM_FALLING, theta};
    count = 1;
  }
  return count;
}

// 32 roundings of the largest value that bounds allow
bool carom_search_widen(carom_hybrid *it, int k) {
  assert(k >= 0 && k < it->model->watched_count);
  const double rounding = 32.0 * 2.2e-16;
  if (it->model->functions) return false;
  carom_interval g[3];
  watch_bound(it, k, 0.0, 1.0, g);
  double width = rounding * carom_larger(fabs(g[0].lo), fabs(g[0].hi));
  bool wider = isfinite(width) && width > it->watching.watch[k].tolerance;
  if (wider) it->watching.memory[k].rounding = it->watching.watch[k].tolerance = width;
  return wider;
}

// does the function stay within its tolerance over a part of the step, as far as samples tell?
static bool seems_flat(carom_hybrid *it, int k, double from, double to) {
  assert(k >= 0 && k < it->model->watched_count);
  enum { SAMPLES = 32 };
  carom_root_functions functions = watched_functions(it);
  double g[3], tolerance = it->watching.watch[k].tolerance;
  int component = it->model->functions ? -1 : it->model->watched[k].function.component, j = 0;
  // of a component of the state all samples at once
  if (component >= 0 && from == 0.0 && to == 1.0) {
    if (!carom_dense_within(&it->stepper, component, SAMPLES, tolerance)) return false;
    j = SAMPLES;
  }
  for (; j <= SAMPLES; j++) {
    functions.value(it, k, from + (to - from) * ((double)j / SAMPLES), g);
    if (!(fabs(g[0]) <= tolerance)) return false;
  }
  return true;
}

static bool is_branch(const carom_watched *watched) {
  return watched->kind == CAROM_WATCH_SWITCH && watched->role == CAROM_ROLE_NONE;
}

// A function that was told to be flat need not be proved so in every step (terms that cancel can
// not be bounded well enough): it rests until a sample shows that it leaves.
static void rest_if_flat(carom_hybrid *it, int k, double from, double to, double resolution) {
  assert(k >= 0 && k < it->model->watched_count);
  carom_root_watch *watch = &it->watching.watch[k];
  watch->tolerance = carom_larger(watch->tolerance, it->watching.memory[k].rounding);
  const carom_watched *watched = &it->model->watched[k];
  bool rule = carom_watched_is_rule(watched), branch = is_branch(watched);
  watch->resolution = watched->kind == CAROM_WATCH_SLIP ? 0.0 : resolution;
  if (rule)
    watch->active = it->watching.memory[k].flat_steps < FLAT_STEPS || !seems_flat(it, k, from, to);
  if (branch) watch->active = true;
  watch->sided = branch || rule;
  if (watched->slot > 0 && carom_solids_sleeps(it, watched->slot)) watch->active = false;
  if (carom_hybrid_ignores(it, k) || watched->function.still) watch->active = false;
}

// No proof, but all looks flat: a rule is told as such at the end of this step, a branch (of an
// integer that another one holds) stays.
static bool give_up_flat(carom_hybrid *it, int k, double from, double to) {
  assert(k >= 0 && k < it->model->watched_count);
  bool rule = carom_watched_is_rule(&it->model->watched[k]);
  if (!rule && !is_branch(&it->model->watched[k])) return false;
  if (!seems_flat(it, k, from, to)) return false;
  it->watching.watch[k].active = false;
  if (rule) it->watching.memory[k].flat_steps = FLAT_STEPS - 1;
  return true;
}

// a function that wavers about the edge of its tolerance is not told to be flat in every step
static bool told_lately(carom_hybrid *it, const carom_root *root) {
  int k = root->function;
  if (root->kind != CAROM_ROOT_FLAT || it->watching.memory[k].told == 0 ||
      it->now.certificate.counts.steps - it->watching.memory[k].told > TOLD_STEPS)
    return false;
  it->watching.watch[k].active = false;
  return true;
}

// the search is to be repeated: a root told lately, or a function that is rounding alone
static bool try_again(carom_hybrid *it, const carom_root *root, double from, double to) {
  if (told_lately(it, root)) return true;
  return root->kind == CAROM_ROOT_UNDECIDED &&
         (carom_search_widen(it, root->function) || give_up_flat(it, root->function, from, to));
}

// Is a function to be searched for? Not where its range shows that it stays where it is.
static bool must_be_searched(carom_hybrid *it, const carom_root_functions *functions, int k,
                             double resolution) {
  carom_root_watch *watch = &it->watching.watch[k];
  rest_if_flat(it, k, 0.0, 1.0, resolution);
  watch->clear = watch->active && functions->range ? carom_root_clear_side(functions, k, watch) : 0;
  return watch->active && watch->clear == 0;
}

// What is met beside the step has a search of its own.
static int find_first(carom_hybrid *it) {
  carom_root_functions functions = watched_functions(it);
  carom_root_watch *watch = it->watching.watch;
  double tie = carom_search_same_instant(it), resolution = theta_resolution(it);
  int room = it->model->watched_count, count = 0;
  bool any = false;
  for (int k = 0; k < functions.count; k++) {
    watch[k].set_aside = carom_met_beside(it, k);
    if (it->run.loose || watch[k].set_aside) continue;
    watch[k].set_aside = !must_be_searched(it, &functions, k, resolution);
    any = any || !watch[k].set_aside;
  }
  if (it->run.loose)
    return find_force_roots(it, roots_at_step_end(&functions, watch, tie, it->watching.roots));
  functions.range = NULL; // asked already
  while (any) {
    count = carom_root_first(&functions, watch, tie, room, it->watching.roots);
    any = count > 0 && try_again(it, &it->watching.roots[0], 0.0, 1.0);
  }
  count = find_end_of_sliding(it, find_force_roots(it, count));
  return it->model->contacts.count > 0 ? catch_missed(it, count) : count;
}

int carom_search_roots(carom_hybrid *it) {
  bool alone = it->beside.on && it->model->beside_count == it->model->watched_count;
  if (alone && it->contact.closed == 0 && it->phases.surfaces.count == 0) return 0;
  int count = find_first(it);
  return it->model->contacts.spatial > 0 ? carom_spatial_halts(it, count) : count;
}

/// A part of the tried step, gone through by theta from 0 to 1, and a function that is followed.
typedef struct step_part {
  carom_hybrid *it;
  int function;
  double from, to;
} step_part;

static double place_in(const step_part *part, double theta) {
  return theta == 1.0 ? part->to : part->from + theta * (part->to - part->from);
}

static void part_value(void *ctx, int k, double theta, double g[3]) {
  const step_part *part = ctx;
  double width = part->to - part->from;
  (void)k;
  watch_value(part->it, part->function, place_in(part, theta), g);
  g[1] *= width;
  g[2] *= width * width;
}

static void part_bound(void *ctx, int k, double a, double b, carom_interval g[3]) {
  const step_part *part = ctx;
  double width = part->to - part->from, square = width * width;
  (void)k;
  watch_bound(part->it, part->function, place_in(part, a), place_in(part, b), g);
  g[1] = (carom_interval){g[1].lo * width, g[1].hi * width};
  g[2] = (carom_interval){g[2].lo * square, g[2].hi * square};
}

static bool part_range(void *ctx, int k, carom_interval *g) {
  const step_part *part = ctx;
  carom_hybrid *it = part->it;
  const carom_watch *watch = &it->model->watched[part->function].function;
  (void)k;
  *g = carom_watch_range(watch, &it->watching.work[part->function], &it->stepper, part->from,
                         part->to);
  return watch->component >= 0 || (watch->total && isfinite(g->lo) && isfinite(g->hi));
}

// one search, in units of the part; the root comes back in those of the step
static bool search_part(step_part *part, carom_root *root) {
  carom_hybrid *it = part->it;
  double width = part->to - part->from, tie = carom_search_same_instant(it) / width;
  carom_root_watch watch = it->watching.watch[part->function];
  carom_root_functions functions = {
      .ctx = part, .count = 1, .value = part_value, .bound = part_bound, .range = part_range};
  watch.resolution = carom_smaller(COARSEST, watch.resolution / width);
  watch.set_aside = false;
  if (width == 1.0 && !it->run.loose) functions.range = NULL; // asked already
  int found = it->run.loose ? roots_at_step_end(&functions, &watch, tie, root)
                            : carom_root_first(&functions, &watch, tie, 1, root);
  if (found == 0) return false;
  root->function = part->function;
  root->theta = place_in(part, root->theta);
  return true;
}

bool carom_search_part(carom_hybrid *it, int k, double from, double to, carom_root *root) {
  step_part part = {it, k, from, to};
  bool found;
  rest_if_flat(it, k, from, to, theta_resolution(it));
  if (it->watching.watch[k].clear != 0) return false; // over the whole step
  do
    found = search_part(&part, root);
  while (found && !it->run.loose && try_again(it, root, from, to));
  return found;
}

// what note_side, below, says of a function that stays clear of zero
static void keep_side(carom_hybrid *it, int k) {
  carom_root_watch *watch = &it->watching.watch[k];
  if (!carom_watched_is_rule(&it->model->watched[k]) || carom_hybrid_ignores(it, k)) return;
  watch->side = watch->clear;
  it->watching.memory[k].flat_steps = 0;
}

bool carom_search_nothing_beside(carom_hybrid *it) {
  carom_root_functions functions = watched_functions(it);
  double resolution = theta_resolution(it);
  bool all = !it->run.loose;
  for (int j = 0; j < it->model->beside_count && !it->run.loose; j++) {
    (void)must_be_searched(it, &functions, it->model->beside[j], resolution);
    all = all && it->watching.watch[it->model->beside[j]].clear != 0;
  }
  for (int j = 0; j < it->model->beside_count && all; j++) {
    keep_side(it, it->model->beside[j]);
    it->watching.watch[it->model->beside[j]].served = false;
  }
  return all;
}

// Has the function stayed at zero for some full steps? Only then it is flat: after a start or an
// event the first steps may be too short to tell.
static bool stays_flat(carom_hybrid *it, int k, const double g[3], double h_natural) {
  assert(k >= 0 && k < it->model->watched_count);
  const carom_root_watch *watch = &it->watching.watch[k];
  double change = carom_larger(fabs(g[2] - g[0]), fabs(g[1] - g[0])) * (h_natural / it->stepper.h);
  if (change > watch->tolerance || watch->served || it->watching.memory[k].flat_steps > FLAT_STEPS)
    return false;
  return ++it->watching.memory[k].flat_steps == FLAT_STEPS;
}

// The side of zero a rule's function is on where the step, or a part of it, ends, by the dense
// output that was searched: the true step may end with another sign when the function is just about
// to cross, and that crossing must not be lost. A function that never left its band keeps the side
// it had. True where it has stayed there for some whole steps and is to be told as flat.
bool carom_search_note_side(carom_hybrid *it, int k, double from, double to, bool whole,
                            double h_natural) {
  assert(k >= 0 && k < it->model->watched_count);
  if (!carom_watched_is_rule(&it->model->watched[k]) || carom_hybrid_ignores(it, k)) return false;
  carom_root_functions functions = watched_functions(it);
  carom_root_watch *watch = &it->watching.watch[k];
  double at[3], g[3]; // at the start, the middle and the end
  bool clear = false;
  for (int j = 2; j >= 0 && !clear; j--) {
    functions.value(it, k, from + 0.5 * j * (to - from), at);
    g[j] = at[0];
    clear = !(fabs(g[j]) <= watch->tolerance);
  }
  if (clear && g[2] != 0.0) watch->side = g[2] > 0.0 ? 1 : -1;
  if (clear) it->watching.memory[k].flat_steps = 0;
  return !clear && whole && stays_flat(it, k, g, h_natural);
}

void carom_search_note_sides(carom_hybrid *it, double theta, double h_natural, int *found) {
  bool whole = *found == 0;
  for (int k = 0; k < it->model->watched_count; k++) {
    if (!carom_watched_is_rule(&it->model->watched[k]) || carom_met_beside(it, k)) continue;
    if (it->watching.watch[k].clear != 0)
      keep_side(it, k);
    else if (carom_search_note_side(it, k, 0.0, theta, whole, h_natural))
      it->watching.roots[(*found)++] = (carom_root){CAROM_ROOT_FLAT, k, CAROM_ANY, 1.0};
  }
}

// A function that only touched zero goes back where it came from: its slope there says nothing. A
// flat one has been told and stays under watch, for it may leave at any time.
void carom_search_go_on(carom_hybrid *it, const carom_root *roots, int count, long step) {
  assert(count >= 0 && count <= it->model->watched_count + 3);
  bool moved =
      memcmp(it->instant.entered, it->y, (size_t)it->model->dynamics->size * sizeof *it->y) != 0;
  for (int j = 0; j < count; j++) {
    int k = roots[j].function;
    if (k >= it->model->watched_count || !carom_watched_is_rule(&it->model->watched[k])) continue;
    if (roots[j].kind == CAROM_ROOT_GRAZING && !moved)
      it->watching.watch[k].side = -(int)roots[j].direction;
    if (roots[j].kind == CAROM_ROOT_FLAT) {
      it->watching.watch[k].active = true;
      it->watching.memory[k].flat_steps = FLAT_STEPS;
      it->watching.memory[k].told = step;
    }
  }
}
