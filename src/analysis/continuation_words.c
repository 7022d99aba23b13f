// SPDX-License-Identifier: MIT
/// Where the word of a motion changes along a branch. There the equations have a kink, or at a
/// graze a square root: the branch may go on smoothly enough to be stepped over, or turn sharply
/// back as the branch of the other word. Derivatives of the other side are found by looking around.
#include "analysis/follower.h"

#include "base/elementary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HALVINGS = 45, SETTLING_TURNS = 200 };
static const double SAME = 1e-4;   // of the size of a state
static const double JUMPED = 0.03; // of the motion's size: farther than a step leads
static const double OTHER_SLOPES = 0.05, OTHER_MULTIPLIER = 0.3;
static const double BEHIND = 1e-3; // of the motion's size: not far from the end
static const double NEARBY = 1e-4; // of the parameter's range
static const double PROBE = 1e-4;  // a step that tells where a branch leads

static int impacts_in(const char *word) {
  int count = 0;
  for (; *word; word++)
    count += *word == 'I';
  return count;
}

static carom_branch_label label_of(const char *a, const char *b) {
  return impacts_in(a) != impacts_in(b) ? CAROM_LABEL_GRAZE : CAROM_LABEL_WORD;
}

// the last place of the present word on the way of s, by bisection; *beyond: the other side has a
// solution too, which is in `next`
static carom_status find_end(carom_follower *it, double s, bool *beyond) {
  double lo = 0.0, hi = s;
  carom_station trial;
  it->special = it->here;
  *beyond = false;
  for (int k = 0; k < HALVINGS && hi - lo > 1e-13; k++) {
    double middle = 0.5 * (lo + hi);
    carom_status status = carom_follower_step(it, &it->here, middle, &trial);
    if (status == CAROM_STOP_USER) return status;
    bool same = status == CAROM_OK && carom_station_kindred(&it->here, &trial);
    if (same) {
      lo = middle;
      it->special = trial;
    } else {
      hi = middle;
      *beyond = status == CAROM_OK;
      if (*beyond) it->next = trial;
    }
  }
  return CAROM_OK;
}

bool carom_slopes_differ(int count, const double *a, const double *b) {
  double size = 0.0, change = 0.0;
  for (int k = 0; k < count; k++) {
    size += a[k] * a[k];
    change += (b[k] - a[k]) * (b[k] - a[k]);
  }
  return sqrt(change) > OTHER_SLOPES * sqrt(size);
}

// has the last turn other derivatives than `kept`, far more than the distance explains?
static bool other_slopes(const carom_follower *it, const double *kept) {
  return carom_slopes_differ(it->map->count * it->map->count, kept, it->map->found.matrix);
}

// A place near the end where a turn has another word, or other derivatives (an impact that ends in
// slip, not in stick): they tell how that branch leaves
static carom_status look_around(carom_follower *it, const double *kept, double distance, int which,
                                int sign, carom_branch_point *found, bool *other) {
  *found = it->special.at;
  *other = false;
  carom_branch_shift(&it->problem, found, which, sign * distance);
  carom_status status = carom_orbit_map_turn(it->map, found->x, found->p, true, NULL);
  if (status == CAROM_STOP_USER) return status;
  if (status != CAROM_OK) return CAROM_OK;
  if (strcmp(it->map->found.word, it->here.orbit.word) == 0 && !other_slopes(it, kept))
    return CAROM_OK;
  status = carom_branch_tangent(&it->problem, found, NULL);
  if (status == CAROM_STOP_USER) return status;
  *other = status == CAROM_OK;
  return CAROM_OK;
}

// from the end to a place: how far, and the cosine of the way with a tangent
static double measure_way(const carom_follower *it, const carom_station *place,
                          const carom_branch_point *tangent, double *length) {
  double step = (place->at.p - it->special.at.p) / it->problem.scale_p;
  double along = tangent->tangent_p * step, square = step * step;
  for (int k = 0; k < it->problem.count; k++) {
    step = (place->at.x[k] - it->special.at.x[k]) / it->problem.scale[k];
    along += tangent->tangent[k] * step;
    square += step * step;
  }
  *length = sqrt(square);
  return *length > 0.0 ? along / *length : 0.0;
}

// its tangent leads on, away from the end
static void point_away(const carom_follower *it, carom_station *place) {
  double length;
  carom_follower_face(it, place, copysign(1.0, measure_way(it, place, &place->at, &length)));
}

// A place just behind the end, too near to tell which way leads on: the one that keeps its word
static carom_status try_ways(carom_follower *it, carom_station *place) {
  carom_station trial;
  bool keeps[2];
  for (int k = 0; k < 2; k++) {
    carom_status status = carom_follower_step(it, place, k == 0 ? PROBE : -PROBE, &trial);
    if (status == CAROM_STOP_USER) return status;
    keeps[k] = status == CAROM_OK && carom_station_kindred(place, &trial);
  }
  if (keeps[1] && !keeps[0]) carom_follower_face(it, place, -1.0);
  return CAROM_OK;
}

// Another kind of motion than that we came along with. Next to a graze, where multipliers grow
// without limit, only the word tells.
static bool is_other(const carom_follower *it, const carom_station *place) {
  return it->ends.other_word ? strcmp(it->here.orbit.word, place->orbit.word) != 0
                             : !carom_station_kindred(&it->here, place);
}

// is the state of `next` that between two points?
static bool same_state(const carom_follower *it, const carom_continuation_point *a,
                       const carom_continuation_point *b, double part) {
  for (int i = 0; i < it->map->size; i++) {
    double then = a->state[i] + part * (b->state[i] - a->state[i]);
    double size = fmax(fabs(b->state[i] - a->state[i]), SAME * it->next.orbit.sizes[i]);
    if (carom_shifts_free(&it->map->shifts, i)) continue;
    if (!(fabs(it->next.orbit.state[i] - then) <= size)) return false;
  }
  return true;
}

// a motion without drive may begin its turn anywhere: its period tells, unless it does not change
static bool same_period(const carom_follower *it, const carom_continuation_point *a,
                        const carom_continuation_point *b, double part) {
  double then = a->period + part * (b->period - a->period);
  if (fabs(b->value - a->value) * fabs(then) * 1e-3 > fabs(b->period - a->period)) return false;
  double size = fmax(0.1 * fabs(b->period - a->period), 1e-3 * SAME * then);
  return fabs(it->next.orbit.is.period - then) <= size;
}

bool carom_multiplier_between(double first, double last, double now) {
  double least = fmin(first, last), room = OTHER_MULTIPLIER * (1.0 + least);
  return now >= least - room && now <= fmax(first, last) + room;
}

// Two motions that meet in a corner have nearly the same state and period next to it, but not the
// same multipliers. Points of an equilibrium tell of its eigenvalues; their words differ.
static bool same_multiplier(const carom_follower *it, const carom_continuation_point *a,
                            const carom_continuation_point *b) {
  double now = carom_hypot(it->next.orbit.re[0], it->next.orbit.im[0]); // 0 where there are none
  return it->map->kind.rest ||
         carom_multiplier_between(carom_hypot(a->re, a->im), carom_hypot(b->re, b->im), now);
}

// Is `next` a motion that this branch has had before? Then it does not lead on, but back.
static bool had_before(const carom_follower *it) {
  const carom_continuation *result = it->result;
  for (long k = carom_continuation_points(result) - 1; k > 0; k--) {
    const carom_continuation_point *a = carom_continuation_point_at(result, k),
                                   *b = carom_continuation_point_at(result, k - 1);
    if (a->branch != it->branch || b->branch != it->branch) break;
    double p = it->next.at.p, part = (p - a->value) / (b->value - a->value);
    if (!(part >= 0.0 && part <= 1.0) || strcmp(a->word, it->next.orbit.word) != 0) continue;
    bool same =
        same_state(it, a, b, part) || (it->map->kind.autonomous && same_period(it, a, b, part));
    if (same && same_multiplier(it, a, b)) return true;
  }
  return false;
}

// A place on the other branch: away from the end, no motion of the kind we came along with, none
// that was there before, and none that goes round several times, which is on a branch of its own
static bool leads_on(carom_follower *it, double s) {
  double length;
  (void)measure_way(it, &it->next, &it->special.at, &length);
  if (!(length > 0.3 * fabs(s)) || !is_other(it, &it->next)) return false;
  bool back = had_before(it), covers = !back && carom_follower_covers(it, &it->next) > 1;
  it->ends.came_back = it->ends.came_back || back;
  it->ends.covers = it->ends.covers || covers;
  return !back && !covers;
}

// From the end along the other side's tangent, both ways, with growing steps. `found` lies on the
// other side: from there Newton's method starts in the right word, which matters at a graze.
static carom_status leave_along(carom_follower *it, const carom_branch_point *found, bool *passed) {
  static const double steps[] = {1e-4, 1e-3, 3e-3, 1e-2};
  for (int k = 0; k < 16 && !*passed && !it->ends.covers; k++) {
    carom_station from = it->special;
    double s = steps[k / 4] * (k % 2 ? -1.0 : 1.0);
    if (k / 2 % 2) // from there
      from.at = *found;
    else // or from the end, its way
      carom_branch_aim(&from.at, found);
    carom_status status = carom_follower_step(it, &from, s, &it->next);
    if (status == CAROM_STOP_USER) return status;
    if (status != CAROM_OK || !leads_on(it, s)) continue;
    point_away(it, &it->next);
    *passed = true;
  }
  return CAROM_OK;
}

// the branch of another word that meets the end, if there is one
static carom_status find_other(carom_follower *it, bool *passed) {
  static const double distances[] = {1e-5, 1e-4, 1e-3, 1e-2};
  double kept[CAROM_ORBIT_STATES * CAROM_ORBIT_STATES];
  int n = it->problem.count;
  carom_status status =
      carom_orbit_map_turn(it->map, it->special.at.x, it->special.at.p, true, NULL);
  if (status != CAROM_OK) return status == CAROM_STOP_USER ? status : CAROM_OK;
  memcpy(kept, it->map->found.matrix, sizeof kept);
  for (int d = 0; d < 4; d++)
    for (int k = 0; k < 2 * (n + 1) && !*passed && !it->ends.covers; k++) {
      carom_branch_point found;
      bool other = false;
      status = look_around(it, kept, distances[d], k / 2, k % 2 ? -1 : 1, &found, &other);
      if (status == CAROM_OK && other) status = leave_along(it, &found, passed);
      if (status == CAROM_STOP_USER) return status;
    }
  return CAROM_OK;
}

// Near a graze derivatives are useless: at parameters a little further, or a little back, Newton's
// method from the end itself may find the other motion
static carom_status try_parameters(carom_follower *it, bool *passed) {
  static const double steps[] = {1e-4, 3e-4, 1e-3, 3e-3};
  double ahead = it->special.at.tangent_p >= 0.0 ? 1.0 : -1.0;
  for (int k = 0; k < 8 && !*passed && !it->ends.covers; k++) {
    double s = steps[k / 2] * (k % 2 ? -ahead : ahead);
    it->next = it->special;
    carom_branch_shift(&it->problem, &it->next.at, it->problem.count, s);
    carom_status status = carom_follower_settle(it, &it->next, true);
    if (status == CAROM_STOP_USER) return status;
    if (status != CAROM_OK || !leads_on(it, s)) continue;
    point_away(it, &it->next);
    *passed = true;
  }
  return CAROM_OK;
}

// turns of the motion itself at another parameter
static carom_status let_settle(carom_follower *it, carom_station *place) {
  carom_orbit_map *map = it->map;
  carom_status status = CAROM_OK;
  for (int turn = 0; turn < SETTLING_TURNS && status == CAROM_OK; turn++) {
    status = carom_orbit_map_turn(map, place->at.x, place->at.p, false, NULL);
    if (status == CAROM_OK) carom_orbit_come_to(map, place->at.x);
  }
  return status;
}

// A stable motion of a driven system that ends where nothing meets it: just beyond, the motion
// leads to another one
static carom_status settle_beyond(carom_follower *it, bool *passed) {
  static const double steps[] = {1e-4, 1e-3, 1e-2};
  double ahead = it->special.at.tangent_p >= 0.0 ? 1.0 : -1.0;
  if (it->map->kind.autonomous || it->special.orbit.is.kind != CAROM_ORBIT_STABLE) return CAROM_OK;
  for (int k = 0; k < 3 && !*passed; k++) {
    carom_orbit_map kept = *it->map;
    it->next = it->special;
    carom_branch_shift(&it->problem, &it->next.at, it->problem.count, ahead * steps[k]);
    carom_status status = let_settle(it, &it->next);
    if (status == CAROM_OK)
      status = carom_orbit_recentre(it->map, it->next.at.x, it->next.at.p, NULL);
    carom_branch_head(&it->next.at, ahead); // its side alone is known
    if (status == CAROM_OK) status = carom_follower_settle(it, &it->next, true);
    if (status == CAROM_STOP_USER) return status;
    *passed = status == CAROM_OK && it->next.at.p >= it->low && it->next.at.p <= it->high;
    if (!*passed) *it->map = kept;
  }
  return CAROM_OK;
}

// how far the other branch is from the end
static bool has_jumped(const carom_follower *it) {
  double length;
  (void)measure_way(it, &it->next, &it->next.at, &length);
  return length > JUMPED;
}

// The end of the word is known: a place just behind it that has another word, if there is one
static carom_status look_behind(carom_follower *it, const carom_station *exact, bool *beyond) {
  static const double steps[] = {1e-10, 1e-8, 1e-6, 1e-5};
  *beyond = false;
  for (int k = 0; k < 4 && !*beyond; k++) {
    carom_status status = carom_follower_step(it, exact, steps[k], &it->next);
    if (status == CAROM_STOP_USER) return status;
    if (status != CAROM_OK || !is_other(it, &it->next)) continue;
    double length;
    (void)measure_way(it, &it->next, &it->next.at, &length);
    *beyond = length < BEHIND;
  }
  return CAROM_OK;
}

// A branch that leaves the range of the parameter as it crosses a kink ends at the bound
static carom_status end_inside(carom_follower *it, carom_branch_label *label) {
  double bound = fmin(fmax(it->next.at.p, it->low), it->high);
  if (bound == it->next.at.p) return CAROM_OK;
  carom_station trial = carom_station_at(&it->next, bound);
  carom_status status = carom_follower_settle(it, &trial, true);
  if (status == CAROM_STOP_USER) return status;
  if (status == CAROM_OK && carom_station_kindred(&it->next, &trial)) it->next = trial;
  it->done = true;
  *label = CAROM_LABEL_END;
  return CAROM_OK;
}

// The end itself is known: `special` becomes the last place before it that can be told from others
static carom_status stay_before(carom_follower *it, const carom_station *exact, bool *stays) {
  static const double steps[] = {1e-10, 1e-9, 1e-8, 1e-7};
  carom_station trial;
  *stays = false;
  for (int k = 0; k < 4 && !*stays; k++) {
    carom_status status = carom_follower_step(it, exact, -steps[k], &trial);
    if (status == CAROM_STOP_USER) return status;
    if (status != CAROM_OK || !carom_station_kindred(&it->here, &trial)) continue;
    double length;
    (void)measure_way(it, &trial, &trial.at, &length);
    *stays = length < BEHIND;
  }
  if (*stays) it->special = trial;
  return CAROM_OK;
}

// The end of the present word: where the word held fixed breaks, or else by bisection. `special` is
// a place of the motion itself that is next to it.
static carom_status come_to_end(carom_follower *it, double s, carom_beginning **end,
                                carom_station *exact, bool *beyond, bool *moved) {
  bool stays = false;
  it->problem.slope = NULL;
  carom_status status = carom_follower_fixed_end(it, s, end, moved);
  if (status != CAROM_OK || *moved) return status;
  *exact = it->special;
  it->problem.slope =
      it->slopes.long_step; // differences by the parameter would reach across the end
  if (status == CAROM_OK && *end) status = stay_before(it, exact, &stays);
  // an impact may come out otherwise in the same word
  it->ends.other_word =
      *end && !stays && exact->orbit.is.fixed_word.margin.kind != CAROM_FAULT_OUTCOME;
  if (status == CAROM_OK && *end) status = look_behind(it, exact, beyond);
  if (status == CAROM_OK && !*end) status = find_end(it, s, beyond);
  it->problem.slope = NULL;
  if (!*end) *exact = it->special;
  return status;
}

// is it an impact that begins or ends there?
static bool impact_grazes(const carom_beginning *end, const carom_station *exact) {
  const carom_leg_margin *margin = &exact->orbit.is.fixed_word.margin;
  if (end->map.kind.rest) return false; // it touches
  return margin->kind == CAROM_FAULT_GAP ||
         (margin->kind == CAROM_FAULT_APPROACH &&
          end->map.fixed_word.legs[margin->leg].event == CAROM_LEG_LANDING);
}

static bool finite_multipliers(const carom_orbit_data *orbit) {
  for (int k = 0; k < orbit->is.floquet.count; k++)
    if (!isfinite(orbit->re[k]) || !isfinite(orbit->im[k])) return false;
  return orbit->is.floquet.count > 0;
}

// At the end itself multipliers may be unbounded: those of the last place before it are told. But
// where an impact is about to come out otherwise, differences of it reach across: those of its
// outcome held fixed do not.
static void describe_end(const carom_follower *it, const carom_beginning *end,
                         carom_station *exact) {
  bool outcome = end && exact->orbit.is.fixed_word.margin.kind == CAROM_FAULT_OUTCOME;
  if (outcome && finite_multipliers(&exact->orbit)) return;
  const carom_orbit_data *last = it->ends.other_word ? &it->here.orbit : &it->special.orbit;
  carom_orbit_take_multipliers(&exact->orbit, last);
}

// a branch may come to the same end twice
static bool is_promised(const carom_follower *it, const carom_beginning *end) {
  for (int k = 0; k < it->result->promises; k++) {
    const carom_beginning *other = it->result->promised[k];
    if (other->map.fixed_word.held && other->map.fixed_word.events == end->map.fixed_word.events &&
        strcmp(other->map.found.word, end->map.found.word) == 0 &&
        fabs(other->at.p - end->at.p) <= SAME * it->problem.scale_p)
      return true;
  }
  return false;
}

// Next to a graze Newton's method finds the other motion only from afar: what lies between is not
// to be passed over. Coming from the end, with the word held fixed, a nearer place is found.
static carom_status come_closer(carom_follower *it, const carom_beginning *other,
                                carom_station *next) {
  static const double steps[] = {1e-3, 3e-3};
  carom_station trial;
  for (int k = 0; k < 2; k++) {
    carom_status status = carom_follower_come_closer(it, other, steps[k], &trial);
    if (status == CAROM_STOP_USER) return status;
    if (status != CAROM_OK || !carom_station_kindred(next, &trial)) continue;
    if (!(fabs(trial.at.p - other->at.p) < fabs(next->at.p - other->at.p))) continue;
    *next = trial;
    carom_follower_face(it, next, -1.0);
    break;
  }
  return CAROM_OK;
}

// An end that had to be bisected, or at which a phase vanishes, is where the other word ends, too:
// on the way back from `next` that may be an ordinary zero, which becomes the exact end (NULL: it
// is known). *end and *margin, where they are not known: that end, leading on beyond it, and the
// inequality that breaks there.
static carom_status look_back(carom_follower *it, carom_station *exact, carom_beginning **end,
                              carom_leg_margin *margin, bool *meets) {
  carom_beginning *other = NULL;
  carom_station here = it->here, special = it->special;
  double length;
  (void)measure_way(it, &it->next, &it->next.at, &length);
  it->here = it->next;
  carom_follower_face(it, &it->here, -1.0);
  carom_status status = carom_follower_fixed_end(it, length, &other, NULL);
  bool same = other && fabs(it->special.at.p - special.at.p) <= NEARBY * it->problem.scale_p;
  *meets = same;
  if (same && exact) {
    exact->at = it->special.at;
    carom_orbit_take_turn(&exact->orbit, it->special.orbit.is.period, it->special.orbit.state);
  }
  if (same && !*end) *margin = it->special.orbit.is.fixed_word.margin;
  it->special = special;
  if (same && status == CAROM_OK) status = come_closer(it, other, &it->next);
  if (same && !*end)
    *end = other;
  else
    free(other);
  it->here = here;
  it->special = special;
  return status;
}

// what goes on where a word ends: behind it, another motion, or one that a run settles to
static carom_status find_way_on(carom_follower *it, bool beyond, bool *passed, bool *settled) {
  carom_station behind = it->next;
  carom_status status = CAROM_OK;
  if (beyond) status = leave_along(it, &behind.at, passed);
  if (status == CAROM_OK && !*passed) status = find_other(it, passed);
  if (status == CAROM_OK && !*passed) status = try_parameters(it, passed);
  if (status == CAROM_OK && !*passed && !beyond && !it->ends.covers) {
    status = settle_beyond(it, passed);
    *settled = *passed;
  }
  if (status == CAROM_OK && !*passed && beyond) {
    *passed = true;
    it->next = behind;
    status = try_ways(it, &it->next);
  }
  return status;
}

// does a contact of an equilibrium open, close or begin to slip?
static bool rest_leaves_mode(const carom_follower *it, const carom_beginning *end,
                             const carom_station *exact) {
  carom_leg_fault kind = exact->orbit.is.fixed_word.margin.kind;
  return it->map->kind.rest && end &&
         (kind == CAROM_FAULT_GAP || kind == CAROM_FAULT_FORCE || kind == CAROM_FAULT_CONE);
}

// the way led back: the other one is taken, once, where the kink has only just been crossed
static bool turns_round(carom_follower *it) {
  bool first = !it->ends.turned &&
               fabs(it->special.at.p - it->ends.kink) < PROBE * it->problem.scale_p * 0.01;
  it->ends.turned = true;
  if (first) carom_follower_face(it, &it->here, -1.0);
  return first;
}

static carom_branch_label label_end(const carom_follower *it, const carom_beginning *end,
                                    const carom_station *exact, bool jumps) {
  if (jumps) return CAROM_LABEL_JUMP;
  if (end && impact_grazes(end, exact)) return CAROM_LABEL_GRAZE;
  return label_of(it->here.orbit.word, it->next.orbit.word);
}

// the branch goes on from the station behind the kink; a sharp turn is a fold as well
static carom_status go_on_behind(carom_follower *it, const carom_station *exact,
                                 carom_branch_label label) {
  carom_status status = CAROM_OK;
  bool turns = label != CAROM_LABEL_JUMP && it->here.at.tangent_p * it->next.at.tangent_p < 0.0;
  if (turns) status = carom_follower_record(it, exact, CAROM_LABEL_FOLD);
  carom_branch_label next_label = CAROM_LABEL_NONE;
  if (status == CAROM_OK) status = end_inside(it, &next_label);
  if (status == CAROM_OK) status = carom_follower_record(it, &it->next, next_label);
  it->ends.kink = it->special.at.p;
  it->here = it->next;
  it->ends.turned = false;
  carom_follower_anchor(it);
  return status;
}

// For an atlas it is the inequality that counts, whatever the branch does there: it may fold, jump
// or be lost
static carom_status keep_end(carom_follower *it, const carom_beginning *end,
                             const carom_leg_margin *margin) {
  bool lands = end->map.fixed_word.legs[margin->leg].event == CAROM_LEG_LANDING;
  bool graze = (margin->kind == CAROM_FAULT_GAP && !end->map.kind.rest) ||
               (margin->kind == CAROM_FAULT_APPROACH && lands);
  return carom_follower_keep_special(it, end, graze ? CAROM_LABEL_GRAZE : CAROM_LABEL_WORD, margin);
}

static carom_status cross_word_end(carom_follower *it, double s, carom_beginning **end,
                                   bool *passed, bool *crossed) {
  bool beyond = false, settled = false, moved = false;
  carom_station exact;
  char why[sizeof it->why];
  memcpy(why, it->why, sizeof why);
  *passed = false;
  carom_status status = come_to_end(it, s, end, &exact, &beyond, &moved);
  *passed = moved; // no end: with the word held fixed the branch goes on
  *crossed = !moved;
  if (status != CAROM_OK || moved) return status;
  describe_end(it, *end, &exact);
  it->ends.came_back = it->ends.covers = false;
  bool rest = rest_leaves_mode(it, *end, &exact);
  status = rest ? carom_follower_rest_beyond(it, &exact, &it->next, passed)
                : find_way_on(it, beyond, passed, &settled);
  if (rest && !*passed)
    (void)snprintf(why, sizeof why, "no equilibrium in another mode meets it there");
  if (status != CAROM_OK) return status;
  if (!rest && *passed && had_before(it)) {
    *passed = turns_round(it);
    if (*passed) return CAROM_OK;
    it->ends.came_back = !*passed;
  }
  if (*passed && carom_follower_covers(it, &it->next) > 1) {
    *passed = false;
    it->ends.covers = true;
  }
  if (!*passed && it->ends.came_back)
    (void)snprintf(why, sizeof why, "it leads back to where it has been");
  else if (!*passed && it->ends.covers)
    (void)snprintf(why, sizeof why, "it meets a motion of a shorter period, several times round");
  memcpy(it->why, why, sizeof why);
  carom_branch_label label = CAROM_LABEL_LOST;
  bool other_word = strcmp(it->here.orbit.word, it->next.orbit.word) != 0;
  bool shorter = strlen(it->next.orbit.word) < strlen(it->here.orbit.word), meets = false;
  carom_leg_margin margin = exact.orbit.is.fixed_word.margin;
  if (*passed && other_word)
    status = look_back(it, !*end || shorter ? &exact : NULL, end, &margin, &meets);
  if (*passed) label = label_end(it, *end, &exact, !meets && (settled || has_jumped(it)));
  if (status == CAROM_OK) status = carom_follower_record(it, &exact, label);
  if (status == CAROM_OK && *end) status = keep_end(it, *end, &margin);
  // beyond its end the word goes on as that of virtual motions
  if (status == CAROM_OK && *end && it->options->virtual_too && !is_promised(it, *end))
    status = carom_continuation_promise(it->result, *end, it->error);
  return status == CAROM_OK && *passed ? go_on_behind(it, &exact, label) : status;
}

carom_status carom_follower_cross(carom_follower *it, double s, bool *passed, bool *crossed) {
  carom_beginning *end = NULL;
  carom_status status = cross_word_end(it, s, &end, passed, crossed);
  free(end);
  return status;
}
