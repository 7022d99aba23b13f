// SPDX-License-Identifier: MIT
/// Pseudo-arclength continuation (Keller 1977): a step along the tangent, then Newton's method in
/// the hyperplane across it, so that folds are passed like any other point.
#include "analysis/follower.h"
#include "analysis/watch_over.h"
#include "base/elementary.h"
#include "base/platform.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  NEWTON_ROUNDS = 9,
  FIRST_ROUNDS = 30,
  EASY_ROUNDS = 4,
  MOST_KINKS = 6,
  MOST_CREEPING = 24,
  MARKED_AT = 12,
  CLOSED_AFTER = 10
};
// steps this short come near to a kink: differences by the parameter would reach across it
static const double NEAR_EVENT = 0.2; // of the phase a turn begins in
static const double JUMP = 0.25;      // of the leading multiplier: too much for one step
static const double STEADY = 1e-5;    // steps so short are not made shorter for that
static const double SHORT = 1e-4, AFTER_KINK = 3e-4, LONG = 2e-3;
// an equilibrium is followed over one step, which is as good as exact unless contacts are closed
static const double CLOSURE_AT_REST = 1e-13;
static const double CLOSURE = 1e-10, TURN = 0.86; // cosine of the largest turn in one step
static const double AT_MARK = 3e-4;               // of the motion's size: the first point again
static const double OUTSIDE = 0.1; // of the range of the parameter: how far steps may look

const char *carom_branch_label_text(carom_branch_label label) {
  static const char *const texts[] = {
      [CAROM_LABEL_NONE] = "",           [CAROM_LABEL_START] = "start",
      [CAROM_LABEL_END] = "end",         [CAROM_LABEL_FOLD] = "fold",
      [CAROM_LABEL_FLIP] = "flip",       [CAROM_LABEL_TORUS] = "torus",
      [CAROM_LABEL_HOPF] = "hopf",       [CAROM_LABEL_CROSSING] = "crossing",
      [CAROM_LABEL_GRAZE] = "graze",     [CAROM_LABEL_WORD] = "word",
      [CAROM_LABEL_LOST] = "lost",       [CAROM_LABEL_JUMP] = "jump",
      [CAROM_LABEL_FLUTTER] = "flutter", [CAROM_LABEL_HOMOCLINIC] = "homoclinic"};
  return texts[label];
}

// --- the result

void carom_continuation_destroy(carom_continuation *result) {
  if (!result) return;
  for (long k = 0; k < result->count; k++)
    free((void *)result->points[k].state); // all else lies behind it
  for (int k = 0; k < result->promises; k++)
    free(result->promised[k]);
  for (long k = 0; k < result->specials; k++)
    free(result->special[k]);
  free(result->special);
  free(result->points);
  free(result);
}

long carom_continuation_points(const carom_continuation *result) { return result->count; }
const carom_continuation_point *carom_continuation_point_at(const carom_continuation *result,
                                                            long k) {
  return k >= 0 && k < result->count ? &result->points[k] : NULL;
}
int carom_continuation_states(const carom_continuation *result) { return result->states; }
long carom_continuation_turns(const carom_continuation *result) { return result->turns; }

carom_status carom_continuation_promise(carom_continuation *result,
                                        const carom_beginning *beginning, carom_error *error) {
  if (result->promises == CAROM_MOST_BRANCHES) return CAROM_OK;
  carom_beginning *kept = malloc(sizeof *kept);
  if (!kept) return carom_fail_memory(error);
  *kept = *beginning;
  result->promised[result->promises++] = kept;
  return CAROM_OK;
}

bool carom_continuation_add_special(carom_continuation *result, carom_curve_start *special) {
  void *list = result->special;
  bool grown = carom_grow(&list, result->specials, &result->special_room, sizeof special);
  result->special = list;
  if (grown) result->special[result->specials++] = special;
  return grown;
}

carom_status carom_follower_keep_special(carom_follower *it, const carom_beginning *at,
                                         carom_branch_label label, const carom_leg_margin *margin) {
  carom_continuation *result = it->result;
  if (!it->options->for_atlas) return CAROM_OK;
  carom_curve_start *kept = malloc(sizeof *kept);
  if (!kept) return carom_fail_memory(it->error);
  *kept = (carom_curve_start){.at = *at, .label = label, .margin = *margin};
  if (carom_continuation_add_special(result, kept)) return CAROM_OK;
  free(kept);
  return carom_fail_memory(it->error);
}

carom_status carom_continuation_grow(carom_continuation *result, carom_error *error) {
  void *points = result->points;
  bool grown = carom_grow(&points, result->count, &result->room, sizeof *result->points);
  result->points = points;
  return grown ? CAROM_OK : carom_fail_memory(error);
}

// the leading multiplier, or for an equilibrium the eigenvalue it stands for
static void find_leading_multiplier(const carom_follower *it, const carom_orbit_data *orbit,
                                    carom_continuation_point *p) {
  if (orbit->is.floquet.count == 0) return;
  p->re = orbit->re[0];
  p->im = fabs(orbit->im[0]); // the other of the pair is its mirror image
  if (!it->map->kind.rest) return;
  double modulus = carom_hypot(p->re, p->im), angle = carom_atan2(p->im, p->re);
  p->re = carom_log(modulus) / it->map->found.period;
  p->im = angle / it->map->found.period;
}

carom_status carom_follower_record(carom_follower *it, const carom_station *place,
                                   carom_branch_label label) {
  carom_continuation *result = it->result;
  carom_status status = carom_continuation_grow(result, it->error);
  if (status != CAROM_OK) return status;
  const char *why = label == CAROM_LABEL_LOST ? it->why : "";
  size_t states = (size_t)it->map->size, letters = strlen(place->orbit.word) + 1;
  double *kept = malloc(3 * states * sizeof *kept + letters + strlen(why) + 1);
  if (!kept) return carom_fail_memory(it->error);
  carom_continuation_point *p = &result->points[result->count++];
  *p = (carom_continuation_point){.branch = it->branch,
                                  .label = label,
                                  .value = place->at.p,
                                  .period = place->orbit.is.period,
                                  .kind = place->orbit.is.kind,
                                  .virtual_motion = place->orbit.is.fixed_word.virtual_motion};
  for (int k = 0; k < place->orbit.is.floquet.count; k++)
    p->unstable += carom_hypot(place->orbit.re[k], place->orbit.im[k]) > 1.0;
  find_leading_multiplier(it, &place->orbit, p);
  memcpy(kept, place->orbit.state, states * sizeof *kept);
  memcpy(kept + states, place->orbit.shift, states * sizeof *kept);
  memcpy(kept + 3 * states, place->orbit.word, letters);
  memcpy((char *)(kept + 3 * states) + letters, why, strlen(why) + 1);
  p->state = kept;
  p->shift = kept + states;
  p->word = (const char *)(kept + 3 * states);
  p->why = p->word + letters;
  if (it->options->looks <= 0) return CAROM_OK;
  p->top = kept + 2 * states;
  status = carom_orbit_top(it->map, place->at.x, place->at.p, it->options->looks, kept + 2 * states,
                           NULL);
  // at its birth a cycle is the rest it is born from; else what cannot be gone round is not known
  for (size_t k = 0; k < states && status != CAROM_OK; k++)
    kept[2 * states + k] = label == CAROM_LABEL_HOPF ? kept[k] : NAN;
  return CAROM_OK;
}

// --- places

static void unit_direction(const carom_follower *it, const carom_branch_point *at,
                           double *direction) {
  memcpy(direction, at->tangent, (size_t)it->problem.count * sizeof *direction);
  direction[it->problem.count] = at->tangent_p;
}

// a motion of a fixed word is real or virtual; where it grazes its multipliers are unbounded
static carom_status judge_fixed(carom_follower *it, carom_station *place, carom_status multipliers,
                                carom_error *error) {
  carom_orbit_data *orbit = &place->orbit;
  if (multipliers != CAROM_OK) {
    orbit->is.floquet.count = 0;
    orbit->is.kind = CAROM_ORBIT_UNSTABLE;
  }
  carom_status status = carom_orbit_legs_check(it->map, place->at.x, place->at.p,
                                               &orbit->is.fixed_word.margin, error);
  orbit->is.fixed_word.virtual_motion = carom_orbit_broken(&orbit->is.fixed_word.margin);
  return status;
}

static carom_status describe_station(carom_follower *it, carom_station *place,
                                     const carom_branch_effort *effort, carom_error *error) {
  place->orbit.is.rounds = effort->rounds;
  place->orbit.is.residual = effort->residual;
  carom_orbit_describe(it->map, place->at.x, &place->orbit);
  for (int k = 0; k < it->map->count; k++)
    place->rate[k] = it->map->derived.first_rate[it->map->which[k]] / it->map->units.scale[k];
  place->course = it->map->derived.course;
  place->course_told = it->map->derived.course_told;
  carom_status status = carom_orbit_multipliers(it->map, &place->orbit, error);
  return it->map->fixed_word.held ? judge_fixed(it, place, status, error) : status;
}

carom_status carom_follower_settle(carom_follower *it, carom_station *place, bool fixed_parameter) {
  double direction[CAROM_BRANCH_MOST + 1];
  carom_branch_effort effort;
  unit_direction(it, &place->at, direction);
  carom_error ignored = {0}; // failures are no errors: the step is made smaller
  const double *across = fixed_parameter ? NULL : direction;
  // a branch begins at a motion that may have settled badly, near a fold
  int rounds = it->result->count > 0 ? NEWTON_ROUNDS : FIRST_ROUNDS;
  carom_status status = CAROM_ERR_NO_CONVERGENCE;
  if (it->map->kind.rest)
    status = carom_branch_correct(&it->problem, &place->at, across, CLOSURE_AT_REST, rounds,
                                  &effort, &ignored);
  if (status != CAROM_OK && status != CAROM_STOP_USER)
    status =
        carom_branch_correct(&it->problem, &place->at, across, CLOSURE, rounds, &effort, &ignored);
  if (status == CAROM_OK && !it->problem.near_by)
    status = carom_branch_tangent(&it->problem, &place->at, &ignored);
  if (status == CAROM_OK) status = describe_station(it, place, &effort, &ignored);
  if (status == CAROM_OK) return CAROM_OK;
  if (status != CAROM_STOP_USER && it->error) *it->error = ignored;
  memcpy(it->why, ignored.text, sizeof it->why);
  return status;
}

carom_station carom_station_at(const carom_station *from, double p) {
  carom_station to = *from;
  to.at.p = p;
  return to;
}

carom_status carom_follower_step(carom_follower *it, const carom_station *from, double s,
                                 carom_station *to) {
  *to = *from;
  carom_branch_go(&it->problem, &from->at, s, &to->at);
  return carom_follower_settle(it, to, false);
}

// The same family of motions with turns that begin across the motion here: what the tangent has
// along the motion is only a shift of where they begin
void carom_follower_anchor(carom_follower *it) {
  carom_orbit_map *map = it->map;
  carom_branch_point *at = &it->here.at;
  double along = 0.0, whole = 0.0;
  if (!map->kind.autonomous || map->kind.rest) return;
  carom_orbit_anchor(map, at->x);
  for (int k = 0; k < map->count; k++) {
    along += map->begin.across[k] * at->tangent[k] * map->units.scale[k];
    whole += map->begin.across[k] * map->derived.first_rate[map->which[k]];
  }
  for (int k = 0; k < map->count && whole > 0.0; k++)
    at->tangent[k] -= along / whole * map->derived.first_rate[map->which[k]] / map->units.scale[k];
  for (int k = 0; map->fixed_word.held && k < map->fixed_word.events && whole > 0.0; k++) {
    int time = carom_ring_time(&it->problem.ring, k);
    at->tangent[time] += along / whole / map->units.scale[time]; // events come so much later
  }
  carom_branch_make_unit(&it->problem, at);
}

static double tangent_cosine(const carom_follower *it, const carom_branch_point *a,
                             const carom_branch_point *b) {
  double sum = a->tangent_p * b->tangent_p;
  for (int k = 0; k < it->problem.count; k++)
    sum += a->tangent[k] * b->tangent[k];
  return sum;
}

void carom_follower_arrive(carom_follower *it, carom_station *place) {
  it->here = *place;
  carom_follower_anchor(it);
  *place = it->here;
}

static bool lies_in_range(const carom_follower *it, double p) {
  return p >= it->low && p <= it->high;
}

// the branch leaves the range of the parameter: its point at the bound
static carom_status end_at_bound(carom_follower *it) {
  double bound = it->next.at.p > it->high ? it->high : it->low;
  double part = (bound - it->here.at.p) / (it->next.at.p - it->here.at.p);
  it->special = it->here;
  carom_branch_between(&it->problem, &it->here.at, &it->next.at, part, bound, &it->special.at);
  carom_status status = carom_follower_settle(it, &it->special, true);
  if (status == CAROM_STOP_USER) return status;
  if (status != CAROM_OK) return carom_follower_record(it, &it->here, CAROM_LABEL_END);
  it->next = it->special;
  return carom_follower_record(it, &it->special, CAROM_LABEL_END);
}

// The time left is that to the end of the range, as if the way there were as fast as it was so far
static void tell_progress(const carom_follower *it) {
  const carom_watcher *watcher = &it->map->maker.watcher;
  if (!watcher->progress) return;
  double from = it->first_value, bound = it->here.at.tangent_p >= 0.0 ? it->high : it->low;
  double part = (it->here.at.p - from) / (bound - from), left = -1.0;
  if (part > 0.0) left = (carom_clock() - it->keeping.began) * (1.0 - part) / part;
  watcher->progress(watcher->ctx, it->steps, it->options->most, left);
}

static bool multiplier_jumps(const carom_station *a, const carom_station *b) {
  if (a->orbit.is.floquet.count == 0 || b->orbit.is.floquet.count == 0) return false;
  double before = carom_hypot(a->orbit.re[0], a->orbit.im[0]),
         after = carom_hypot(b->orbit.re[0], b->orbit.im[0]);
  return !(fabs(after - before) <= JUMP * (1.0 + before));
}

bool carom_station_kindred(const carom_station *a, const carom_station *b) {
  if (strcmp(a->orbit.word, b->orbit.word) != 0) return false;
  if (a->course != 0 && b->course != 0 && a->course != b->course) return false;
  return (a->course_told && b->course_told) || !multiplier_jumps(a, b);
}

// Multipliers that grow fast, next to a graze, ask for short steps and no more.
static bool good_step(const carom_follower *it, carom_status status) {
  if (status != CAROM_OK || tangent_cosine(it, &it->here.at, &it->next.at) <= TURN) return false;
  return it->step <= STEADY || !carom_station_kindred(&it->here, &it->next) ||
         !multiplier_jumps(&it->here, &it->next);
}

// A motion that grows along its branch is measured by how far it has come
static void rescale_branch(carom_follower *it) {
  carom_branch_point *at = &it->here.at;
  for (int k = 0; k < it->map->count; k++) {
    double size = fabs(at->x[k] - it->origin[k]);
    if (size > it->map->units.scale[k]) {
      at->tangent[k] *= it->map->units.scale[k] / size;
      it->map->units.scale[k] = size;
      it->map->units.weight[k] = 1.0 / size;
    }
  }
  carom_branch_make_unit(&it->problem, at);
}

// Phases grow and shrink along a branch: the turn must not begin where an event is about to come
static carom_status recentre_turn(carom_follower *it) {
  bool well = it->map->found.margin > NEAR_EVENT && it->map->found.lasts > CAROM_ORBIT_BRIEF;
  if (it->map->kind.rest || it->map->fixed_word.held || well || fabs(it->here.at.tangent_p) < 0.02)
    return CAROM_OK;
  carom_orbit_map kept = *it->map;
  carom_station moved = it->here;
  carom_status status = carom_orbit_recentre(it->map, moved.at.x, moved.at.p, NULL);
  // only its side is known in the new place
  carom_branch_head(&moved.at, it->here.at.tangent_p > 0.0 ? 1.0 : -1.0);
  if (status == CAROM_OK) status = carom_follower_settle(it, &moved, true);
  if (status == CAROM_STOP_USER) return status;
  if (status == CAROM_OK && carom_station_kindred(&it->here, &moved))
    it->here = moved;
  else
    *it->map = kept;
  return CAROM_OK;
}

// Does the motion at this place pass the marked one? Turns may begin at
// another phase of the drive by now.
static carom_status meets_first(carom_follower *it, const carom_station *place, bool *meets) {
  carom_orbit_map *map = it->map;
  double later = it->landmark.phase - map->begin.phase;
  int size;
  carom_status status = carom_orbit_begin(map, place->at.x, place->at.p, NULL);
  double drive = map->found.period / map->begin.turns, start = map->begin.time;
  *meets = false;
  for (int turn = 0; turn < map->begin.turns && status >= 0 && !*meets; turn++) {
    double t = start + (later - floor(later) + turn) * drive, way = 0.0;
    if (t > start) status = map->maker.engine->advance(map->maker.simulation, t, false, NULL);
    const double *y = carom_simulation_state(map->maker.simulation, &size);
    for (int k = 0; k < map->count; k++)
      way = fmax(way, fabs(y[map->which[k]] - it->landmark.state[k]) / map->units.scale[k]);
    *meets = status >= 0 && way < AT_MARK;
  }
  return status == CAROM_STOP_USER ? status : CAROM_OK;
}

// A place some steps from the beginning, where another branch may cross and nothing is told well
static void mark_way(carom_follower *it) {
  if (it->landmark.steps != 0 || it->steps < MARKED_AT) return;
  it->landmark.steps = it->steps;
  it->landmark.value = it->here.at.p;
  it->landmark.phase = it->map->begin.phase;
  memcpy(it->landmark.state, it->here.at.x, sizeof it->landmark.state);
  memcpy(it->landmark.word, it->here.orbit.word, sizeof it->landmark.word);
}

// Has the branch of a driven motion come back to where it has been before? Then it is closed.
static carom_status comes_round(carom_follower *it, bool *closed) {
  const carom_branch_point *a = &it->here.at, *b = &it->next.at;
  double part = (it->landmark.value - a->p) / (b->p - a->p);
  *closed = false;
  if (it->landmark.steps == 0 || it->steps < it->landmark.steps + CLOSED_AFTER ||
      !(part >= 0.0 && part <= 1.0) || it->map->kind.autonomous || it->map->fixed_word.held ||
      it->map->shifts.count > 0 || strcmp(it->next.orbit.word, it->landmark.word) != 0)
    return CAROM_OK;
  carom_station *trial = malloc(sizeof *trial);
  if (!trial) return carom_fail_memory(it->error);
  *trial = it->next;
  carom_branch_between(&it->problem, a, b, part, it->landmark.value, &trial->at);
  carom_orbit_map kept = *it->map;
  carom_status status = carom_follower_settle(it, trial, true);
  if (status == CAROM_OK) status = meets_first(it, trial, closed);
  if (*closed) {
    status = carom_follower_record(it, trial, CAROM_LABEL_END);
    it->done = true;
  }
  *it->map = kept;
  free(trial);
  return status == CAROM_STOP_USER || *closed ? status : CAROM_OK;
}

// the branch ends on a homoclinic motion, at the place's value
static carom_status record_loop(carom_follower *it, const carom_station *place) {
  const carom_beginning at = {.map = *it->map, .at = place->at};
  const carom_leg_margin none = {0};
  carom_status status = carom_follower_keep_special(it, &at, CAROM_LABEL_HOMOCLINIC, &none);
  return status == CAROM_OK ? carom_follower_record(it, place, CAROM_LABEL_HOMOCLINIC) : status;
}

// a step of s was taken to `next`; *done: the branch has reached a bound
static carom_status accept_step(carom_follower *it, double s, bool *done) {
  carom_status status;
  if (!lies_in_range(it, it->next.at.p)) {
    *done = true;
    status = carom_follower_examine(it, s);
    return status == CAROM_OK ? end_at_bound(it) : status;
  }
  status = carom_follower_examine(it, s);
  if (status == CAROM_OK && it->ended) {
    *done = true;
    return CAROM_OK;
  }
  bool closed = false;
  if (status == CAROM_OK) status = comes_round(it, &closed);
  if (status != CAROM_OK || closed) return status;
  *done = carom_follower_takes_ever(it, &it->next.at.p);
  if (*done) return record_loop(it, &it->next);
  mark_way(it);
  if (status == CAROM_OK) status = carom_follower_record(it, &it->next, CAROM_LABEL_NONE);
  it->here = it->next;
  it->widest = fmax(it->widest, carom_follower_way(it, &it->here));
  carom_follower_anchor(it);
  rescale_branch(it);
  return status == CAROM_OK ? recentre_turn(it) : status;
}

// Kinks are crossed by words. An engine without words has none on its branches, and would take
// another motion of its own for the other side.
static bool without_words(const carom_follower *it) {
  return !it->map->maker.engine->turns.fixed_word;
}

// so short that a kink must be near, unless such steps are asked for
static bool is_short(const carom_follower *it, double s) {
  return s < fmin(SHORT, 0.1 * it->options->largest) && !without_words(it);
}

static bool is_long(const carom_follower *it, double s) {
  return s > fmin(LONG, 0.5 * it->options->largest);
}

// the next step did not work: it is made smaller, or the end of the word is near and is crossed
static carom_status overcome_failure(carom_follower *it, bool other, bool *lost) {
  const carom_continuation_options *o = it->options;
  bool passed = false, smooth = it->map->fixed_word.held || without_words(it);
  if (it->step > (other && !smooth ? 1e-3 : o->least) && it->ends.creeping < MOST_CREEPING) {
    it->ends.creeping += is_short(it, it->step);
    it->step = fmax(0.5 * it->step, o->least);
    return CAROM_OK;
  }
  it->ends.creeping = 0;
  double value;
  if (carom_follower_nears_loop(it, &value)) {
    it->here.at.p = value;
    *lost = true;
    return record_loop(it, &it->here);
  }
  if (smooth) {
    *lost = true;
    return carom_follower_record(it, &it->here, CAROM_LABEL_LOST);
  }
  // changes that crowd together (chatter that grows by a bounce at a time) are not followed
  *lost = ++it->ends.kinks > MOST_KINKS;
  if (*lost) {
    (void)snprintf(it->why, sizeof it->why, "the motion changes %d times in a row", MOST_KINKS);
    return carom_follower_record(it, &it->here, CAROM_LABEL_LOST);
  }
  bool crossed;
  carom_status status = carom_follower_cross(it, it->step, &passed, &crossed);
  if (status != CAROM_OK) return status;
  *lost = !passed;
  if (!passed) return CAROM_OK;
  if (!crossed) it->ends.kinks = 0;
  memcpy(it->slopes.long_step, it->slopes.found, sizeof it->slopes.long_step);
  it->done = it->done || !lies_in_range(it, it->here.at.p);
  it->step = fmin(AFTER_KINK, o->first); // branches of both words are near each other here
  return CAROM_OK;
}

static bool is_at(const carom_follower *it, const carom_branch_slopes *slopes,
                  const carom_branch_point *at) {
  size_t size = (size_t)it->problem.count * sizeof *at->x;
  return slopes->known && slopes->p == at->p && memcmp(slopes->x, at->x, size) == 0;
}

// Derivatives at `here` for the next step, mostly those that its tangent was found from. They are
// the same numbers when they have to be found again, after an interruption.
static carom_status find_chord(carom_follower *it) {
  const carom_branch_point *here = &it->here.at;
  const carom_orbit_map *map = it->map;
  int n = it->problem.count;
  if (!is_at(it, &it->slopes.here, here)) {
    if (!is_at(it, &it->slopes.next, here) && !is_at(it, &it->slopes.last, here)) {
      carom_branch_point at = *here;
      carom_status status = carom_branch_tangent(&it->problem, &at, NULL);
      if (status == CAROM_STOP_USER) return status;
    }
    it->slopes.here = is_at(it, &it->slopes.next, here) ? it->slopes.next : it->slopes.last;
    it->slopes.here.known = is_at(it, &it->slopes.here, here);
  }
  // the condition where a turn begins may be another one by now
  for (int k = 0; k < map->count && map->kind.autonomous && !map->kind.rest; k++)
    it->slopes.here.J[map->count * n + k] = map->begin.across[k];
  return CAROM_OK;
}

// a step has come to a place, but not to one that the branch could go on from
static void explain_loss(carom_follower *it, bool good, bool other) {
  const char *next = it->next.orbit.word;
  if (other && strcmp(it->here.orbit.word, next) != 0)
    (void)snprintf(it->why, sizeof it->why, "nothing leads to the next word, %.200s", next);
  else
    (void)snprintf(it->why, sizeof it->why, "%s",
                   other   ? "its multipliers jump"
                   : !good ? "it turns too sharply"
                           : "it goes on in very short steps only");
}

// one step, or one try of it
static carom_status take_step(carom_follower *it, bool *lost) {
  const carom_continuation_options *o = it->options;
  double s = it->step;
  it->problem.slope = is_short(it, s) && it->steps > 1 ? it->slopes.long_step : NULL;
  carom_status status = it->problem.slope ? CAROM_OK : find_chord(it);
  if (status == CAROM_STOP_USER) return status;
  it->problem.near = it->problem.slope ? NULL : &it->slopes.here;
  status = carom_follower_step(it, &it->here, s, &it->next);
  if (status != CAROM_OK) it->problem.near = NULL;
  if (status == CAROM_STOP_USER) return status;
  if (status == CAROM_OK && is_at(it, &it->slopes.last, &it->next.at))
    it->slopes.next = it->slopes.last;
  tell_progress(it);
  bool good = good_step(it, status), other = status == CAROM_OK && !it->map->fixed_word.held &&
                                             !carom_station_kindred(&it->here, &it->next);
  if (!good || other || it->ends.creeping >= MOST_CREEPING) {
    if (status == CAROM_OK) explain_loss(it, good, other);
    it->problem.near = NULL;
    return overcome_failure(it, other, lost);
  }
  int rounds = it->next.orbit.is.rounds;
  memcpy(it->slopes.long_step, it->slopes.found, sizeof it->slopes.long_step);
  if (is_long(it, s)) it->ends.kinks = it->ends.creeping = 0;
  it->ends.creeping += is_short(it, s);
  status = accept_step(it, s, &it->done); // special points on the way are near, too
  it->problem.near = NULL;
  if (rounds <= EASY_ROUNDS) it->step = fmin(1.5 * s, o->largest);
  return status;
}

// follows the branch from `here` until it leaves the range, comes to an end, or is long enough
carom_status carom_follower_follow(carom_follower *it) {
  bool lost = false;
  while (it->steps + 1 < it->options->most && !it->done) {
    carom_status status = carom_follower_mark(it);
    it->steps++;
    if (status == CAROM_OK) status = take_step(it, &lost);
    if (status != CAROM_OK || lost) return status;
  }
  // long enough: its last point is its end
  if (!it->done) it->result->points[it->result->count - 1].label = CAROM_LABEL_END;
  return CAROM_OK;
}

// --- beginnings

// a phase that hardly lasts may be about to vanish: then turns begin elsewhere
static carom_status begin_orbit(carom_follower *it, carom_station *place) {
  carom_orbit_map *map = it->map;
  double *x = place->at.x, p = place->at.p;
  carom_status status = carom_orbit_start(map, &it->options->orbit, x, it->error);
  if (status == CAROM_OK) status = carom_orbit_map_turn(map, x, p, false, it->error);
  return status == CAROM_OK && map->found.lasts < CAROM_ORBIT_BRIEF
             ? carom_orbit_recentre(map, x, p, it->error)
             : status;
}

void carom_follower_prepare(carom_follower *it) {
  it->problem = carom_orbit_problem(it->map);
  it->problem.scale_p = it->high - it->low;
  // what lies far outside was not asked for, and may not be sensible: a mass may be negative there
  double room = fmax(OUTSIDE, 2.0 * it->options->largest) * it->problem.scale_p;
  it->problem.low = it->low - room;
  it->problem.high = it->high + room;
  it->problem.slope_seen = it->slopes.found;
  it->problem.seen = &it->slopes.last;
}

// the first point of a branch is known
static carom_status set_out(carom_follower *it) {
  carom_follower_anchor(it);
  it->first_value = it->here.at.p;
  it->widest = carom_follower_way(it, &it->here);
  memcpy(it->origin, it->here.at.x, sizeof it->origin);
  it->step = it->options->first;
  carom_status status = carom_follower_record(it, &it->here, CAROM_LABEL_START);
  return status == CAROM_OK ? carom_follower_follow(it) : status;
}

// the first point once more, as the map is now, with the tangent along the parameter
static carom_status settle_anew(carom_follower *it) {
  memset(it->here.at.tangent, 0, sizeof it->here.at.tangent);
  it->here.at.tangent_p = 1.0;
  carom_follower_prepare(it);
  return carom_follower_settle(it, &it->here, true);
}

// the motion that was found may go round several times in its turn: then once
static carom_status take_least(carom_follower *it) {
  const carom_orbit_options *orbit = &it->options->orbit;
  int parts = 1;
  if (orbit->turns > 0 || orbit->period > 0.0) return CAROM_OK;
  carom_status status = carom_orbit_parts(it->map, it->here.at.x, it->here.at.p, &parts, NULL);
  if (status == CAROM_STOP_USER) return status;
  if (parts == 1) return CAROM_OK;
  carom_orbit_shorten(it->map, it->here.at.x, parts);
  return settle_anew(it);
}

// the branch that begins at the scenario's own motion
carom_status carom_follower_first(carom_follower *it) {
  const carom_continuation_options *o = it->options;
  it->here.at.p = o->from;
  carom_status status =
      o->equilibrium ? carom_follower_begin_rest(it, &it->here) : begin_orbit(it, &it->here);
  if (status != CAROM_OK) return status;
  it->map->maker.parameter = o->parameter;
  carom_follower_prepare(it);
  status = carom_follower_settle(it, &it->here, true);
  if (status == CAROM_OK && it->map->kind.rest) {
    carom_follower_measure_rest(it);
    status = carom_follower_settle(it, &it->here, true);
  }
  if (status == CAROM_OK && !it->map->kind.rest) status = take_least(it);
  bool looked = false;
  if (status == CAROM_OK) status = carom_follower_find_family(it, &looked);
  if (status == CAROM_OK && looked) status = settle_anew(it);
  if (status != CAROM_OK) return status;
  // towards the other end of the range
  if ((it->here.at.tangent_p > 0.0) != (o->to > o->from))
    carom_branch_face(&it->problem, &it->here.at, -1.0);
  return set_out(it);
}

void carom_follower_face(const carom_follower *it, carom_station *place, double sign) {
  carom_branch_face(&it->problem, &place->at, sign);
}

// the map of another branch's motion, for a simulation of its own
static void adopt_map(carom_follower *it, const carom_orbit_map *from) {
  carom_orbit_map own = *it->map;
  *it->map = *from;
  it->map->maker = own.maker;
  it->map->maker.parameter = it->options->parameter;
  it->map->turns_made = 0;
}

// a place on the branch that leaves, so far aside of the other one
static carom_status look_aside(carom_follower *it, double aside) {
  carom_status status = carom_follower_step(it, &it->special, aside, &it->here);
  double p = it->here.at.p;
  bool none = status == CAROM_OK &&
              (p < it->low || p > it->high || carom_follower_covers(it, &it->here) > 1);
  return none ? CAROM_ERR_NO_CONVERGENCE : status;
}

// A branch that leaves another: from a little beside it, at the first distance that works and
// passes over nothing; else at the least that works
carom_status carom_follower_promised(carom_follower *it, const carom_beginning *beginning) {
  static const double asides[] = {0.01, 0.003, 0.03, 0.001, -0.01, -0.003,
                                  3e-4, -3e-4, 1e-4, -1e-4, 3e-5,  -3e-5};
  double least = INFINITY;
  bool good = false;
  adopt_map(it, &beginning->map);
  it->depth = beginning->depth;
  carom_follower_prepare(it);
  it->special = (carom_station){.at = beginning->at};
  for (size_t k = 0; k < sizeof asides / sizeof *asides && !good; k++) {
    carom_status status = look_aside(it, asides[k]);
    if (status == CAROM_STOP_USER) return status;
    good = status == CAROM_OK && !carom_follower_passes_over(it, beginning);
    if (status != CAROM_OK || good || fabs(asides[k]) >= least) continue;
    least = fabs(asides[k]);
    it->next = it->here;
  }
  if (!good && !(least < INFINITY)) return CAROM_OK; // nothing branches off that can be followed
  if (!good) it->here = it->next;
  carom_follower_face(it, &it->here,
                      copysign(1.0, carom_follower_leads_along(it, &it->special.at)));
  return set_out(it);
}
