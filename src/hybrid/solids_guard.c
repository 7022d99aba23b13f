// SPDX-License-Identifier: MIT
/// Nothing may touch that stands in no slot: a look along the tried step. Bodies that cannot have
/// moved as far as they are apart have not touched (positions are enclosed over parts of the step);
/// elsewhere their distance is looked at, at places no farther apart than a small part of their
/// width. Where bodies come near, or overlap by features that no slot has, the step ends before.
#include "hybrid/hybrid.h"

#include "base/vector.h"

#include <math.h>
#include <string.h>

enum { POSE = 12, MOST_LOOKS = 1000, HALVINGS = 50 };
static const double NEAR = 0.09;    // of the width; a little less than what has features
static const double STRIDE = 0.02;  // of the width, from one look to the next
static const double LEAVES = 8e-9;  // of the width: a place that is so far outside has been missed
static const double DEEP = 100.0;   // tolerances of gaps: no rounding any more
static const double SHALLOW = 0.01; // of that
static const double CLOSE = 1e-5, CLOSER = 0.03; // of the width, of the gap before
static const double TOUCH = 1e-8, BAND = 1e-9;   // of the width
static const double SHORTEST = 1e-9;             // of the step: no way on

/// A pair on the tried step.
typedef struct watch_pair {
  carom_hybrid *it;
  int pair, first, count;
  const carom_convex_pair *bodies;
  const carom_posed *a, *b;
  double width, deep;
} watch_pair;

static watch_pair watch_of(carom_hybrid *it, int p) {
  const carom_solid_set *set = &it->model->probe.solids;
  const carom_convex_pair *bodies = &set->list->pairs[p];
  watch_pair w = {.it = it,
                  .pair = p,
                  .first = set->first[p],
                  .count = bodies->slot_count,
                  .bodies = bodies,
                  .a = &it->watching.solids.posed[bodies->first],
                  .b = &it->watching.solids.posed[bodies->second]};
  w.width = fmin(w.a->shape->width, w.b->shape->width);
  double reach = carom_v3_length(w.a->place) + w.a->shape->reach + w.b->shape->reach;
  w.deep = DEEP * it->run.event_tolerance * (it->run.atol + it->run.rtol * reach);
  return w;
}

// the most that a point of each body moves between two points of the step
static void bound_ways(carom_hybrid *it, double from, double to) {
  const carom_solid_set *set = &it->model->probe.solids;
  carom_solids *solids = &it->watching.solids;
  const carom_stepper *s = &it->stepper;
  solids->bounds[0] = (carom_interval){s->t + from * s->h, s->t + to * s->h};
  for (int i = 0; i < it->model->dynamics->size; i++)
    carom_dense_bound(s, i, from, to, &solids->bounds[1 + i], NULL, NULL);
  carom_program_run_bounds(set->poses, solids->bounds);
  for (int k = 0; k < set->list->shape_count; k++) {
    double far = 0.0, turned = 0.0;
    for (int i = 0; i < POSE; i++) {
      carom_interval range = solids->bounds[carom_program_output(set->poses, POSE * k + i)];
      double wide = range.hi - range.lo;
      *(i < 3 ? &far : &turned) += wide * wide;
    }
    solids->speed[k] = sqrt(far) + sqrt(turned) * solids->shapes[k].reach;
  }
}

static double way_of(const watch_pair *w) {
  const double *ways = w->it->watching.solids.speed;
  return ways[w->bodies->first] + ways[w->bodies->second];
}

static void pose_body(carom_hybrid *it, int shape) {
  const carom_solid_set *set = &it->model->probe.solids;
  double pose[POSE];
  (void)carom_program_read(set->poses, it->watching.solids.registers, POSE * shape, POSE, pose);
  carom_posed_put(&it->watching.solids.posed[shape], pose, pose + 3);
}

static carom_parting part_at(const watch_pair *w, double theta) {
  carom_hybrid *it = w->it;
  carom_solids *solids = &it->watching.solids;
  double *y = solids->state, d[3];
  carom_dense_eval(&it->stepper, theta, y, NULL, NULL);
  solids->registers[0] = it->stepper.t + theta * it->stepper.h;
  memcpy(solids->registers + 1, y, (size_t)it->model->dynamics->size * sizeof *y);
  carom_program_run(it->model->probe.solids.poses, solids->registers);
  pose_body(it, w->bodies->first);
  pose_body(it, w->bodies->second);
  carom_v3_difference(w->a->place, w->b->place, d);
  double apart = carom_v3_length(d) - w->a->shape->reach - w->b->shape->reach;
  if (apart > w->width) return (carom_parting){.gap = apart};
  return carom_part_bodies(w->a, w->b);
}

// has a place of contact left its features where nobody saw it?
static bool has_left(const watch_pair *w, const carom_parting *parting) {
  const carom_feature *features = w->it->watching.solids.features;
  for (int k = w->first; k < w->first + w->count; k++) {
    carom_feature_look look;
    if (features[k].kind == CAROM_FEATURE_NONE) continue;
    if (!carom_feature_see(w->a, w->b, parting, &features[k], &look)) continue;
    if (look.inside < -LEAVES * w->width) return true;
  }
  return false;
}

// The last point before `bad` at which the bodies are farther apart than `least`; anywhere nearer
// than ten times that will do.
static double before_overlap(const watch_pair *w, double good, double bad, double least) {
  for (int k = 0; k < HALVINGS && bad - good > 1e-9 * bad; k++) {
    double middle = 0.5 * (good + bad), gap = part_at(w, middle).gap;
    *(gap < least ? &bad : &good) = middle;
    if (gap >= least && gap < 10.0 * least) break;
  }
  return good;
}

// How near they may come before they overlap: features that touch first are known by then. Bodies
// that are in touch already may overlap as little as rounding.
static double least_gap(const watch_pair *w, double gap_before) {
  if (gap_before > w->deep) return fmin(CLOSE * w->width, CLOSER * gap_before);
  return gap_before < -SHALLOW * w->deep ? -0.5 * w->deep : -SHALLOW * w->deep;
}

// one look: does the step have to end before `to`? Then *end says where.
static bool look_at(const watch_pair *w, double from, double to, bool near, double gap_before,
                    double *gap, double *end) {
  carom_parting parting = part_at(w, to);
  *gap = parting.gap;
  *end = to;
  if (parting.gap < -w->deep) {
    *end = before_overlap(w, from, to, least_gap(w, gap_before));
    return true;
  }
  if (!near) return parting.gap <= NEAR * w->width;
  *end = from > 0.0 ? from : 0.5 * to;
  return parting.gap <= NEAR * w->width && has_left(w, &parting);
}

static bool guard_pair(carom_hybrid *it, int p, double *theta) {
  watch_pair w = watch_of(it, p);
  double at = 0.0, gap = it->watching.solids.gap[p], whole = *theta, end;
  bool near = gap <= NEAR * w.width;
  for (int look = 0; look < MOST_LOOKS && at < whole; look++) {
    double to = whole, allowed = fmax(gap, STRIDE * w.width);
    for (int k = 0; k < HALVINGS; k++) {
      bound_ways(it, at, to);
      double way = way_of(&w);
      if (way < allowed) break;
      to = at + (to - at) * fmax(0.05, fmin(0.7, 0.8 * allowed / way));
    }
    if (to >= whole && way_of(&w) < gap) return false;
    if (look_at(&w, at, to, near, gap, &gap, &end)) {
      *theta = fmin(whole, end);
      return *theta < whole;
    }
    at = to;
  }
  if (at >= whole) return false;
  *theta = at;
  return true;
}

// the pair for which the step has to end before *theta; -1: none
static int guard_step(carom_hybrid *it, double *theta) {
  const carom_solid_set *set = &it->model->probe.solids;
  int ends = -1;
  for (int p = 0; p < set->list->pair_count; p++) {
    bound_ways(it, 0.0, *theta);
    watch_pair w = watch_of(it, p);
    if (way_of(&w) < it->watching.solids.gap[p]) continue;
    if (guard_pair(it, p, theta)) ends = p;
  }
  return ends;
}

// Is one of the pair's open contacts about to touch by features that part nothing? It would be no
// touch: where a corner meets an edge, others of both come near as well.
static bool drops_doubtful(const watch_pair *w, const carom_parting *parting) {
  carom_solids *solids = &w->it->watching.solids;
  bool drops = false;
  for (int k = w->first; k < w->first + w->count; k++) {
    carom_feature_look look;
    if (solids->features[k].kind == CAROM_FEATURE_NONE || carom_solids_holds(w->it, k + 1))
      continue;
    if (!carom_feature_see(w->a, w->b, parting, &solids->features[k], &look)) continue;
    if (look.gap > TOUCH * w->width || carom_feature_counts(w->a, w->b, &look, BAND * w->width))
      continue;
    solids->expired[k] = drops = true;
  }
  return drops;
}

// the same of all pairs that roots belong to
static bool drops_any(carom_hybrid *it, int count, double theta) {
  const carom_solid_set *set = &it->model->probe.solids;
  bool drops = false;
  for (int p = 0; p < set->list->pair_count; p++) {
    bool asked = false;
    for (int k = 0; k < count; k++) {
      int function = it->watching.roots[k].function;
      int slot = function < it->model->watched_count ? it->model->watched[function].slot : 0;
      asked = asked || (slot > set->first[p] && slot <= set->first[p + 1]);
    }
    if (!asked) continue;
    watch_pair w = watch_of(it, p);
    carom_parting parting = part_at(&w, theta);
    drops = drops_doubtful(&w, &parting) || drops;
  }
  return drops;
}

// Features that open contacts leave are no event: nothing moves otherwise for it.
static bool leaves_unnoticed(carom_hybrid *it, int count) {
  for (int k = 0; k < count; k++) {
    int function = it->watching.roots[k].function;
    if (function >= it->model->watched_count) return false;
    const carom_watched *watched = &it->model->watched[function];
    bool of_slot = watched->kind == CAROM_WATCH_SWITCH && watched->slot > 0;
    if (!of_slot || carom_solids_holds(it, watched->slot)) return false;
  }
  for (int k = 0; k < count; k++)
    (void)carom_solids_expire(it, it->watching.roots[k].function);
  return count > 0;
}

carom_status carom_solids_along(carom_hybrid *it, int *found, carom_error *error) {
  const carom_solid_set *set = &it->model->probe.solids;
  if (set->slot_count == 0) return CAROM_OK;
  double theta = *found > 0 ? it->watching.roots[0].theta : 1.0;
  int pair = guard_step(it, &theta);
  if (pair >= 0 && theta < SHORTEST) {
    const carom_convex_pair *bodies = &set->list->pairs[pair];
    return carom_fail(error, CAROM_ERR_NO_CONVERGENCE,
                      "the bodies '%s' and '%s' come to overlap, which none of their contacts "
                      "notices; try a sharper run.rtol, or run.method: stepping",
                      set->list->shapes[bodies->first].name,
                      set->list->shapes[bodies->second].name);
  }
  bool ends = pair >= 0 || drops_any(it, *found, theta) || leaves_unnoticed(it, *found);
  if (!ends) return CAROM_OK;
  it->watching.roots[0] = (carom_root){
      CAROM_ROOT_UNDECIDED, it->model->watched_count + CAROM_ROOT_OF_SOLIDS, CAROM_ANY, theta};
  *found = 1;
  return CAROM_OK;
}
