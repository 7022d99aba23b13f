// SPDX-License-Identifier: MIT
/// Events that come too often: so near to each other that time does not move, or more than a run
/// allows.
#include "hybrid/hybrid.h"

#include <math.h>
#include <string.h>

enum { STALLED_INSTANTS = 200 };

// A rule of time alone that comes at an even pace: will it have come too often before the end?
carom_status carom_pace_check(carom_hybrid *it, int count, const carom_root *roots,
                              carom_error *error) {
  const double even = 1e-3;
  enum { PACED = 10000 };
  const carom_watched *watched =
      roots[0].function < it->model->watched_count ? &it->model->watched[roots[0].function] : NULL;
  bool timed = count == 1 && watched && !it->model->functions && carom_watched_is_rule(watched) &&
               watched->function.timed && watched->function.used_count == 0;
  double spacing = it->now.t - it->now.pace.at;
  bool same = timed && roots[0].function == it->now.pace.function &&
              fabs(spacing - it->now.pace.spacing) <= even * it->now.pace.spacing;
  it->now.pace.function = timed ? roots[0].function : -1;
  it->now.pace.at = it->now.t;
  it->now.pace.times = same ? it->now.pace.times + 1 : 0;
  if (!same) it->now.pace.spacing = spacing;
  double left = (it->run.until - it->now.t) / it->now.pace.spacing;
  if (it->now.pace.times < PACED || left + (double)it->now.instant <= it->run.max_events)
    return CAROM_OK;
  return carom_fail(error, CAROM_ERR_LIMIT,
                    "%s comes every %.6g, %.3g times more before the end at %.15g: more than %.0f "
                    "events (run.max_events)",
                    watched->name, it->now.pace.spacing, left, it->run.until, it->run.max_events);
}

static carom_status fail_fast(const carom_hybrid *it, const char *name, double h,
                              carom_error *error) {
  return carom_fail(error, CAROM_ERR_LIMIT,
                    "at t = %.15g %s crosses zero too often to be followed: in steps of %.3g its "
                    "crossings cannot be told apart (run.h_max makes steps shorter)",
                    it->now.t, name, h);
}

static carom_status check_count(const carom_hybrid *it, carom_error *error) {
  if ((double)it->now.instant <= it->run.max_events) return CAROM_OK;
  return carom_fail(error, CAROM_ERR_LIMIT,
                    "more than %.0f events before t = %.15g (run.max_events)", it->run.max_events,
                    it->now.t);
}

static bool time_stands(const carom_hybrid *it, double t_before, double h) {
  double resolution =
      fmax(8.0 * CAROM_TIME_ROUNDING * fabs(it->now.t), 1.1 * CAROM_SHORTEST_PART * h);
  return it->now.t - t_before <= resolution;
}

// Thousands of instants within next to no time: jumps of forces that have piled up (a sliding mode
// of second order), behind which rounding goes to and fro. At this pace a hundred times
// run.max_events would not reach the end.
static bool is_crowded(carom_hybrid *it) {
  enum { CROWD = 10000 };
  const double still = 1e-7, beyond = 100.0;
  if (it->now.instant % CROWD != 0) return false;
  double gone = it->now.t - it->now.pace.crowd, left = it->run.until - it->now.t;
  it->now.pace.crowd = it->now.t;
  return it->now.instant > CROWD && gone <= still * fabs(it->now.t) &&
         left * CROWD > beyond * it->run.max_events * gone;
}

// Events so close that time does not move, or that their places in a step cannot be told apart: an
// accumulation that user events cannot pass. Where nothing is changed at them nothing accumulates:
// a function is too fast.
carom_status carom_pace_progress(carom_hybrid *it, double t_before, double h, const char *name,
                                 carom_error *error) {
  bool stands = time_stands(it, t_before, h);
  bool moved =
      memcmp(it->instant.entered, it->y, (size_t)it->model->dynamics->size * sizeof *it->y) != 0;
  it->now.pace.since_progress = stands ? it->now.pace.since_progress + 1 : 0;
  it->now.pace.since_moved = stands && !moved ? it->now.pace.since_moved + 1 : 0;
  if (it->now.pace.since_moved > STALLED_INSTANTS) return fail_fast(it, name, h, error);
  if (it->now.pace.since_progress > STALLED_INSTANTS || is_crowded(it))
    return carom_fail(error, CAROM_STOP_ACCUMULATION, "events accumulate at t = %.15g", it->now.t);
  return check_count(it, error);
}

carom_status carom_pace_beside(carom_hybrid *it, double t_before, double h, const char *name,
                               carom_error *error) {
  it->now.pace.since_looked = time_stands(it, t_before, h) ? it->now.pace.since_looked + 1 : 0;
  if (it->now.pace.since_looked > STALLED_INSTANTS) return fail_fast(it, name, h, error);
  return check_count(it, error);
}
