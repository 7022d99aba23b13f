// SPDX-License-Identifier: MIT
/// Sliding on jumps, after Filippov: where both branches of a jump lead back to it, the motion
/// stays on its surface u = 0. With f+ and f- the rates on both sides it has the rate
///
///   f = a f+ + (1 - a) f-,   a = u'- / (u'- - u'+),   so that u' = 0,
///
/// and leaves where a leaves [0, 1]. Both sides are evaluated, so jumps may enter in any way. On m
/// surfaces at once f is the multilinear combination of the 2^m corners,
///
///   f = sum over corners of (product of a_i or 1 - a_i) f_corner,
///
/// with the m shares from u_i' = 0 (Utkin's equivalent control where the rates are affine in the
/// jumps; for two surfaces the bilinear field of Alexander and Seidman 1998). A branch that is slid
/// on has the mode 0.
///
/// To second order: where u' is the same on both sides, and the jump leads back by u'', the share
/// is that of u'' = 0 (see carom_surfaces_creep).
#include "hybrid/hybrid.h"

#include "base/linear.h"
#include "hybrid/tangent.h"
#include "symbolic/operation.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { NEWTON = 40 };
static const double SLACK = 1e-9;   // of a share: how far outside [0, 1] is still none
static const double CLOSE = 1e-14;  // of a share: the last step of Newton's method
static const double PART = 0x1p-9;  // of the state: the way of a difference
static const double APART = 1e-6;   // shares that are others
static const double RESIDUAL = 1e3; // of tolerances: a root just met, as in its search

bool carom_surfaces_init(carom_hybrid *it, carom_arena *arena) {
  size_t room = (size_t)(CAROM_SURFACE_CORNERS + 3) * (size_t)it->size; // and three for trials
  it->phases.surfaces.corner = carom_arena_array(arena, room, sizeof(double));
  return it->phases.surfaces.corner != NULL;
}

void carom_surfaces_list(carom_hybrid *it) {
  it->phases.surfaces.count = it->now.slid.count;
  it->phases.surfaces.second = it->now.slid.second;
  memcpy(it->phases.surfaces.which, it->now.slid.which, sizeof it->phases.surfaces.which);
}

static int place_of(const carom_hybrid *it, int k) {
  int place = 0;
  while (place < it->now.slid.count && it->now.slid.which[place] != k)
    place++;
  return place;
}

void carom_hybrid_take_branch(carom_hybrid *it, int k, double mode) {
  int place = place_of(it, k), *count = &it->now.slid.count;
  bool slides = place < *count;
  assert(slides || mode != 0.0 || *count < CAROM_MOST_SURFACES);
  if (mode == 0.0 && !slides) it->now.slid.which[(*count)++] = k;
  if (mode != 0.0 && slides) {
    it->now.slid.which[place] = it->now.slid.which[--*count];
    it->now.slid.second = false;
    carom_sides_resume(it, k);
  }
  carom_state_mode(it, k, mode);
  carom_hybrid_configure(it);
}

// ---- the field

// what the corners count for, and for derivatives by share j (j < 0: themselves)
static double weight_of(const carom_surfaces *s, int corner, int j) {
  double product = 1.0;
  for (int i = 0; i < s->count; i++) {
    bool plus = corner >> i & 1;
    product *= i == j ? (plus ? 1.0 : -1.0) : plus ? s->share[i] : 1.0 - s->share[i];
  }
  return product;
}

static double speed_of(const carom_surfaces *s, int i, int j) {
  double sum = 0.0;
  for (int v = 0; v < 1 << s->count; v++)
    sum += weight_of(s, v, j) * s->speed[i][v];
  return sum;
}

static double slopes_at(const carom_surfaces *s, double *slope, double *step) {
  int m = s->count;
  double largest = 0.0;
  for (int i = 0; i < m; i++) {
    step[i] = -speed_of(s, i, -1);
    largest = fmax(largest, fabs(step[i]));
    for (int j = 0; j < m; j++)
      slope[i * m + j] = speed_of(s, i, j);
  }
  return largest;
}

// The shares by Newton's method from those in force: exact for one surface, and for rates that are
// affine in the jumps, after one step.
static bool find_shares(carom_surfaces *s) {
  double slope[CAROM_MOST_SURFACES * CAROM_MOST_SURFACES], step[CAROM_MOST_SURFACES];
  int order[CAROM_MOST_SURFACES], m = s->count;
  for (int round = 0; round < NEWTON; round++) {
    double moved = 0.0;
    (void)slopes_at(s, slope, step);
    if (!carom_solve_general(m, slope, step, order)) return false;
    for (int i = 0; i < m; i++) {
      s->share[i] += step[i];
      moved = fmax(moved, fabs(step[i]));
    }
    if (!isfinite(moved)) return false;
    if (moved <= CLOSE) return true;
  }
  return true;
}

// a time in which rates f change the state by a small part of itself
static double difference_step(const carom_hybrid *it, const double *y, const double *f) {
  double least = it->run.atol / it->run.rtol, step = INFINITY;
  for (int i = 0; i < it->model->dynamics->size; i++)
    if (f[i] != 0.0) step = fmin(step, PART * (fabs(y[i]) + least) / fabs(f[i]));
  return isfinite(step) ? step : PART;
}

// How fast the rate of the function changes along the rates f of a corner, on its surface: by a
// difference of order 4.
static carom_status second_rate(carom_hybrid *it, int k, double t, const double *y, const double *f,
                                double *out) {
  assert(k >= 0 && k < it->model->watched_count);
  const double weight[] = {1.0, -8.0, 8.0, -1.0};
  const int place[] = {-2, -1, 1, 2};
  const carom_watch *watch = &it->model->watched[k].function;
  carom_watch_work *work = &it->watching.work[k];
  int size = it->model->dynamics->size;
  double *trial = it->phases.surfaces.corner + (size_t)CAROM_SURFACE_CORNERS * (size_t)it->size,
         *rate = trial + it->size, step = difference_step(it, y, f), sum = 0.0;
  for (int j = 0; j < 4; j++) {
    double at = t + place[j] * step;
    memcpy(trial, y, (size_t)it->size * sizeof *trial);
    for (int i = 0; i < size; i++)
      trial[i] += place[j] * step * f[i];
    (void)carom_watch_bring(watch, work, at, trial, f);
    carom_status status = carom_hybrid_rhs(it, at, trial, rate);
    if (status != CAROM_OK) return status;
    sum += weight[j] * carom_watch_rate(watch, work, at, trial, rate);
  }
  *out = sum / (12.0 * step);
  return CAROM_OK;
}

// Rates at all corners, and how fast they carry each function, to second order how fast that
// changes. Watched functions do not know the branches that are slid on.
static carom_status see_corners(carom_hybrid *it, double t, const double *y) {
  carom_surfaces *s = &it->phases.surfaces;
  int m = s->count;
  carom_status status = CAROM_OK;
  s->count = 0; // the rates of a corner are those of plain branches
  for (int v = 0; v < 1 << m && status == CAROM_OK; v++) {
    double *rate = s->corner + v * it->size;
    for (int i = 0; i < m; i++)
      carom_state_mode(it, s->which[i], v >> i & 1 ? 1.0 : -1.0);
    carom_hybrid_configure_rates(it);
    status = carom_hybrid_rhs(it, t, y, rate);
    if (s->second && status == CAROM_OK)
      status = second_rate(it, s->which[0], t, y, rate, &s->speed[0][v]);
    for (int i = 0; i < m && status == CAROM_OK && !s->second; i++)
      s->speed[i][v] = carom_watch_rate(&it->model->watched[s->which[i]].function,
                                        &it->watching.work[s->which[i]], t, y, rate);
  }
  for (int i = 0; i < m; i++)
    carom_state_mode(it, s->which[i], 0.0);
  s->count = m;
  carom_hybrid_configure_rates(it);
  return status;
}

// shares that do not depend on what was asked before: the same state has the same bits
static carom_status see_field(carom_hybrid *it, double t, const double *y) {
  carom_surfaces *s = &it->phases.surfaces;
  carom_status status = see_corners(it, t, y);
  if (status != CAROM_OK) return status;
  for (int i = 0; i < s->count; i++)
    s->share[i] = 0.5;
  return find_shares(s) ? CAROM_OK : CAROM_ERR_NONFINITE;
}

carom_status carom_surfaces_rates(carom_hybrid *it, double t, const double *y, double *rate) {
  carom_surfaces *s = &it->phases.surfaces;
  if (s->second) { // on its surface: sqrt|u| of a rounding is none
    double *on = s->corner + (size_t)(CAROM_SURFACE_CORNERS + 2) * (size_t)it->size;
    memcpy(on, y, (size_t)it->size * sizeof *on);
    memset(s->corner, 0, (size_t)it->size * sizeof *s->corner);
    (void)carom_watch_bring(&it->model->watched[s->which[0]].function,
                            &it->watching.work[s->which[0]], t, on, s->corner);
    y = on;
  }
  carom_status status = see_field(it, t, y);
  if (status != CAROM_OK) return status;
  memset(rate, 0, (size_t)it->size * sizeof *rate);
  for (int v = 0; v < 1 << s->count; v++) {
    double weight = weight_of(s, v, -1);
    for (int i = 0; i < it->size; i++)
      rate[i] += weight * s->corner[v * it->size + i];
  }
  return CAROM_OK;
}

// ---- back onto the surfaces

// Moves the state along what the jumps can do until the functions vanish to first order.
carom_status carom_surfaces_settle(carom_hybrid *it, double t, double *y) {
  carom_surfaces *s = &it->phases.surfaces;
  double slope[CAROM_MOST_SURFACES * CAROM_MOST_SURFACES], step[CAROM_MOST_SURFACES];
  int order[CAROM_MOST_SURFACES], m = s->count;
  const carom_watch *first = &it->model->watched[s->which[0]].function;
  carom_watch_work *work = &it->watching.work[s->which[0]];
  if (s->second) (void)carom_watch_bring(first, work, t, y, s->corner);
  carom_status status = see_field(it, t, y);
  if (status != CAROM_OK) return status;
  (void)slopes_at(s, slope, step);
  if (s->second) step[0] = -carom_watch_rate(first, work, t, y, s->corner);
  for (int i = 0; i < m && !s->second; i++)
    step[i] = -carom_watch_at(&it->model->watched[s->which[i]].function,
                              &it->watching.work[s->which[i]], t, y);
  if (!carom_solve_general(m, slope, step, order)) return CAROM_ERR_NONFINITE;
  for (int v = 0; v < 1 << m; v++) {
    double weight = 0.0;
    for (int j = 0; j < m; j++)
      weight += weight_of(s, v, j) * step[j];
    for (int i = 0; i < it->model->dynamics->size; i++)
      y[i] += weight * s->corner[v * it->size + i];
  }
  return CAROM_OK;
}

// ---- the end of sliding

double carom_surfaces_margin(carom_hybrid *it, int j, double theta) {
  const carom_stepper *stepper = &it->stepper;
  double *y = it->room.scratch + it->size, t = stepper->t + theta * stepper->h;
  carom_dense_eval(stepper, theta, y, NULL, NULL);
  if (see_field(it, t, y) != CAROM_OK) return NAN;
  double share = it->phases.surfaces.share[j / 2];
  return j % 2 ? 1.0 - share : share;
}

// the surface whose share is nearest to its end, or beyond it
static int nearest_end(const carom_surfaces *s, double *margin) {
  int nearest = 0;
  *margin = INFINITY;
  for (int i = 0; i < s->count; i++) {
    double own = fmin(s->share[i], 1.0 - s->share[i]);
    if (own >= *margin) continue;
    *margin = own;
    nearest = i;
  }
  return nearest;
}

carom_status carom_surfaces_left(carom_hybrid *it, double t, const double *y, double *left) {
  carom_status status = see_field(it, t, y);
  if (status == CAROM_OK) (void)nearest_end(&it->phases.surfaces, left);
  return status;
}

static carom_status look_at_field(carom_hybrid *it, carom_error *error) {
  carom_status status = see_field(it, it->now.t, it->y);
  return status == CAROM_OK ? status : carom_hybrid_explain(it, status, it->now.t, it->y, error);
}

static void leave_surface(carom_hybrid *it, int i) {
  carom_hybrid_take_branch(it, it->phases.surfaces.which[i],
                           it->phases.surfaces.share[i] > 0.5 ? 1.0 : -1.0);
}

carom_status carom_surfaces_leave(carom_hybrid *it, carom_error *error) {
  double margin;
  carom_status status = look_at_field(it, error);
  if (status == CAROM_OK) leave_surface(it, nearest_end(&it->phases.surfaces, &margin));
  return status == CAROM_OK ? carom_surfaces_release(it, error) : status;
}

carom_status carom_surfaces_release(carom_hybrid *it, carom_error *error) {
  while (it->phases.surfaces.count > 0) {
    double margin;
    carom_status status = look_at_field(it, error);
    if (status != CAROM_OK) return status;
    int nearest = nearest_end(&it->phases.surfaces, &margin);
    if (margin >= -SLACK) return CAROM_OK;
    leave_surface(it, nearest);
  }
  return CAROM_OK;
}

// ---- its beginning

// Jumps that this does not speak of: those that move surfaces or masses, other branches, or stand
// at integers.
static const char *reason_against(const carom_hybrid *it, int k) {
  assert(k >= 0 && k < it->model->watched_count);
  const carom_mechanics *m = it->model->mechanics;
  const carom_graph *graph = it->model->scenario->graph;
  carom_node mode = m->kinks.items[k].mode;
  if (it->phases.surfaces.count == CAROM_MOST_SURFACES) return "as are too many others at once";
  if (it->phases.surfaces.second) return "while it slides on another to second order";
  if (it->model->watched[k].role != CAROM_ROLE_NONE) return "which is one of a compliant contact";
  if (carom_node_op(graph, m->kinks.items[k].argument) == CAROM_OP_PARITY)
    return "which is one of floor or mod";
  for (int j = 0; j < m->kinks.count; j++)
    if (carom_node_depends(graph, m->kinks.items[j].argument, mode))
      return "which other branches depend on";
  for (int r = 0; r < m->row_count; r++)
    if (carom_node_depends(graph, m->rows[r].velocity, mode) ||
        carom_node_depends(graph, m->delassus[r * (m->row_count + 1)], mode))
      return "which moves a surface, a constraint or a mass";
  return NULL;
}

static carom_status refuse_surface(const carom_hybrid *it, int k, const char *why,
                                   carom_error *error) {
  assert(k >= 0 && k < it->model->watched_count);
  return carom_fail(error, CAROM_ERR_UNSUPPORTED,
                    "at t = %.15g the motion is held on the jump of %s, %s: both branches lead "
                    "back to it; write dry friction as a contact with friction, or smooth the jump "
                    "(tanh)",
                    it->now.t, it->model->watched[k].name, why);
}

// Do shares from another corner end elsewhere inside? Then the motion is not unique.
static bool has_others(carom_surfaces *s) {
  double first[CAROM_MOST_SURFACES];
  bool others = false;
  memcpy(first, s->share, sizeof first);
  for (int v = 0; v < 1 << s->count && s->count > 1 && !others; v++) {
    double apart = 0.0, margin;
    for (int i = 0; i < s->count; i++)
      s->share[i] = v >> i & 1 ? 1.0 : 0.0;
    if (!find_shares(s)) continue;
    (void)nearest_end(s, &margin);
    for (int i = 0; i < s->count; i++)
      apart = fmax(apart, fabs(s->share[i] - first[i]));
    others = margin >= 0.0 && apart > APART;
  }
  memcpy(s->share, first, sizeof first);
  return others;
}

carom_status carom_surfaces_rest(carom_hybrid *it, int k, double other, bool *rests,
                                 carom_error *error) {
  assert(k >= 0 && k < it->model->watched_count);
  const double nothing = 1e-13 * other;
  const carom_watch *watch = &it->model->watched[k].function;
  carom_watch_work *work = &it->watching.work[k];
  double *y = it->phases.surfaces.corner + (size_t)CAROM_SURFACE_CORNERS * (size_t)it->size,
         *rate = y + it->size, most = 0.0;
  double step = difference_step(it, it->y, it->rate);
  memcpy(rate, it->rate, (size_t)it->size * sizeof *rate);
  for (int place = 0; place < 3; place++) { // at the instant, and twice a little later
    double t = it->now.t + place * step;
    for (int i = 0; i < it->size; i++)
      y[i] = it->y[i] + place * step * it->rate[i];
    carom_status status = place > 0 ? carom_hybrid_rhs(it, t, y, rate) : CAROM_OK;
    if (status != CAROM_OK) return carom_hybrid_explain(it, status, t, y, error);
    most = fmax(most, fabs(carom_watch_rate(watch, work, t, y, rate)));
  }
  *rests = most <= nothing;
  return CAROM_OK;
}

// Rests on u = 0 in the branch in force, in whose rates the motion is now: the rate of u a little
// later.
static carom_status rate_ahead(carom_hybrid *it, int k, double *rate, carom_error *error) {
  double *y = it->phases.surfaces.corner + (size_t)CAROM_SURFACE_CORNERS * (size_t)it->size,
         *later = y + it->size, step = difference_step(it, it->y, it->rate);
  for (int i = 0; i < it->size; i++)
    y[i] = it->y[i] + step * it->rate[i];
  carom_status status = carom_hybrid_rhs(it, it->now.t + step, y, later);
  if (status != CAROM_OK) return carom_hybrid_explain(it, status, it->now.t + step, y, error);
  *rate = carom_watch_rate(&it->model->watched[k].function, &it->watching.work[k], it->now.t + step,
                           y, later);
  return CAROM_OK;
}

carom_status carom_surfaces_part(carom_hybrid *it, int k, carom_error *error) {
  assert(k >= 0 && k < it->model->watched_count);
  double ahead[2] = {0.0, 0.0};
  for (int side = 0; side < 2; side++) {
    carom_hybrid_take_branch(it, k, side == 0 ? -1.0 : 1.0);
    carom_status status = carom_hybrid_rhs(it, it->now.t, it->y, it->rate);
    if (status != CAROM_OK) return carom_hybrid_explain(it, status, it->now.t, it->y, error);
    status = rate_ahead(it, k, &ahead[side], error);
    if (status != CAROM_OK) return status;
  }
  if (ahead[0] < 0.0 && ahead[1] > 0.0) it->phases.surfaces.not_unique = true;
  return CAROM_OK;
}

// May a jump be slid on to second order here?
static bool may_creep(const carom_hybrid *it, int k) {
  return it->now.stage.started && it->phases.surfaces.count == 0 && !it->run.loose &&
         it->model->dynamics->rows == 0 && !it->model->functions && !reason_against(it, k);
}

// The jump of k does not change its rate s on the surface, but the rate of that, which leads back
// on both sides: x' = z - c sqrt|x| sign(x), z' = -sign(x) (super-twisting), x'' = -sign(x) -
// sign(x')/3 (twisting; Levant 1993). Its swings are as high as s^2/(2 s'), and pile up. Where they
// cannot be told from nothing the motion stays on u = 0 and s = 0, with the share of s' = 0 in
// place of u' = 0.
carom_status carom_surfaces_creep(carom_hybrid *it, int k, double width, bool *creeps,
                                  carom_error *error) {
  carom_surfaces *s = &it->phases.surfaces;
  const carom_watch *watch = &it->model->watched[k].function;
  carom_watch_work *work = &it->watching.work[k];
  double mode = it->modes[k], *y = s->corner + (CAROM_SURFACE_CORNERS + 2) * (size_t)it->size;
  *creeps = false;
  if (!may_creep(it, k)) return CAROM_OK;
  memcpy(y, it->y, (size_t)it->size * sizeof *y);
  memset(s->corner, 0, (size_t)it->size * sizeof *s->corner);
  (void)carom_watch_bring(watch, work, it->now.t, y, s->corner);
  carom_hybrid_take_branch(it, k, 0.0);
  it->now.slid.second = true;
  carom_hybrid_configure(it);
  if (see_corners(it, it->now.t, y) == CAROM_OK) {
    double low = carom_watch_rate(watch, work, it->now.t, y, s->corner);
    double high = carom_watch_rate(watch, work, it->now.t, y, s->corner + it->size);
    double back = fmin(s->speed[0][0], -s->speed[0][1]), rate = fmax(fabs(low), fabs(high));
    double size = carom_watch_bring(watch, work, it->now.t, y, s->corner) +
                  carom_watch_bring(watch, work, it->now.t, y, s->corner + it->size);
    *creeps = fabs(high - low) <= SLACK * size && back > 0.0 &&
              rate * rate <= 2.0 * back * width * it->watching.watch[k].tolerance;
  }
  if (!*creeps) {
    carom_hybrid_take_branch(it, k, mode);
    return CAROM_OK;
  }
  carom_energy before, after;
  const carom_dynamics *d = it->model->dynamics;
  bool known = d->has_energy && carom_dynamics_energy(d, &it->work, it->now.t, it->y, &before) == 0;
  carom_status status = carom_tangent_creep(it, error);
  if (status == CAROM_OK) status = carom_surfaces_settle(it, it->now.t, it->y);
  known = known && carom_dynamics_energy(d, &it->work, it->now.t, it->y, &after) == 0;
  if (known) // what the swings left out would have taken
    carom_hybrid_book_event(it, after.kinetic + after.potential - before.kinetic - before.potential,
                            0.0);
  return status == CAROM_OK ? look_at_field(it, error) : status;
}

carom_status carom_surfaces_enter(carom_hybrid *it, int k, carom_error *error) {
  const char *why = reason_against(it, k);
  double margin;
  if (why) return refuse_surface(it, k, why, error);
  carom_hybrid_take_branch(it, k, 0.0);
  carom_status status = look_at_field(it, error);
  if (status != CAROM_OK) return status;
  (void)nearest_end(&it->phases.surfaces, &margin);
  if (margin < -SLACK)
    return refuse_surface(
        it, k, "together with others, and no combination of their sides stays there", error);
  if (has_others(&it->phases.surfaces)) it->phases.surfaces.not_unique = true;
  return CAROM_OK;
}

bool carom_surfaces_keeps(const carom_hybrid *it, int k, double value) {
  return it->now.stage.started && place_of(it, k) < it->now.slid.count &&
         fabs(value) <= RESIDUAL * it->watching.watch[k].tolerance;
}

carom_status carom_surfaces_check(carom_hybrid *it, carom_error *error) {
  if (it->phases.surfaces.count == 0 || it->contact.closed == 0) return CAROM_OK;
  return refuse_surface(it, it->phases.surfaces.which[0], "while a contact is closed", error);
}

// ---- who is told

void carom_surfaces_note(carom_hybrid *it) {
  carom_surfaces *s = &it->phases.surfaces;
  s->known = s->count;
  memcpy(s->before, s->which, sizeof s->before);
  s->not_unique = false;
}

static bool is_among(int count, const int *list, int k) {
  bool found = false;
  for (int i = 0; i < count; i++)
    found = found || list[i] == k;
  return found;
}

bool carom_surfaces_tell(carom_hybrid *it) {
  const carom_surfaces *s = &it->phases.surfaces;
  bool asked = false;
  for (int i = 0; i < s->known; i++)
    if (!is_among(s->count, s->which, s->before[i]))
      asked |= carom_hybrid_announce(it, CAROM_EVENT_SWITCH, it->model->watched[s->before[i]].name,
                                     it->modes[s->before[i]] > 0.0 ? 1 : -1, 0.0);
  for (int i = 0; i < s->count; i++)
    if (!is_among(s->known, s->before, s->which[i]))
      asked |= carom_hybrid_announce(it, CAROM_EVENT_SLIDE, it->model->watched[s->which[i]].name, 0,
                                     s->share[i]);
  if (s->not_unique) asked |= carom_hybrid_announce(it, CAROM_EVENT_NON_UNIQUE, "jump", 0, 0.0);
  return asked;
}
