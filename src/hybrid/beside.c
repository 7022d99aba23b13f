// SPDX-License-Identifier: MIT
/// What is met beside the steps. By sections and stops, and by branches (abs, sign, min, max, if)
/// that these alone ask for, nothing moves: they are found along the dense output of a step that
/// knows nothing of them, so that a motion has the same bits whether it is looked at or not. What
/// is told of such an instant is no interpolation: from the beginning of the step another one is
/// made that ends there.
///
/// A run may be stopped at such an instant. Its state is then that of the instant, with all that
/// has been seen up to there, and the beginning of the step is kept. Going on returns there and
/// makes the step anew, without telling again what was told: the motion goes on as if it had not
/// been stopped.
#include "hybrid/leg.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

static const double LEAST_PART = 1e-6; // of what was searched: less is too busy to be searched
static const double AT_ONCE = 1e-9;    // of a step: two zeros of one function are hardly that near

/// Where a function is met next. What is known of it does not depend on what else is looked for: a
/// section more leaves every bit of the others as it is.
typedef struct carom_pending {
  bool known;
  bool met; // in the present step
  double from;
  carom_root root; // kind CAROM_ROOT_NONE: no more in this step
} carom_pending;

static double *take_numbers(carom_arena *arena, int count) {
  return carom_arena_array(arena, (size_t)count, sizeof(double));
}

/// What the beginning of a step is made of.
typedef struct ground_part {
  void *data;
  size_t size;
} ground_part;
enum { GROUND_PARTS = 4 };

static void list_ground(carom_hybrid *it, ground_part parts[GROUND_PARTS]) {
  size_t number = sizeof(double);
  // the word, which comes last, is of phases and impacts
  parts[0] = (ground_part){&it->now, offsetof(carom_moving, word)};
  parts[1] = (ground_part){it->y, (size_t)it->size * number};
  parts[2] = (ground_part){it->modes, (size_t)it->model->dynamics->modes * number};
  parts[3] = (ground_part){it->tallies, (size_t)it->model->followed_count * sizeof *it->tallies};
}

static size_t watch_size(const carom_hybrid *it) {
  return (size_t)it->model->watched_count * sizeof *it->watching.watch;
}

static size_t memory_size(const carom_hybrid *it) {
  return (size_t)it->model->watched_count * sizeof *it->watching.memory;
}

carom_status carom_beside_init(carom_hybrid *it, carom_arena *arena, carom_error *error) {
  const carom_hybrid_model *model = it->model;
  carom_beside *beside = &it->beside;
  size_t count = (size_t)model->beside_count;
  if (count == 0) return CAROM_OK;
  carom_status status = carom_looking_init(&beside->looking, arena, it, error);
  if (status == CAROM_OK)
    status = carom_stepper_init(&beside->stepper, arena, it->size, carom_hybrid_rhs, it,
                                &it->stepper.options, error);
  const carom_phase_series *free = &model->free_series;
  if (status == CAROM_OK && free->program)
    // the series of a phase are followed by those of its watched functions
    status = carom_stepper_series(&beside->stepper, arena, free->degree,
                                  carom_phase_series_room(model), carom_hybrid_series, error);
  if (status != CAROM_OK) return status;
  ground_part parts[GROUND_PARTS];
  list_ground(it, parts);
  beside->ground_size = watch_size(it) + memory_size(it);
  for (int k = 0; k < GROUND_PARTS; k++)
    beside->ground_size += parts[k].size;
  beside->pending = carom_arena_array(arena, count, sizeof *beside->pending);
  beside->roots = carom_arena_array(arena, count, sizeof *beside->roots);
  beside->weight = take_numbers(arena, it->size);
  beside->ground = carom_arena_take(arena, beside->ground_size);
  bool whole = beside->pending && beside->roots && beside->weight && beside->ground;
  return whole ? CAROM_OK : carom_fail_memory(error);
}

// ---- the beginning of a step

// Derivatives and legs are of the motion with all that it meets: there steps end at everything.
static bool is_on(const carom_hybrid *it) {
  return it->model->beside_count > 0 && !it->clients.tangent &&
         !(it->clients.leg && it->clients.leg->log.on);
}

// the watches lie at the end of the ground: a search along the step changes them
void carom_beside_begin(carom_hybrid *it, bool to_event) {
  carom_beside *beside = &it->beside;
  beside->on = is_on(it);
  beside->keeps = beside->on && (to_event || it->simulation->observer.event);
  if (!beside->keeps) return;
  beside->h_next = it->stepper.h_next;
  beside->grow = it->stepper.grow;
  beside->by_series = it->stepper.expansion.used;
  memcpy(beside->uncommon, it->now.certificate.counts.uncommon, sizeof beside->uncommon);
  char *end = beside->ground + beside->ground_size;
  memcpy(end - memory_size(it), it->watching.memory, memory_size(it));
  memcpy(end - memory_size(it) - watch_size(it), it->watching.watch, watch_size(it));
}

// before anything is told of the step
static void keep_ground(carom_hybrid *it) {
  ground_part parts[GROUND_PARTS];
  long uncommon[CAROM_UNCOMMON_COUNT], *counts = it->now.certificate.counts.uncommon;
  memcpy(uncommon, counts, sizeof uncommon);
  it->now.paused.h = it->beside.h_next;
  it->now.grow = it->beside.grow;
  it->now.by_series = it->beside.by_series;
  memcpy(counts, it->beside.uncommon, sizeof uncommon);
  list_ground(it, parts);
  parts[1].data = it->stepper.y;
  char *at = it->beside.ground;
  for (int k = 0; k < GROUND_PARTS; at += parts[k++].size)
    if (parts[k].size > 0) memcpy(at, parts[k].data, parts[k].size);
  memcpy(counts, uncommon, sizeof uncommon);
}

carom_status carom_beside_return(carom_hybrid *it, carom_error *error) {
  ground_part parts[GROUND_PARTS];
  carom_sampled sampled = it->now.sampled;
  long told = it->now.paused.told;
  it->now.paused.held = false;
  if (!is_on(it)) return CAROM_OK; // what is asked for begins here
  list_ground(it, parts);
  const char *at = it->beside.ground;
  for (int k = 0; k < GROUND_PARTS; at += parts[k++].size)
    if (parts[k].size > 0) memcpy(parts[k].data, at, parts[k].size);
  memcpy(it->watching.watch, at, watch_size(it));
  memcpy(it->watching.memory, at + watch_size(it), memory_size(it));
  it->now.paused.held = false;
  it->now.sampled = sampled;
  it->now.paused.told = told;
  carom_hybrid_configure(it);
  carom_status status =
      carom_stepper_start(&it->stepper, it->now.t, it->y, it->now.paused.h, error);
  it->stepper.grow = it->now.grow;
  it->stepper.expansion.used = it->now.by_series;
  it->stepper.expansion.ready = false; // if there is one it is that of the instant
  return status;
}

// The motion stands at the instant t of the tried step.
static carom_status stand_at_instant(carom_hybrid *it, double t, double theta, long looks,
                                     carom_error *error) {
  carom_tally_step(it, theta);
  it->now.t = t;
  it->now.paused.told = looks;
  it->now.paused.held = it->beside.keeps;
  it->now.h = it->stepper.h_next;
  return carom_stepper_start(&it->stepper, t, it->y, it->now.h, error);
}

// ---- an instant

// A step from the beginning of the tried one to the root, which lies between two times.
static carom_status make_step(carom_hybrid *it, const carom_root *root, double low, double high,
                              carom_error *error) {
  carom_stepper *stepper = &it->beside.stepper;
  carom_stepper_stand_beside(stepper, &it->stepper);
  double part = fmax(root->theta, CAROM_SHORTEST_PART);
  if (root->theta < 1.0) {
    carom_status status = carom_stepper_shorten(stepper, part * it->stepper.h, error);
    if (status != CAROM_OK) return status;
  }
  double shift = carom_hybrid_root_shift(it, stepper, root);
  shift = fmin(fmax(shift, low - stepper->t1), high - stepper->t1);
  return shift == 0.0 ? CAROM_OK : carom_stepper_nudge(stepper, shift, error);
}

// The state is brought onto constraints and energy as that of a step's end is; the certificate is
// of the motion alone.
static carom_status settle_state(carom_hybrid *it, carom_error *error) {
  carom_stepper *stepper = &it->beside.stepper;
  carom_certificate *c = &it->now.certificate;
  double corrected = c->energy.corrected, scale = it->now.books.energy_scale;
  carom_violations worst = c->worst;
  bool changed = false;
  carom_status status = carom_hybrid_settle(it, stepper->t1, stepper->y1, &changed, error);
  c->energy.corrected = corrected;
  c->worst = worst;
  it->now.books.energy_scale = scale;
  return status;
}

/// A way along the tried step.
typedef struct way_along {
  double end;     // as far as it goes
  bool whole;     // nothing else ends the step
  double t, high; // the last instant, and the time at the end
  long looks;     // instants so far
} way_along;

// a function too busy to be searched to the end
static carom_status fail_busy(const carom_hybrid *it, int k, carom_error *error) {
  return carom_fail(error, CAROM_ERR_LIMIT, "%s changes too fast to be searched for zeros",
                    it->model->watched[k].name);
}

static bool is_flip(const carom_hybrid *it, const carom_root *root) {
  return root->kind == CAROM_ROOT_CROSSING &&
         it->model->watched[root->function].kind == CAROM_WATCH_SWITCH;
}

// is the root that of a branch on which function k depends?
static bool depends_on(const carom_hybrid *it, int k, const carom_root *root) {
  assert(k >= 0 && k < it->model->watched_count);
  const carom_watched *branch = &it->model->watched[root->function];
  return root->kind != CAROM_ROOT_NONE && branch->kind == CAROM_WATCH_SWITCH &&
         it->model->watched[k].branches[branch->index];
}

// A function is what its expression says as far as it is known that no branch which it depends on
// changes. Branches stand before what depends on them.
static double valid_until(const carom_hybrid *it, int k, double end) {
  for (int j = 0; j < it->model->beside_count && it->model->beside[j] < k; j++) {
    const carom_root *root = &it->beside.pending[j].root;
    if (depends_on(it, k, root)) end = fmin(end, root->theta);
  }
  return end;
}

static carom_status find_next(carom_hybrid *it, int k, carom_pending *pending, const way_along *way,
                              double h_natural, carom_error *error) {
  assert(k >= 0 && k < it->model->watched_count);
  double from = pending->from, end = valid_until(it, k, way->end);
  pending->known = true;
  while (from < end) {
    carom_root root;
    bool found = carom_search_part(it, k, from, end, &root);
    // met again at once: where terms cancel, rounding may be all there is
    if (found && pending->met && root.theta <= pending->from + AT_ONCE && carom_search_widen(it, k))
      continue;
    double reached = found ? root.theta : end;
    bool whole = way->whole && !pending->met && !found && from == 0.0 && end == way->end;
    bool flat = carom_search_note_side(it, k, from, reached, whole, h_natural);
    if (flat) root = (carom_root){CAROM_ROOT_FLAT, k, CAROM_ANY, way->end};
    if (flat || (found && root.kind != CAROM_ROOT_UNDECIDED)) {
      pending->root = root;
      return CAROM_OK;
    }
    it->watching.watch[k].served = false;
    if (found && !(reached - from >= LEAST_PART * (end - from))) return fail_busy(it, k, error);
    from = reached;
  }
  pending->root.kind = CAROM_ROOT_NONE;
  return CAROM_OK;
}

// The roots of the instant that comes next, into `beside.roots`; how many.
static carom_status find_instant(carom_hybrid *it, const way_along *way, double h_natural,
                                 int *count, carom_error *error) {
  const carom_beside *beside = &it->beside;
  double first = INFINITY, tie = carom_search_same_instant(it);
  for (int j = 0; j < it->model->beside_count; j++) {
    carom_pending *pending = &beside->pending[j];
    carom_status status = pending->known
                              ? CAROM_OK
                              : find_next(it, it->model->beside[j], pending, way, h_natural, error);
    if (status != CAROM_OK) return status;
    if (pending->root.kind != CAROM_ROOT_NONE) first = fmin(first, pending->root.theta);
  }
  *count = 0;
  for (int j = 0; j < it->model->beside_count; j++) {
    carom_pending *pending = &beside->pending[j];
    if (pending->root.kind == CAROM_ROOT_NONE || pending->root.theta > first + tie) continue;
    beside->roots[(*count)++] = pending->root;
    pending->from = pending->root.theta;
    pending->known = false;
    pending->met = true;
  }
  return CAROM_OK;
}

// Functions that were met, or that depend on a branch that was, go on from here.
static void go_on(carom_hybrid *it, int count, const carom_root *roots) {
  for (int j = 0; j < it->model->beside_count; j++) {
    int k = it->model->beside[j];
    carom_pending *pending = &it->beside.pending[j];
    bool met = false, depends = false, changed = false;
    int crossed = 0;
    for (int i = 0; i < count; i++) {
      met = met || roots[i].function == k;
      if (roots[i].function == k && roots[i].kind == CAROM_ROOT_CROSSING)
        crossed = (int)roots[i].direction;
      depends = depends || depends_on(it, k, &roots[i]);
      changed = changed || (is_flip(it, &roots[i]) && depends_on(it, k, &roots[i]));
    }
    if (met || changed) carom_sides_beside(it, k, it->rate);
    // nothing has moved: the search goes on along the same step, whose way through zero is known.
    // The rate of a motion that has come to rest is rounding, of any sign
    if (crossed != 0 && !changed) it->watching.watch[k].side = crossed;
    if (!depends) continue;
    if (changed) it->watching.work[k].degree = 0; // its polynomial is that of the branch before
    if (changed) it->watching.watch[k].clear = 0;
    pending->from = fmax(pending->from, roots[0].theta);
    pending->known = false;
  }
  carom_search_go_on(it, roots, count, it->now.certificate.counts.steps + 1);
}

// tells the instant, unless that was done before the run was stopped
static carom_status tell_instant(carom_hybrid *it, int count, carom_root *roots, double t_before,
                                 carom_passing *passing, carom_error *error) {
  bool muted = it->observing.muted, again = it->now.paused.told > 0;
  long events = it->now.certificate.counts.events;
  if (again) it->now.paused.told--;
  it->observing.muted = muted || again;
  carom_turning_tell(it, count, roots);
  carom_status status = carom_hybrid_instant_beside(it, count, roots, passing, error);
  it->observing.muted = muted;
  if (status != CAROM_OK) return status;
  if (passing->to_event && !again && it->now.certificate.counts.events > events)
    passing->left = true;
  passing->left |= passing->stop || passing->asked;
  const char *name = it->model->watched[roots[0].function].name;
  status = carom_pace_beside(it, t_before, it->stepper.h_next, name, error);
  if (status == CAROM_OK) status = carom_pace_check(it, count, roots, error);
  go_on(it, count, roots);
  return status;
}

// the state at the instant becomes that of the motion, as long as it is told
static carom_status look_at_instant(carom_hybrid *it, int count, carom_root *roots, way_along *way,
                                    carom_passing *passing, carom_error *error) {
  carom_beside *beside = &it->beside;
  double *weight = it->room.weight, t_step = it->now.t;
  long evaluations = beside->stepper.counts.evaluations;
  carom_looking_stand_in(&beside->looking, it);
  carom_status status = make_step(it, &roots[0], way->t, way->high, error);
  it->room.weight = beside->weight;
  if (status == CAROM_OK)
    status = settle_state(it, error);
  else
    status = carom_hybrid_explain(it, status, it->stepper.t, it->stepper.y, error);
  it->now.t = beside->stepper.t1;
  carom_state_take(it, beside->stepper.y1);
  if (status == CAROM_OK) status = tell_instant(it, count, roots, way->t, passing, error);
  way->t = it->now.t;
  it->now.t = t_step;
  it->room.weight = weight;
  carom_looking_step_back(&beside->looking, it);
  it->now.certificate.counts.evaluations += beside->stepper.counts.evaluations - evaluations;
  return status;
}

static carom_status meet_instant(carom_hybrid *it, int count, carom_root *roots, way_along *way,
                                 carom_passing *passing, bool *sampled, carom_error *error) {
  carom_status status = CAROM_OK;
  *sampled |= carom_sampling_along(it, roots[0].theta, false, error, &status);
  if (status != CAROM_OK) return status;
  if (way->looks++ == 0 && it->beside.keeps) keep_ground(it);
  status = look_at_instant(it, count, roots, way, passing, error);
  if (status == CAROM_OK && passing->left)
    status = stand_at_instant(it, way->t, roots[0].theta, way->looks, error);
  return status;
}

// what is dealt with where the step ends is not met within it once more
static void leave_to_end(carom_hybrid *it, int k) {
  for (int j = 0; j < it->model->beside_count; j++)
    if (it->model->beside[j] == k)
      it->beside.pending[j] = (carom_pending){.known = true, .root = {.kind = CAROM_ROOT_NONE}};
}

static bool is_listed(const carom_hybrid *it, int k, int found) {
  for (int j = 0; j < found; j++)
    if (it->watching.roots[j].function == k) return true;
  return false;
}

// What comes at the instant that ends the step belongs to it: it is put to its roots. False: these
// come before.
static bool join_step_end(carom_hybrid *it, double theta_end, int count, carom_root *roots,
                          int *found) {
  bool ends = *found > 0 && it->watching.roots[0].kind != CAROM_ROOT_UNDECIDED;
  if (!ends || roots[0].theta < theta_end - carom_search_same_instant(it)) return false;
  for (int j = 0; j < count; j++) {
    roots[j].theta = fmin(roots[j].theta, theta_end);
    if (!is_listed(it, roots[j].function, *found)) it->watching.roots[(*found)++] = roots[j];
    assert(*found <= it->model->watched_count + 1);
    leave_to_end(it, roots[j].function);
  }
  return true;
}

carom_status carom_beside_pass(carom_hybrid *it, double theta_end, int *found,
                               carom_passing *passing, bool *sampled, carom_error *error) {
  const carom_stepper *stepper = &it->stepper;
  carom_root *roots = it->beside.roots;
  bool whole = *found == 0;
  way_along way = {.whole = whole, .t = stepper->t};
  way.end = whole ? 1.0 : fmin(1.0, theta_end + carom_search_same_instant(it));
  way.high = theta_end < 1.0 ? stepper->t + theta_end * stepper->h : stepper->t1;
  it->now.pace.since_looked = 0;                        // time has moved since the last step
  if (carom_search_nothing_beside(it)) return CAROM_OK; // as in most steps
  for (int j = 0; j < it->model->beside_count; j++)
    it->beside.pending[j] = (carom_pending){0};
  for (int count = 1; count > 0 && !passing->left;) {
    carom_status status = find_instant(it, &way, passing->h_natural, &count, error);
    if (status == CAROM_OK && count > 0 && !join_step_end(it, theta_end, count, roots, found))
      status = meet_instant(it, count, roots, &way, passing, sampled, error);
    if (status != CAROM_OK) return status;
  }
  return CAROM_OK;
}
