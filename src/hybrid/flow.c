// SPDX-License-Identifier: MIT
/// The running loop: step, look for events along the step, end the step at the first of them. What
/// nothing moves by is met beside the step (beside.c).
#include "base/elementary.h"
#include "hybrid/hybrid.h"

#include "hybrid/tangent.h"

#include <math.h>
#include <string.h>

static const double IMPACT_REACH = 1.5; // of the last flight: how far the next step goes

double carom_hybrid_root_shift(carom_hybrid *it, const carom_stepper *stepper,
                               const carom_root *root) {
  if (root->kind != CAROM_ROOT_CROSSING) return 0.0;
  if (root->function >= it->model->watched_count) return 0.0; // known by samples only
  const carom_watched *watched = &it->model->watched[root->function];
  if (watched->kind == CAROM_WATCH_SLIP && it->model->contacts.cross[watched->index] >= 0)
    return carom_spatial_time_left(it, watched->index, stepper);
  double shift;
  if (it->model->functions) {
    shift = carom_function_event_shift(it, root->function);
  } else {
    const carom_watch *watch = &it->model->watched[root->function].function;
    carom_watch_work *work = &it->watching.work[root->function];
    double value, slope;
    carom_watch_both(watch, work, stepper->t1, stepper->y1, stepper->f1, &value, &slope);
    shift = -value / slope;
  }
  // only ever the integrator's error: nothing to correct at a tangential root, or where the
  // function stays at zero but for rounding; a series is as exact inside a step as at its end
  double most = (stepper->expansion.used ? 1e-5 : 1e-2) * stepper->h;
  return fabs(shift) <= most ? shift : 0.0;
}

// moves the end of a shortened step onto the root: the true step and the dense output differ by the
// integrator's error
static carom_status correct_root(carom_hybrid *it, const carom_root *root, carom_error *error) {
  double shift = carom_hybrid_root_shift(it, &it->stepper, root);
  return shift == 0.0 ? CAROM_OK : carom_stepper_nudge(&it->stepper, shift, error);
}

// ends the tried step at the first root
static carom_status end_at_root(carom_hybrid *it, const carom_root *root, carom_error *error) {
  if (root->theta < 1.0) {
    double theta = carom_larger(root->theta, CAROM_SHORTEST_PART);
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
  if (!dynamics->has_energy || it->run.hold_energy || it->now.certificate.counts.steps % 8 != 0)
    return;
  if (carom_dynamics_energy(dynamics, &it->work, it->now.t, it->stepper.y, &energy) == CAROM_OK)
    it->now.books.energy_scale = carom_larger(it->now.books.energy_scale, fabs(energy.kinetic));
}

static void note_step(carom_hybrid *it) {
  carom_certificate *c = &it->now.certificate;
  c->counts.steps++;
  c->t_end = it->now.t;
  note_energy(it);
}

// has every contact that struck come to stay?
static bool all_stay(const carom_hybrid *it, int count, const carom_root *roots) {
  for (int j = 0; j < count; j++) {
    if (roots[j].function >= it->model->watched_count) continue;
    const carom_watched *watched = &it->model->watched[roots[j].function];
    if (watched->kind == CAROM_WATCH_GAP &&
        !carom_contact_is_closed(it->memory[watched->index].mode))
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
  if (it->now.certificate.counts.impacts == impacts) return h;
  double reach = IMPACT_REACH * (it->now.t - it->now.last_impact);
  it->now.last_impact = it->now.t;
  if (it->contact.closed > 0 && it->stepper.expansion.used && all_stay(it, count, roots))
    return carom_larger(h, CAROM_SERIES_REACH * it->now.stride);
  return reach > 0.0 && reach < h ? carom_stepper_cut(&it->stepper, reach) : h;
}

static carom_status after_event(carom_hybrid *it, double t_before, double h_next, carom_root *roots,
                                int count, bool *stop, carom_error *error) {
  carom_state_take(it, it->stepper.y);
  for (int k = 0; k < count; k++)
    if (roots[k].kind == CAROM_ROOT_NONFINITE && roots[k].function < it->model->watched_count)
      return carom_hybrid_no_value(it, &it->model->watched[roots[k].function], it->now.t, it->y,
                                   error);
  // an observer that wants to stop does so after the instant: the next advance goes on from there
  long impacts = it->now.certificate.counts.impacts;
  bool wants_stop = carom_sampling_before(it);
  carom_turning_tell(it, count, roots);
  carom_leg_before(it, count, roots);
  carom_status status = carom_tangent_before(it, count, roots, error);
  if (status != CAROM_OK) return status;
  carom_status asked = carom_hybrid_instant(it, count, roots, stop, error);
  if (asked != CAROM_OK && asked != CAROM_STOP_USER) return asked;
  carom_leg_after(it);
  const char *name = roots[0].function < it->model->watched_count
                         ? it->model->watched[roots[0].function].name
                         : "a contact force";
  status = carom_pace_progress(it, t_before, h_next, name, error);
  if (status == CAROM_OK) status = carom_pace_check(it, count, roots, error);
  if (status != CAROM_OK) return status;
  h_next = cut_after_impact(it, impacts, h_next, count, roots);
  status = carom_stepper_start(&it->stepper, it->now.t, it->y, h_next, error);
  if (status != CAROM_OK) return carom_hybrid_explain(it, status, it->now.t, it->y, error);
  carom_hybrid_arm(it);
  carom_hybrid_take_sides(it, it->stepper.f);
  if (it->model->functions) carom_function_events_settle(it);
  carom_search_go_on(it, roots, count, it->now.certificate.counts.steps);
  status = carom_tangent_after(it, error);
  if (wants_stop) *stop = true, asked = CAROM_STOP_USER;
  return status == CAROM_OK ? asked : status;
}

// a function too busy to be searched to the end: the step ends where nothing was missed
static carom_status end_undecided(carom_hybrid *it, double *h_next, carom_error *error) {
  const carom_root *root = &it->watching.roots[0];
  if (root->function == it->model->watched_count + CAROM_ROOT_OF_SOLIDS)
    return carom_stepper_shorten(
        &it->stepper, carom_larger(root->theta, CAROM_SHORTEST_PART) * it->stepper.h, error);
  const char *name =
      root->function < it->model->watched_count ? it->model->watched[root->function].name : "force";
  if (root->theta < 1e-6)
    return carom_fail(error, CAROM_ERR_LIMIT, "%s changes too fast to be searched for zeros", name);
  double h = root->theta * it->stepper.h;
  *h_next = carom_smaller(*h_next, 2.0 * h);
  return carom_stepper_shorten(&it->stepper, h, error);
}

// Forces may grow without limit just before a contact lands, or just after another left: a body
// that lies down between a wall and the floor, or gets up. Where steps end for that, a gap that
// cannot be told from zero has landed; else other modes must take over.
static bool lands_instead(carom_hybrid *it, carom_root *root) {
  const carom_stepper *s = &it->stepper;
  for (int k = 0; it->contact.closed > 0 && k < it->model->watched_count; k++) {
    const carom_watched *watched = &it->model->watched[k];
    if (watched->kind != CAROM_WATCH_GAP || !it->watching.watch[k].active) continue;
    double gap, speed;
    carom_watch_both(&watched->function, &it->watching.work[k], s->t, s->y, s->f, &gap, &speed);
    if (!(gap <= it->watching.watch[k].tolerance && speed < 0.0)) continue;
    *root = (carom_root){CAROM_ROOT_CROSSING, k, CAROM_FALLING, 0.0};
    return true;
  }
  return false;
}

// The series for the next step. What loose detection misses depends on steps.
static carom_status choose_series(carom_hybrid *it, carom_error *error) {
  carom_stepper *stepper = &it->stepper;
  stepper->expansion.off =
      !stepper->expansion.series || it->run.loose || !carom_tangent_lets_series(it);
  if (stepper->expansion.off) return CAROM_OK;
  carom_status status = carom_phase_series_prepare(it, error);
  const carom_phase_series *series = carom_phase_series_now(it);
  stepper->expansion.off = !series;
  if (series) stepper->expansion.degree = series->degree;
  return status;
}

// Watched functions are polynomials on a step by series, but for those that are nothing but
// rounding, of whose terms that cancel a polynomial of high degree cancels less well, and for those
// that may be flat where the step begins and steep further on.
static void follow_series(carom_hybrid *it) {
  const carom_phase_series *series = it->stepper.expansion.used ? carom_phase_series_now(it) : NULL;
  const double *functions = series ? carom_phase_series_functions(it) : NULL;
  for (int k = 0; k < it->model->watched_count; k++) {
    const carom_watch_memory *memory = &it->watching.memory[k];
    bool is_rounding = memory->rounding > 0.0 || memory->flat_steps > 0;
    bool is_steep = it->model->watched[k].function.steep;
    int slot = series && !is_rounding && !is_steep ? series->slot[k] : -1;
    it->watching.work[k].degree = slot < 0 ? 0 : series->degree - 1;
    if (slot >= 0)
      carom_watch_follow(&it->watching.work[k], &it->stepper, functions + slot * series->degree,
                         it->watching.watch[k].tolerance);
  }
}

// no step is short enough for these forces: a contact has landed, or other modes take over
static carom_status rescue_step(carom_hybrid *it, int *found, bool *stop, carom_error *error) {
  if (error) *error = (carom_error){0};
  bool lands = lands_instead(it, &it->watching.roots[0]);
  if (!lands)
    it->watching.roots[0] =
        (carom_root){CAROM_ROOT_CROSSING, it->model->watched_count + 1, CAROM_FALLING, 0.0};
  carom_hybrid_count(it, lands ? CAROM_UNCOMMON_FORCED_LANDING : CAROM_UNCOMMON_FORCED_MODES);
  *found = 1;
  return after_event(it, it->stepper.t, 1e-3 * it->now.stride, it->watching.roots, 1, stop, error);
}

// The modes end where the step begins, and nothing of it is kept.
static carom_status leave_edge(carom_hybrid *it, double h, int *found, bool *stop,
                               carom_error *error) {
  it->watching.roots[0] =
      (carom_root){CAROM_ROOT_CROSSING, it->model->watched_count, CAROM_FALLING, 0.0};
  *found = 1;
  carom_status status = after_event(it, it->stepper.t, h, it->watching.roots, 1, stop, error);
  carom_edge_leave(it);
  return status;
}

// what the step passes on its way: roots, then samples and extremes up to the first of them
static carom_status look_along(carom_hybrid *it, int *found, carom_passing *passing, bool *asked,
                               carom_error *error) {
  carom_status status = CAROM_OK;
  *found = 0;
  if (it->watching.looks) {
    status = carom_stepper_dense(&it->stepper, error);
    if (status != CAROM_OK) return status;
    passing->on_edge = carom_edge_falls(it);
    if (passing->on_edge) return CAROM_OK;
    follow_series(it);
    *found = carom_search_roots(it);
  }
  status = carom_solids_along(it, found, error);
  if (status != CAROM_OK) return status;
  double theta_end = *found > 0 ? it->watching.roots[0].theta : 1.0;
  if (it->model->contacts.count > 0) carom_hybrid_inspect_within(it, theta_end);
  if (status == CAROM_OK && it->beside.on) {
    status = carom_beside_pass(it, theta_end, found, passing, asked, error);
    passing->failed = status != CAROM_OK;
  }
  if (status != CAROM_OK || passing->left) return status;
  bool ends = *found > 0 && it->watching.roots[0].kind != CAROM_ROOT_UNDECIDED;
  *asked |= carom_sampling_along(it, theta_end, ends, error, &status);
  if (status == CAROM_OK && it->model->followed_count > 0 && !it->observing.unobserved)
    status = carom_stepper_dense(&it->stepper, error);
  if (status == CAROM_OK) carom_tally_step(it, theta_end);
  if (status == CAROM_OK && it->watching.looks)
    carom_search_note_sides(it, theta_end, passing->h_natural, found);
  return status;
}

static carom_status end_at_first(carom_hybrid *it, int *found, double *h_next, carom_error *error) {
  if (*found == 0) return CAROM_OK;
  if (it->watching.roots[0].kind != CAROM_ROOT_UNDECIDED)
    return end_at_root(it, &it->watching.roots[0], error);
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
    stepper->counts.evaluations++;
    if (status != CAROM_OK)
      return carom_hybrid_explain(it, status, stepper->t1, stepper->y1, error);
  }
  return status == CAROM_OK && it->clients.tangent ? carom_tangent_step(it, error) : status;
}

// Steps by series are too long for that, and errors of order 4 over them are multiplied by the
// inverse of the speed of slow impacts.
double carom_hybrid_time_scale(const carom_hybrid *it) {
  return it->now.stride > 0.0 ? it->now.stride : it->now.h;
}

static void commit_step(carom_hybrid *it, double h_next) {
  carom_stepper *stepper = &it->stepper;
  carom_stepper_commit(stepper);
  it->now.t = stepper->t;
  it->now.h = stepper->h_next = h_next;
  double pace = stepper->expansion.used ? h_next / CAROM_SERIES_REACH : h_next;
  it->now.stride = carom_larger(pace, 0.9 * it->now.stride);
}

static void note_work(carom_hybrid *it, long rejected, long evaluations) {
  it->now.certificate.counts.rejected += it->stepper.counts.rejected - rejected;
  it->now.certificate.counts.evaluations += it->stepper.counts.evaluations - evaluations;
}

// the run ends within the step, or stops there to go on: see beside.c
static carom_status leave_within(carom_hybrid *it, const carom_passing *passing, bool *stop) {
  note_step(it);
  carom_hybrid_inspect(it, it->now.t, it->stepper.y);
  *stop = passing->stop || passing->asked;
  return passing->asked ? CAROM_STOP_USER : CAROM_OK;
}

static carom_status one_step(carom_hybrid *it, const carom_advance *way, double t_end, int *found,
                             bool *stop, carom_error *error) {
  carom_stepper *stepper = &it->stepper;
  long rejected = stepper->counts.rejected, evaluations = stepper->counts.evaluations;
  carom_passing passing = {.to_event = way->to_event, .h_natural = stepper->h_next};
  carom_beside_begin(it, way->to_event);
  carom_status status = choose_series(it, error);
  if (status == CAROM_OK && it->model->contacts.spatial > 0)
    status = carom_spatial_limit_step(it, error);
  if (status != CAROM_OK) return status;
  status = carom_stepper_try(stepper, t_end, error);
  if (status == CAROM_ERR_STEP && it->contact.closed > 0)
    return rescue_step(it, found, stop, error);
  if (status == CAROM_OK && it->model->narrow.count > 0)
    status = carom_narrow_limit(&it->model->narrow, &it->watching.narrow, stepper, error);
  double h_next = stepper->h_next, t_before = stepper->t;
  bool asked_to_stop = false;
  if (status == CAROM_OK) status = look_along(it, found, &passing, &asked_to_stop, error);
  if (passing.failed) return status;
  if (status == CAROM_OK && passing.on_edge) {
    note_work(it, rejected, evaluations);
    return leave_edge(it, passing.h_natural, found, stop, error);
  }
  if (status == CAROM_OK && passing.left) {
    note_work(it, rejected, evaluations);
    return leave_within(it, &passing, stop);
  }
  if (status == CAROM_OK) status = end_at_first(it, found, &h_next, error);
  if (status != CAROM_OK) return carom_hybrid_explain(it, status, stepper->t, stepper->y, error);
  status = settle_end(it, *found == 0, error);
  if (status != CAROM_OK) return status;

  commit_step(it, h_next);
  note_step(it);
  if (*found == 0) carom_sides_leave(it, true);
  if (*found > 0)
    status = after_event(it, t_before, h_next, it->watching.roots, *found, stop, error);
  note_work(it, rejected, evaluations);
  if (status == CAROM_OK || status == CAROM_STOP_USER)
    carom_hybrid_inspect(it, it->now.t, stepper->y);
  if (status == CAROM_OK && it->model->probe.solids.slot_count > 0)
    status = carom_solids_follow(it, error);
  if (status == CAROM_OK) status = carom_apart_look(it, it->now.t, stepper->y, error);
  if (status == CAROM_OK && asked_to_stop) {
    *stop = true;
    status = CAROM_STOP_USER;
  }
  return status;
}

carom_advance carom_hybrid_advance_begin(carom_hybrid *it, double t_end, bool to_event) {
  carom_advance way = {.t_end = t_end, .to_event = to_event, .status = it->fitting.misfit.status};
  if (way.status != CAROM_OK) return way;
  if (it->now.stage.untold && it->simulation->observer.event) {
    way.status = carom_hybrid_tell_start(it, NULL);
    way.stop = way.status == CAROM_STOP_USER;
  }
  if (!it->now.stage.finished) carom_sampling_begin(it);
  return way;
}

bool carom_hybrid_advance_more(const carom_hybrid *it, const carom_advance *way) {
  return way->status == CAROM_OK && !way->stop && !way->met && !it->now.stage.finished &&
         it->now.t < way->t_end && !carom_tape_brims(it);
}

void carom_hybrid_advance_step(carom_hybrid *it, carom_advance *way, carom_error *error) {
  if (carom_simulation_asked(it->simulation)) {
    way->status = CAROM_STOP_USER;
    return;
  }
  long events = it->now.certificate.counts.events;
  it->now.stage.untold = false;
  if (it->now.paused.held) way->status = carom_beside_return(it, error);
  if (way->status != CAROM_OK) return;
  double pile = it->now.stage.settling ? carom_chatter_next(it) : INFINITY;
  int found = 0;
  way->status = one_step(it, way, carom_smaller(way->t_end, pile), &found, &way->stop, error);
  if (way->status == CAROM_OK && it->now.t >= pile && carom_chatter_settle(it)) {
    way->stop = true;
    way->status = CAROM_STOP_USER;
  }
  way->met = way->to_event && it->now.certificate.counts.events > events;
}

carom_status carom_hybrid_advance_end(carom_hybrid *it, const carom_advance *way) {
  if (it->now.stage.finished) {
    carom_sampling_end(it);
    return CAROM_STOP_EVENT;
  }
  carom_state_take(it, it->stepper.y);
  if (way->status != CAROM_OK) return way->status;
  if (way->stop) {
    it->now.stage.finished = true;
    carom_sampling_end(it);
    return CAROM_STOP_EVENT;
  }
  return way->met ? CAROM_STOP_EVENT : CAROM_OK;
}

void carom_hybrid_note_stepper(carom_hybrid *it) {
  it->now.h = it->stepper.h_next;
  it->now.grow = it->stepper.grow;
  it->now.by_series = it->stepper.expansion.used;
}

carom_status carom_hybrid_advance(carom_hybrid *it, double t_end, bool to_event,
                                  carom_error *error) {
  carom_advance way = carom_hybrid_advance_begin(it, t_end, to_event);
  while (carom_hybrid_advance_more(it, &way))
    carom_hybrid_advance_step(it, &way, error);
  return carom_hybrid_advance_end(it, &way);
}
