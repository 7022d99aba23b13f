// SPDX-License-Identifier: MIT
/// Where the word of a motion ends along a branch, found with the word held fixed: the branch of
/// the fixed word is smooth there and goes on beyond, as a virtual one, so that the end is an
/// ordinary zero of the inequality that breaks: the time a phase lasts, the approach of an impact,
/// a gap, a force.
#include "analysis/follower.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 60 };
static const double LONGEST_WAY = 0.05, LONGEST_STEP = 0.01; // for the end is near
static const double WORTH = 2e-3;
static const double WAY_BACK = 2e-3; // and on the other side at hand

/// The same branch with its word held fixed.
typedef struct twin {
  carom_follower follower;
  carom_orbit_map map;
  bool along;   // steps that break nothing are steps of the branch, and are recorded
  double moved; // how far they led
} twin;

static carom_status begin_twin(twin *it, const carom_follower *of) {
  it->map = *of->map;
  it->follower = *of;
  carom_follower *follower = &it->follower;
  follower->map = &it->map;
  follower->keeping.journal = NULL;
  follower->error = NULL;
  carom_status status =
      carom_orbit_fix_word(&it->map, follower->here.at.x, follower->here.at.p, NULL);
  if (status != CAROM_OK) return status;
  carom_follower_prepare(follower);
  return carom_follower_settle(follower, &follower->here, true);
}

static double margin_at(const carom_station *place) {
  return carom_test_value(place, CAROM_TEST_MARGIN);
}

// a step that breaks nothing is one of the branch, with special points on its way
static carom_status go_along(twin *it, double s) {
  carom_follower *follower = &it->follower;
  carom_status status = it->along ? carom_follower_examine(follower, s) : CAROM_OK;
  if (follower->ended) return status;
  if (status == CAROM_OK && it->along)
    status = carom_follower_record(follower, &follower->next, CAROM_LABEL_NONE);
  follower->here = follower->next;
  it->moved += s;
  return status;
}

// Goes on until the word is broken, which lies between `here` and `next` then, *s further on. Where
// an impact goes another way the equations have a kink, and there is nothing smooth to follow.
static carom_status find_beyond(twin *which, double *s, bool *found) {
  carom_follower *it = &which->follower;
  uint64_t outcome[CAROM_MOST_LEGS];
  size_t outcomes = (size_t)it->map->fixed_word.events * sizeof *outcome;
  double left = fmax(4.0 * *s, which->along ? LONGEST_WAY : WAY_BACK);
  memcpy(outcome, it->map->fixed_word.outcome, outcomes);
  for (int k = 0; k < MOST_STEPS && left > 0.0; k++) {
    carom_status status = carom_follower_step(it, &it->here, *s, &it->next);
    if (status == CAROM_STOP_USER) return status;
    if (status != CAROM_OK) {
      *s *= 0.25;
      if (*s < it->options->least) return CAROM_OK;
      continue;
    }
    if (memcmp(outcome, it->map->fixed_word.outcome, outcomes) != 0) return CAROM_OK;
    *found = it->next.orbit.is.fixed_word.virtual_motion && margin_at(&it->next) < 0.0;
    if (*found || it->next.at.p < it->low || it->next.at.p > it->high) break;
    left -= *s;
    // a margin that cannot be told from zero is behind its zero already, or never leaves it
    if (margin_at(&it->next) > 0.0) status = go_along(which, *s);
    if (status != CAROM_OK || it->ended) return status;
    *s = fmin(2.0 * *s, LONGEST_STEP);
  }
  return CAROM_OK;
}

// the place among those of the motion itself: without the times of events
static void take_place(carom_follower *it, const carom_station *fixed) {
  it->special = *fixed;
  it->special.orbit.is.fixed_word.virtual_motion = false;
  carom_branch_clip(&it->problem, &it->special.at);
  carom_branch_make_unit(&it->problem, &it->special.at);
}

// `here` of the motion itself becomes where its twin has come to. *moved: that is worth going on
// from; the end cannot be much farther where it is not.
static carom_status catch_up(const twin *it, carom_follower *of, bool *moved) {
  take_place(of, &it->follower.here);
  carom_status status = carom_follower_settle(of, &of->special, true);
  if (status == CAROM_STOP_USER) return status;
  bool same = status == CAROM_OK && strcmp(of->special.orbit.word, of->here.orbit.word) == 0;
  if (same) of->here = of->special;
  *moved = same && it->moved > WORTH;
  return CAROM_OK;
}

static carom_status locate_end(twin *it, carom_follower *of, double s, carom_beginning **end,
                               carom_error *error) {
  carom_follower *follower = &it->follower;
  bool found = false;
  double at;
  carom_status status = begin_twin(it, of);
  if (status != CAROM_OK || !(margin_at(&follower->here) > 0.0))
    return status == CAROM_STOP_USER ? status : CAROM_OK;
  status = find_beyond(it, &s, &found);
  if (status != CAROM_OK || !found) return status;
  // what an impact ends in changes with a kink: that has no sign to look for
  if (follower->next.orbit.is.fixed_word.margin.kind == CAROM_FAULT_MISFIT) return CAROM_OK;
  status = carom_follower_locate(follower, CAROM_TEST_MARGIN, s, &at);
  if (status != CAROM_OK) return status == CAROM_STOP_USER ? status : CAROM_OK;
  *end = malloc(sizeof **end);
  if (!*end) return carom_fail_memory(error);
  **end = (carom_beginning){.map = it->map, .at = follower->special.at, .depth = of->depth};
  take_place(of, &follower->special);
  // `here` has not moved, but what is told of the motion before its end is what it was like last
  if (it->along && it->moved > 0.0)
    carom_orbit_take_multipliers(&of->here.orbit, &follower->here.orbit);
  return CAROM_OK;
}

// a place of the motion itself that lies s beyond the end of its word held fixed, on its own side
static carom_status step_back(twin *other, carom_follower *it, const carom_beginning *end,
                              double s) {
  carom_follower *follower = &other->follower;
  other->map = end->map;
  carom_orbit_make_with(&other->map, &it->map->maker);
  *follower = *it;
  follower->map = &other->map;
  follower->keeping.journal = NULL;
  follower->error = NULL;
  follower->special = (carom_station){.at = end->at};
  carom_follower_prepare(follower);
  carom_status status = carom_follower_step(follower, &follower->special, -s, &follower->here);
  if (status == CAROM_OK) take_place(it, &follower->here);
  return status;
}

carom_status carom_follower_come_closer(carom_follower *it, const carom_beginning *end, double s,
                                        carom_station *place) {
  twin *other = malloc(sizeof *other);
  if (!other) return carom_fail_memory(it->error);
  carom_station special = it->special;
  carom_status status = step_back(other, it, end, s);
  *place = it->special;
  it->special = special;
  if (status == CAROM_OK) status = carom_follower_settle(it, place, true);
  free(other);
  return status;
}

carom_status carom_follower_fixed_end(carom_follower *it, double s, carom_beginning **end,
                                      bool *moved) {
  *end = NULL;
  if (moved) *moved = false;
  if (!it->map->maker.engine->turns.fixed_word) return CAROM_OK;
  twin *other = malloc(sizeof *other);
  if (!other) return carom_fail_memory(it->error);
  other->along = moved != NULL;
  other->moved = 0.0;
  carom_status status = locate_end(other, it, s, end, it->error);
  if (status == CAROM_OK && moved && other->follower.ended)
    *moved = it->ended = it->done = true; // a cycle has shrunk to nothing on the way
  else if (status == CAROM_OK && !*end && moved && other->moved > 0.0)
    status = catch_up(other, it, moved);
  carom_orbit_count_turns(it->map, other->map.turns_made);
  free(other);
  return status;
}
